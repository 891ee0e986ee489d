import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import type { OrderKind } from '../support/orderKeys.mts';
import { ALL, bed, getMany, orderCredential, records, sent } from './getMany.mts';

function accountCredential(changes?: ICredentialDataDecryptedObject): string {
	return bed().addCredential(bed().newAccount().keys, { keyType: 'account', ...changes });
}

const CARRIERS: Readonly<Record<number, { carrier_name: string; carrier: string }>> = {
	1: { carrier_name: '联通', carrier: 'China Unicom' },
	2: { carrier_name: '电信', carrier: 'China Telecom' },
	3: { carrier_name: '移动', carrier: 'China Mobile' },
};

describe('Private Proxy Resource: Get Many', () => {
	const HANGZHOU = { area_name: '杭州', area_code: 3301 };
	const of = (code: number) => ({ carrier_code: code, ...CARRIERS[code], available: true });
	const none = { carrier_name: '', carrier_code: -1, available: false };
	let before: ReadonlyMap<string, readonly (1 | 2 | 3)[]>;

	beforeAll(() => {
		const { privateStock } = bed().sandbox;
		before = new Map(privateStock);
		privateStock
			.set('3301', [1, 2, 3])
			.set('4403', [2])
			.set('5101', [])
			.set('11', [3])
			.set('31', []);
	});
	afterAll(() => {
		for (const [city, carriers] of before) bed().sandbox.privateStock.set(city, carriers);
	});

	it('gives every area and carrier of the order, with the English name of the carrier', async () => {
		const run = await getMany('privateProxyResource', ALL);
		const all = records(run);
		expect(all.filter(({ area_code }) => area_code === 3301)).toEqual([
			{ ...HANGZHOU, ...of(1) },
			{ ...HANGZHOU, ...of(2) },
			{ ...HANGZHOU, ...of(3) },
		]);
		expect(all.filter(({ area_code }) => area_code === 5101)).toEqual([
			{ area_name: '成都', area_code: 5101, ...none },
		]);
		expect(all.length).toBeGreaterThan(360);
		expect(sent('privateProxyResource')).toEqual([{}]);
	});

	it.each<[string, IDataObject[string], string]>([
		['with commas', '11,31,4403', '11,31,4403'],
		['with Chinese commas', '11，31、4403', '11,31,4403'],
		['with spaces', ' 11 31\t4403 ', '11,31,4403'],
		['as an array', '={{ ["11", 31, "4403"] }}', '11,31,4403'],
		['twice', '11,31,11', '11,31'],
		['picked', { __rl: true, mode: 'list', value: '4403' }, '4403'],
		['typed', { __rl: true, mode: 'code', value: '11，4403' }, '11,4403'],
		['typed as an array', { __rl: true, mode: 'code', value: '={{ [11, 4403] }}' }, '11,4403'],
		['as one number', '={{ 11 }}', '11'],
	])('takes areas %s', async (_how, area, text) => {
		const run = await getMany('privateProxyResource', { area, ...ALL });
		const codes = new Set(records(run).map(({ area_code }) => String(area_code)));
		expect([...codes]).toEqual(text.split(','));
		expect(sent('privateProxyResource')).toEqual([{ area: text }]);
	});

	describe('Only Available', () => {
		const area = '3301,5101,31,4403';

		it('leaves out what the order cannot use, before it counts', async () => {
			const fields = { area, onlyAvailable: true, limit: 4 };
			const codes = records(await getMany('privateProxyResource', fields)).map((one) => [
				one.area_code,
				one.carrier_code,
				one.available,
			]);
			expect(codes).toEqual([
				[3301, 1, true],
				[3301, 2, true],
				[3301, 3, true],
				[4403, 2, true],
			]);
			// It is the node's own field
			expect(sent('privateProxyResource')).toEqual([{ area }]);
		});

		it.each([false, '={{ false }}', '={{ "" }}'])(
			'leaves nothing out with %p',
			async (onlyAvailable) => {
				const run = await getMany('privateProxyResource', { area, onlyAvailable });
				expect(records(run)).toHaveLength(6);
			},
		);

		it('that leaves nothing over gives a hint', async () => {
			const run = await getMany('privateProxyResource', { area: '5101,31', onlyAvailable: true });
			expect(records(run)).toEqual([]);
			expect(run.hints).toEqual([
				{
					message:
						"The order has no matching areas or carriers. Try another area or carrier, or turn off 'Only Available'.",
					location: 'outputPane',
				},
			]);
		});
	});

	it('asks for each item by its own fields', async () => {
		const items = [{ area: ['3301'] }, { area: '4403' }];
		const run = await getMany(
			'privateProxyResource',
			{ area: '={{ $json.area }}', carrier: 2 },
			{ items },
		);
		expect(records(run)).toEqual([
			{ ...HANGZHOU, ...of(2) },
			{ area_name: '深圳', area_code: 4403, ...of(2) },
		]);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('tells of the key pair of the account in a credential that calls it an order', async () => {
		const credentialId = accountCredential({ keyType: 'order' });
		const { error } = await getMany('privateProxyResource', {}, { credentialId });
		expect(error).toMatchObject({ httpCode: '-123' });
		expect(error?.message).toContain('this kind of key pair');
	});

	it.each<OrderKind>(['open-proxy', 'dedicated-proxy', 'tunnel-proxy', 'overseas static'])(
		'tells that the key pair of a %s order does not fit',
		async (kind) => {
			const credentialId = orderCredential(kind);
			const { error, items } = await getMany('privateProxyResource', {}, { credentialId });
			expect(items).toEqual([]);
			expect(error).toMatchObject({
				message: 'This order is not a private proxy order',
				httpCode: '-3',
			});
			expect(error?.description).toContain('the key pair of a private proxy order');
		},
	);
});
