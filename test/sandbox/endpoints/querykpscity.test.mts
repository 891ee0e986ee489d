import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { ask, startShop, create, field, ORDERS } from '../ordering.mts';
import type { Parameters } from '../client.mts';

const PATH = '/api/querykpscity';
const SHARED = { serie: '1', model: 'STA', 'kps.max_bandwidth': '1' };
const EXCLUSIVE = { serie: '2' };

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

const query = (parameters: Parameters, key: keyof Sandbox['keys'] = 'account') =>
	ask(sandbox, PATH, sandbox.keys[key], parameters);

const NOTHING = { code: 0, msg: 'no available kps found', data: [] };

async function records(parameters: Parameters): Promise<unknown[]> {
	const { code, msg, data } = await query(parameters);
	expect({ code, msg }).toEqual({ code: 0, msg: '' });
	if (!Array.isArray(data)) throw new TypeError('The data is no list');
	return data;
}

function cityOf(code: string) {
	const city = sandbox.stock.find((each) => each.code === code);
	if (!city) throw new Error(`There is no city ${code}`);
	return city;
}

describe('cities', () => {
	const some = () =>
		sandbox.stock.splice(
			0,
			Infinity,
			{ code: '11', name: '北京市', sharedMegabits: 0, hasExclusive: true },
			{ code: '3301', name: '杭州市', sharedMegabits: 12, hasExclusive: true },
			{ code: '3302', name: '宁波市', sharedMegabits: 5, hasExclusive: false },
			{ code: '4403', name: '深圳市', sharedMegabits: 1, hasExclusive: false },
		);

	it('with shared proxies have a count', async () => {
		some();
		expect(await records(SHARED)).toEqual([
			{ code: '3301', name: '杭州市', count: 12 },
			{ code: '3302', name: '宁波市', count: 5 },
			{ code: '4403', name: '深圳市', count: 1 },
		]);
	});

	it.each([
		['2', [6, 2]],
		['4', [3, 1]],
		['6', [2]],
		['10', [1]],
	])('have fewer with %s Mb/s', async (bandwidth, counts) => {
		some();
		const found = await records({ ...SHARED, 'kps.max_bandwidth': bandwidth });
		expect(found.map((each) => Object(each).count)).toEqual(counts);
	});

	it('with exclusive proxies have none', async () => {
		some();
		expect(await records(EXCLUSIVE)).toEqual([
			{ code: '11', name: '北京市' },
			{ code: '3301', name: '杭州市' },
		]);
	});

	it.each([
		['33', ['3301', '3302']],
		['3302', ['3302']],
		['44', ['4403']],
		['', ['3301', '3302', '4403']],
	])('of region "%s"', async (city, codes) => {
		some();
		const found = await records({ ...SHARED, city });
		expect(found.map((each) => field(each, 'code'))).toEqual(codes);
	});

	it.each(['11', '1101', '35', '9999', '00'])('none in region %s', async (city) => {
		some();
		expect(await query({ ...SHARED, city })).toEqual(NOTHING);
	});

	it('none at all', async () => {
		sandbox.stock.length = 0;
		expect(await query(SHARED)).toEqual(NOTHING);
		expect(await query(EXCLUSIVE)).toEqual(NOTHING);
	});

	it('as many as one asks for, of whatever is changed', async () => {
		cityOf('3301').sharedMegabits = 7;
		cityOf('3301').hasExclusive = false;
		const hangzhou = { city: '3301' };
		expect(await records({ ...SHARED, ...hangzhou })).toMatchObject([{ count: 7 }]);
		expect(await query({ ...EXCLUSIVE, ...hangzhou })).toEqual(NOTHING);
	});
});

describe('from the start', () => {
	it('there are many, and the same ones in every sandbox', async () => {
		const shared = await records(SHARED);
		expect(shared.length).toBeGreaterThan(200);
		expect(shared.length).toBeLessThan(sandbox.stock.length);
		const exclusive = await records(EXCLUSIVE);
		expect(exclusive.length).toBeGreaterThan(100);

		const provinces = shared.map((each) => field(each, 'code').slice(0, 2));
		expect(new Set(provinces).size).toBeGreaterThanOrEqual(28);
		for (const each of shared) {
			expect(each).toEqual({
				code: expect.stringMatching(/^(1[12]|31|50|\d{4})$/),
				name: expect.stringMatching(/^\p{Script=Han}+$/u),
				count: expect.any(Number),
			});
		}

		const other = await startShop();
		expect(other.stock).toEqual(sandbox.stock);
		await other.close();
	});

	it('cities and municipalities have their national codes', async () => {
		const names = new Map(sandbox.stock.map(({ code, name }) => [code, name]));
		expect(names.size).toBe(sandbox.stock.length);
		expect([...names]).toEqual(
			expect.arrayContaining([
				['11', '北京市'],
				['31', '上海市'],
				['3301', '杭州市'],
				['4403', '深圳市'],
				['2224', '延边朝鲜族自治州'],
				['6501', '乌鲁木齐市'],
				['4604', '儋州市'],
			]),
		);
	});
});

describe('and createorder', () => {
	const order = (city: string, count: number, bandwidth = '1') =>
		create(sandbox, {
			...ORDERS.kpsStatic,
			'kps.city': city,
			'kps.max_bandwidth': bandwidth,
			'kps.ip_count': String(count),
		});

	async function countIn(city: string, bandwidth = '1'): Promise<number> {
		const { data } = await query({ ...SHARED, city, 'kps.max_bandwidth': bandwidth });
		return Array.isArray(data) ? Number(Object(data[0] ?? { count: 0 }).count) : NaN;
	}

	it.each(['1', '2', '4', '6', '10'])(
		'agree about the largest number with %s Mb/s, which then is gone',
		async (bandwidth) => {
			const count = await countIn('3301', bandwidth);
			expect(count).toBeGreaterThan(0);
			expect((await order('3301', count + 1, bandwidth)).code).toBe(-62);
			expect((await order('3301', count, bandwidth)).code).toBe(0);
			expect(await countIn('3301', bandwidth)).toBe(0);
			expect((await order('3301', 1, bandwidth)).code).toBe(-61);
		},
	);

	it('the count falls by what was ordered', async () => {
		expect(await countIn('3301')).toBe(24);
		expect((await order('3301', 5)).code).toBe(0);
		expect(await countIn('3301')).toBe(19);
		expect((await order('3301', 2, '4')).code).toBe(0);
		expect(await countIn('3301')).toBe(11);
	});

	it('in no region in particular the largest of all counts is the most', async () => {
		const counts = (await records(SHARED)).map((each) => Number(Object(each).count));
		const most = Math.max(...counts);
		expect(most).toBe(40);
		expect((await order('', most + 1)).code).toBe(-62);
		expect((await order('', most)).code).toBe(0);
		expect((await order('', most)).code).toBe(-62);
	});
});
