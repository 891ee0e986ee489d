import type { IDataObject } from 'n8n-workflow';

import { COUNTRIES } from '../../../sandbox/catalogue/countries.mts';
import { TUNNEL_PROVINCES } from '../../../sandbox/catalogue/chineseAreas.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

const LIST_OF_AREAS = { resource: 'area', operation: 'getAll' };

async function listed(field: string, areasOf: string, filter?: string) {
	const { keys } = bed().newAccount();
	const credentialId = bed().addCredential(keys, { keyType: 'account' });
	const parameters = { ...LIST_OF_AREAS, areasOf };
	const { results } = await bed().engine.searchList({ field, parameters, credentialId, filter });
	return results.map(({ name, value }) => ({ name, value }));
}

describe('the countries of overseas dynamic proxies', () => {
	it('are all listed by their English names, with their codes as values', async () => {
		const list = await listed('region', 'overseasDynamicAreas');
		expect(list).toContainEqual({ name: 'Japan 日本 (JP)', value: 'JP' });
		expect(list.map(({ value }) => value).sort()).toEqual(COUNTRIES.map(({ code }) => code).sort());
		const names = list.map(({ name }) => name);
		expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
	});

	it.each(['japan', '日本', 'JP)'])('are found by %s', async (typed) => {
		expect(await listed('region', 'overseasDynamicAreas', typed)).toEqual([
			{ name: 'Japan 日本 (JP)', value: 'JP' },
		]);
	});
});

describe('the areas of a country, where overseas proxies are extracted', () => {
	const FPS = { resource: 'proxy', operation: 'extract', product: 'FPS', connection: 'tunnel' };

	async function areasOf(country: unknown) {
		const { keys } = bed().newAccount();
		const credentialId = bed().addCredential(keys, { keyType: 'account' });
		const region = { __rl: true, mode: 'list', value: country };
		const parameters = { ...FPS, region } as IDataObject;
		return await bed().engine.searchList({ field: 'area', parameters, credentialId });
	}

	it('are those of the chosen country', async () => {
		const { results } = await areasOf('SG');
		expect(results).toEqual([{ name: 'Singapore', value: 'Singapore' }]);
		expect((await areasOf('FR')).results).toContainEqual({
			name: 'Ile-de-France',
			value: 'Ile-de-France',
		});
	});

	it('need a country, and say so', async () => {
		await expect(areasOf('')).rejects.toThrow(/Choose a country in 'Country' first/);
		expect(bed().sandbox.log.count()).toBe(0);
	});
});

describe('the provinces of Tunnel Pro', () => {
	it('are all listed in both languages', async () => {
		const list = await listed('prov', 'tunnelProCities');
		expect(list).toContainEqual({ name: 'Zhejiang 浙江 (33)', value: '33' });
		expect(list).toHaveLength(TUNNEL_PROVINCES.length);
	});

	it('are found by what is typed', async () => {
		expect(await listed('prov', 'tunnelProCities', 'zhe')).toEqual([
			{ name: 'Zhejiang 浙江 (33)', value: '33' },
		]);
	});
});

describe('Area: Get Many', () => {
	async function refused(parameters: Record<string, string>) {
		const { keys } = bed().newAccount();
		const credentialId = bed().addCredential(keys, { keyType: 'account' });
		const { error } = await bed().engine.run({
			credentialId,
			parameters: { ...LIST_OF_AREAS, ...parameters },
		});
		expect(bed().sandbox.log.count()).toBe(0);
		return `${error?.message}. ${error?.description}`;
	}

	it('refuses a country and a province that are none, and asks nothing', async () => {
		expect(await refused({ areasOf: 'overseasDynamicAreas', region: 'usa' })).toMatch(
			/^'Country' is "usa".*two capital letters/,
		);
		expect(await refused({ areasOf: 'overseasDynamicAreas' })).toMatch(
			/^'Country' is empty.* Choose one from the list\./,
		);
		expect(await refused({ areasOf: 'tunnelProCities', prov: '330100' })).toMatch(
			/^'Province' is "330100".*2 digits/,
		);
		expect(await refused({ areasOf: 'everything' })).toMatch(/^'Areas Of' is "everything"/);
		expect(await refused({ operation: 'getCode', area: 'Atlantis' })).toMatch(
			/^'Name' is "Atlantis"/,
		);
	});

	it('says that a country has no areas', async () => {
		const { keys } = bed().newAccount();
		const credentialId = bed().addCredential(keys, { keyType: 'account' });
		const parameters = { ...LIST_OF_AREAS, areasOf: 'overseasDynamicAreas', region: 'ZZ' };
		const { items, hints } = await bed().engine.run({ credentialId, parameters });
		expect(items).toEqual([]);
		expect(hints[0].message).toMatch(/no areas for this country/);
	});
});
