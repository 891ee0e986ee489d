import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { call, type Parameters, type Reply } from '../client.mts';
import { field, startShop } from '../ordering.mts';

const PATH = '/api/dpsresources';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

async function query(
	parameters: Parameters,
	key: keyof Sandbox['keys'] = 'dps',
): Promise<Reply['json']> {
	return (await call(sandbox.hosts.dpsUrl, PATH, sandbox.keys[key], parameters)).json;
}

async function records(parameters: Parameters): Promise<unknown[]> {
	const { code, msg, data } = await query(parameters);
	expect({ code, msg }).toEqual({ code: 0, msg: 'success' });
	if (!Array.isArray(data)) throw new TypeError('The data is no list');
	return data;
}

function some() {
	sandbox.privateStock.clear();
	sandbox.privateStock.set('11', [2]);
	sandbox.privateStock.set('3301', [3, 1]);
	sandbox.privateStock.set('3302', [1, 2]);
	sandbox.privateStock.set('4403', []);
}

const none = { carrier_name: '', carrier_code: -1, available: false };
const unicom = { carrier_name: '联通', carrier_code: 1, available: true };
const telecom = { carrier_name: '电信', carrier_code: 2, available: true };
const mobile = { carrier_name: '移动', carrier_code: 3, available: true };
const beijing = { area_name: '北京', area_code: 11 };
const zhejiang = { area_name: '浙江', area_code: 33 };
const hangzhou = { area_name: '杭州', area_code: 3301 };
const shenzhen = { area_name: '深圳', area_code: 4403 };

describe('records', () => {
	beforeEach(some);

	it('are one for each area and carrier, in the order of the request', async () => {
		expect(await records({ area: '4403,33,11,3301' })).toEqual([
			{ ...shenzhen, ...none },
			{ ...zhejiang, ...unicom },
			{ ...zhejiang, ...telecom },
			{ ...zhejiang, ...mobile },
			{ ...beijing, ...telecom },
			{ ...hangzhou, ...unicom },
			{ ...hangzhou, ...mobile },
		]);
	});

	it('are the same when no carrier is asked for', async () => {
		const all = await records({ area: '11,33' });
		expect(await records({ area: '11,33', carrier: '0' })).toEqual(all);
	});

	it.each([
		['1', [none, unicom, unicom]],
		['2', [telecom, telecom, none]],
		['3', [none, mobile, mobile]],
	])('are one for each area with carrier %s', async (carrier, [inBeijing, ...inOthers]) => {
		expect(await records({ area: '11,33,3301', carrier })).toEqual([
			{ ...beijing, ...inBeijing },
			{ ...zhejiang, ...inOthers[0] },
			{ ...hangzhou, ...inOthers[1] },
		]);
	});

	it('come once, also of an area that is named twice', async () => {
		expect(await records({ area: '11,11' })).toEqual([{ ...beijing, ...telecom }]);
	});

	it('say so where there is nothing', async () => {
		sandbox.privateStock.clear();
		expect(await records({ area: '11' })).toEqual([{ ...beijing, ...none }]);
		const all = await records({});
		expect(all.length).toBeGreaterThan(230);
		for (const each of all) expect(each).toMatchObject(none);
	});
});

describe('from the start', () => {
	it('all areas are provinces and their cities, some of them with nothing', async () => {
		const all = await records({});
		const codes = new Set(all.map((each) => field(each, 'area_code')));
		expect([...codes].filter((code) => code.length === 2).length).toBeGreaterThanOrEqual(30);
		expect([...codes].filter((code) => code.length === 4).length).toBeGreaterThanOrEqual(200);

		const available = all.filter((each) => Object(each).available === true);
		expect(available.length).toBeGreaterThan(200);
		expect(all.length - available.length).toBeGreaterThan(50);
		for (const each of all) {
			expect(each).toEqual({
				area_name: expect.stringMatching(/^\p{Script=Han}+$/u),
				area_code: expect.any(Number),
				carrier_name: expect.stringMatching(/^(联通|电信|移动)?$/),
				carrier_code: expect.any(Number),
				available: field(each, 'carrier_code') !== '-1',
			});
		}
		expect(available.map((each) => field(each, 'carrier_code'))).toEqual(
			expect.arrayContaining(['1', '2', '3']),
		);
	});

	it('an empty area is the same as none, and every sandbox has the same', async () => {
		const all = await records({});
		expect(await records({ area: '' })).toEqual(all);
		const other = await startShop();
		expect(other.privateStock).toEqual(sandbox.privateStock);
		await other.close();
	});
});
