import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { TUNNEL_PROVINCES } from '../../../sandbox/catalogue/chineseAreas.mts';
import { COUNTRIES } from '../../../sandbox/catalogue/countries.mts';
import { addManyOrders } from '../../../sandbox/sandbox.mts';
import { type OrderKind, ownParameters } from '../../operations/world.mts';
import { API } from '../support/api.mts';
import { Customer, picked } from '../support/customer.mts';
import { sleep } from '../support/sleep.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench();

/** It can use every order. */
const ANY_ORDER = { resource: 'order', operation: 'get' };
const LIST_OF_CITIES = { resource: 'city', operation: 'getAll' };
const ORDER = { resource: 'order', operation: 'create', product: 'KPS', payType: 'PRE_PAY' };
const SHARED_ORDER = { ...ORDER, kpsSerie: 1, kpsModel: 'STA', kpsMaxBandwidth: 1 };
const LIST_OF_RESOURCES = { resource: 'privateProxyResource', operation: 'getAll' };

/** Somebody with keys of their own who fills in the node in the editor. */
class Editor {
	constructor(readonly credentialId: string) {}

	static ofAccount(changes?: ICredentialDataDecryptedObject): Editor {
		const account = bed().newAccount();
		addManyOrders(bed().sandbox.store, account, bed().sandbox.clock.now(), { count: 10 });
		return new Editor(bed().addCredential(account.keys, { keyType: 'account', ...changes }));
	}

	static ofOrder(kind: OrderKind, changes?: ICredentialDataDecryptedObject): Editor {
		return new Editor(new Customer(bed(), { kind, credential: changes }).credentialId);
	}

	/** With a key pair that the list can be had with. */
	static for(path: string, changes?: ICredentialDataDecryptedObject): Editor {
		return path === API.dpsresources ? Editor.ofOrder('dps', changes) : Editor.ofAccount(changes);
	}

	private async open(field: string, parameters: IDataObject, filter?: string) {
		const { credentialId } = this;
		return await bed().engine.searchList({ field, parameters, credentialId, filter });
	}

	/** Labels and values, as they are shown. */
	async list(field: string, parameters: IDataObject, filter?: string) {
		const { results, paginationToken } = await this.open(field, parameters, filter);
		expect(paginationToken).toBeUndefined();
		return results.map(({ name, value }) => ({ name, value }));
	}

	async values(field: string, parameters: IDataObject, filter?: string) {
		return (await this.list(field, parameters, filter)).map(({ value }) => value);
	}

	async failure(field: string, parameters: IDataObject): Promise<Error> {
		const outcome: unknown = await this.open(field, parameters).catch((error: unknown) => error);
		if (outcome instanceof Error) return outcome;
		throw new Error(`It did not fail: ${JSON.stringify(outcome)}`);
	}
}

/** What arrived at the service. */
function asked(path: string) {
	return bed().sandbox.log.entries(path).map(ownParameters);
}

beforeAll(() => {
	const { stock, privateStock } = bed().sandbox;
	for (const city of stock) {
		if (city.code.startsWith('33')) city.sharedMegabits = 0;
		if (city.code === '3301') Object.assign(city, { sharedMegabits: 12, hasExclusive: true });
		if (city.code === '3302') Object.assign(city, { sharedMegabits: 3, hasExclusive: false });
		if (city.code === '6101') city.sharedMegabits = 9;
		if (city.code === '6501') city.sharedMegabits = 2;
		if (city.code === '11') city.sharedMegabits = 1234;
	}
	for (const code of privateStock.keys()) {
		if (code.startsWith('33')) privateStock.set(code, []);
	}
	privateStock.set('3301', [1, 2]).set('11', [2]);
});

/** The lists, each with a place where it is offered, and a text that finds one of its entries. */
const PICKERS: ReadonlyArray<
	[name: string, field: string, parameters: IDataObject, path: string, one: string]
> = [
	['City of City: Get Many', 'city', LIST_OF_CITIES, API.querykpscity, 'Hangzhou'],
	['City of Order: Create', 'kpsCity', SHARED_ORDER, API.querykpscity, 'Hangzhou'],
	[
		'Area of Private Proxy Resource: Get Many',
		'area',
		LIST_OF_RESOURCES,
		API.dpsresources,
		'Hangzhou',
	],
	['Order of Order: Get', 'orderid', ANY_ORDER, API.getaccountorders, 'Pay-As-You-Go'],
];

it.each([
	['Hang zhou', ['3301']],
	['杭州', ['3301']],
	['3301', ['3301']],
	['Zhe jiang', ['3301', '3302', '3211']],
])('what is typed is found by name and code: %s', async (typed, found) => {
	expect(await Editor.ofAccount().values('kpsCity', SHARED_ORDER, typed)).toEqual(found);
});

describe.each(PICKERS)('%s', (_name, field, parameters, path, one) => {
	it('asks once in a minute, whatever is typed meanwhile, and then again', async () => {
		const editor = Editor.for(path);
		const started = performance.now.bind(performance);
		let later = 0;
		const clock = jest.spyOn(performance, 'now').mockImplementation(() => started() + later);
		try {
			const first = await editor.values(field, parameters);
			for (const typed of ['h', 'ha', one, '']) await editor.values(field, parameters, typed);
			later += 59_000;
			expect(await editor.values(field, parameters)).toEqual(first);
			expect(asked(path)).toHaveLength(1);
			later += 1_000;
			// The service has another clock, and keeps its pace
			await sleep(1100);
			expect(await editor.values(field, parameters)).toEqual(first);
			expect(asked(path)).toHaveLength(2);
		} finally {
			clock.mockRestore();
		}
	});

	it('tells the answer of one credential to no other', async () => {
		const [mine, yours] = [Editor.for(path), Editor.for(path)];
		await mine.values(field, parameters);
		await yours.values(field, parameters);
		const keys = bed()
			.sandbox.log.entries(path)
			.map(({ parameters: { secret_id } }) => secret_id);
		expect(new Set(keys).size).toBe(2);
	});

	it('does not show what a right key was told to a wrong key of the same name', async () => {
		const editor = Editor.for(path);
		await editor.values(field, parameters);
		const { credentials } = bed().engine;
		credentials.edit(editor.credentialId, { secretKey: 'wrong' });
		const { message } = await editor.failure(field, parameters);
		expect(message).toMatch(
			/^Secret Key doesn't belong to Secret ID\. .*'Secret ID' and 'Secret Key'/,
		);
		expect(message).toContain('(code -104)');
	});

	it('is filled with a token as well, which is fetched once', async () => {
		const editor = Editor.for(path, { signType: 'token' });
		expect(await editor.values(field, parameters, one)).toHaveLength(1);
		expect(bed().sandbox.log.count(API.get_secret_token)).toBe(1);
		expect(bed().sandbox.log.last(path)?.parameters).not.toHaveProperty('nonce');
	});

	it.each([
		[
			'a refusal',
			{ kind: 'code', code: -108, msg: '原因在此' },
			/API whitelist.*原因在此 \(code -108\)/,
		],
		['an unknown code', { kind: 'code', code: -77, msg: '原因' }, /code -77: 原因/],
		['a gateway', { kind: 'status', status: 502 }, /HTTP status 502/],
		['a cut connection', { kind: 'cut' }, /was lost before the whole response arrived/],
		['half an answer', { kind: 'halfBody' }, /^Kuaidaili's response/],
		['no list', { kind: 'raw', body: '{"code":0,"msg":"","data":{}}' }, /contains no list/],
		[
			'an empty list',
			{ kind: 'raw', body: '{"code":0,"msg":"","data":[]}' },
			/(right now|no active orders)\.$/,
		],
		['silence', { kind: 'hang' }, /within 15 seconds\. Try again in a few minutes/],
	] as const)('shows why it is empty: %s', async (_what, fault, reason) => {
		bed().sandbox.faults.add({ ...fault, path });
		const error = await Editor.for(path).failure(field, parameters);
		expect(error.message).toMatch(reason);
		expect(error.message).toMatch(/[.…]$/);
		expect(error.message).not.toContain('[item');
		expect(['NodeApiError', 'NodeOperationError']).toContain(error.name);
	});

	it('shows no key that an answer repeats', async () => {
		const body = JSON.stringify(bed().sandbox.keys);
		bed().sandbox.faults.add({ kind: 'status', status: 502, body, path });
		const { secretKey } = bed().sandbox.keys.account;
		const editor = Editor.for(path, { secretKey });
		const error = await editor.failure(field, parameters);
		expect(error.message).toContain('HTTP status 502');
		expect(JSON.stringify(error) + error.message).not.toContain(secretKey);
	});
});

it('a picked value is what the node then sends', async () => {
	const editor = Editor.ofAccount();
	const [value] = await editor.values('city', LIST_OF_CITIES, 'Hangzhou');
	const city = picked(value);
	const { items } = await bed().engine.run({
		credentialId: editor.credentialId,
		parameters: { ...LIST_OF_CITIES, city },
	});
	expect(items.map(({ json }) => json)).toEqual([
		{ code: '3301', name: '杭州市', city: 'Hangzhou', count: 12 },
	]);
});

describe('the cities of an order', () => {
	it('are named in both languages, with what is left, in the order of their English names', async () => {
		const list = await Editor.ofAccount().list('kpsCity', SHARED_ORDER);
		expect(list).toContainEqual({ name: 'Hangzhou 杭州市 (3301), 12 left', value: '3301' });
		expect(list).toContainEqual({ name: 'Beijing 北京市 (11), 1,234 left', value: '11' });
		expect(list).toContainEqual({ name: 'Ürümqi 乌鲁木齐市 (6501), 2 left', value: '6501' });
		const names = list.map(({ name }) => name);
		expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
		for (const name of names) expect(name).toMatch(/^[A-ZÜ].* \p{Script=Han}+ \(\d{2,4}\), /u);
		// Exactly those that have any
		const inStock = bed().sandbox.stock.filter(({ sharedMegabits }) => sharedMegabits > 0);
		expect(new Set(list.map(({ value }) => value))).toEqual(
			new Set(inStock.map(({ code }) => code)),
		);
	});

	it('follow series, model and bandwidth', async () => {
		const editor = Editor.ofAccount();
		const fast = { ...SHARED_ORDER, kpsMaxBandwidth: 4 };
		expect(await editor.list('kpsCity', fast, 'Zhejiang')).toEqual([
			{ name: 'Hangzhou 杭州市 (3301), 3 left', value: '3301' },
		]);
		const exclusive = { ...SHARED_ORDER, kpsSerie: 2 };
		expect(await editor.list('kpsCity', exclusive, 'Hangzhou')).toEqual([
			{ name: 'Hangzhou 杭州市 (3301)', value: '3301' },
		]);
		expect(await editor.values('kpsCity', exclusive, 'Ningbo')).toEqual([]);
		expect(asked(API.querykpscity)).toEqual([
			{ serie: '1', 'kps.max_bandwidth': '4', model: 'STA' },
			{ serie: '2' },
		]);
	});

	it('take no notice of a city that is chosen already', async () => {
		const kpsCity = picked('3302');
		const list = await Editor.ofAccount().values('kpsCity', { ...SHARED_ORDER, kpsCity }, 'Hang');
		expect(list).toEqual(['3301']);
	});

	it('of dynamic IPs have no list, which is explained, and nothing is asked', async () => {
		const fields = { ...SHARED_ORDER, kpsModel: 'DYN' };
		const { message } = await Editor.ofAccount().failure('kpsCity', fields);
		expect(message).toContain('Kuaidaili has no list of cities for shared dynamic IPs');
		expect(message).toContain("choose 'Name'");
		expect(asked(API.querykpscity)).toEqual([]);
	});

	it.each<[string, IDataObject]>([
		['Series', { kpsSerie: '={{ $json.serie }}' }],
		['Model', { kpsModel: '={{ $json.model }}' }],
		['Max Bandwidth', { kpsMaxBandwidth: '={{ $json.bandwidth }}' }],
		// What the editor hands over when it cannot work an expression out
		['Max Bandwidth', { kpsMaxBandwidth: null }],
	])('explain that an expression in %s keeps them from loading', async (label, fields) => {
		const parameters = { ...SHARED_ORDER, ...fields };
		const { message } = await Editor.ofAccount().failure('kpsCity', parameters);
		expect(message).toMatch(new RegExp(`^'${label}' (?:is empty|can't be .*)\\. Allowed: `));
		expect(message).toContain(
			"The list needs fixed values in the fields above it. If you use an expression there, choose 'By Code' and enter the code.",
		);
		expect(asked(API.querykpscity)).toEqual([]);
	});
});

describe('the cities of City: Get Many', () => {
	it('come with their provinces, since the filter takes both', async () => {
		const list = await Editor.ofAccount().list('city', LIST_OF_CITIES, 'Zhejiang');
		expect(list).toEqual([
			{ name: 'Hangzhou 杭州市 (3301), 12 left', value: '3301' },
			{ name: 'Ningbo 宁波市 (3302), 3 left', value: '3302' },
			{ name: 'Zhejiang 浙江 (33), the whole province', value: '33' },
		]);
		expect(asked(API.querykpscity)).toEqual([
			{ serie: '1', 'kps.max_bandwidth': '1', model: 'STA' },
		]);
	});

	it('name a municipality once', async () => {
		const list = await Editor.ofAccount().values('city', LIST_OF_CITIES, 'Beijing');
		expect(list).toEqual(['11']);
	});

	it('can be had with the key pair of a dedicated-proxy order as well', async () => {
		const editor = Editor.ofOrder('kps');
		expect(await editor.values('city', LIST_OF_CITIES, '3301')).toEqual(['3301']);
	});
});

describe('the areas of a private-proxy order', () => {
	it('are there once each, with what cannot be had now', async () => {
		const editor = Editor.ofOrder('dps');
		const list = await editor.list('area', LIST_OF_RESOURCES);
		expect(list).toContainEqual({ name: 'Hangzhou 杭州 (3301)', value: '3301' });
		expect(list).toContainEqual({ name: 'Zhejiang 浙江 (33)', value: '33' });
		expect(list).toContainEqual({ name: 'Beijing 北京 (11)', value: '11' });
		expect(list).toContainEqual({ name: 'Ningbo 宁波 (3302), not available now', value: '3302' });
		const values = list.map(({ value }) => value);
		expect(new Set(values).size).toBe(values.length);
		expect(asked(API.dpsresources)).toEqual([{}]);
	});

	it('are found by their province', async () => {
		const editor = Editor.ofOrder('dps');
		const list = await editor.values('area', LIST_OF_RESOURCES, '浙江');
		expect(list).toHaveLength(12);
		expect(list).toEqual(expect.arrayContaining(['33', '3301', '3311']));
	});

	it('cannot be had with the key pair of the account alone, and nothing is asked', async () => {
		const { message } = await Editor.ofAccount().failure('area', LIST_OF_RESOURCES);
		expect(message).toContain('Choose an order from the list, or enter its number');
		expect(asked(API.dpsresources)).toEqual([]);
	});

	it.each<OrderKind>(['tps', 'kps', 'opsVip'])(
		'cannot be had with the key pair of a %s order',
		async (kind) => {
			const { message } = await Editor.ofOrder(kind).failure('area', LIST_OF_RESOURCES);
			expect(message).toMatch(/^This order is not a private proxy order\. Choose /);
			expect(message).toContain('(code -3)');
		},
	);
});

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

	async function areasOf(country: IDataObject[string]) {
		const { keys } = bed().newAccount();
		const credentialId = bed().addCredential(keys, { keyType: 'account' });
		const region = picked(country);
		const parameters = { ...FPS, options: { region, area: '' } } as IDataObject;
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
			/^'Country' can't be "usa".*two capital letters/,
		);
		expect(await refused({ areasOf: 'overseasDynamicAreas' })).toMatch(
			/^'Country' is empty.* Choose one from the list\./,
		);
		expect(await refused({ areasOf: 'tunnelProCities', prov: '330100' })).toMatch(
			/^'Province' can't be "330100".*2 digits/,
		);
		expect(await refused({ areasOf: 'everything' })).toMatch(/^'Areas Of' can't be "everything"/);
		expect(await refused({ operation: 'getCode', area: 'Atlantis' })).toMatch(
			/^'Name' can't be "Atlantis"/,
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
