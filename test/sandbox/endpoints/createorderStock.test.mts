import { call } from '../client.mts';
import { accountOf, create, CREATE, field, orderOf, ORDERS } from '../ordering.mts';
import { codeOf, codesOf, sandbox } from './buying.mts';

describe('-61 and -62: the stock of dedicated proxies', () => {
	const shared = (city: string, count: number, bandwidth = 1) =>
		codeOf({
			...ORDERS.kpsStatic,
			'kps.city': city,
			'kps.ip_count': String(count),
			'kps.max_bandwidth': String(bandwidth),
		});

	const fill = () =>
		sandbox.stock.splice(
			0,
			Infinity,
			{ code: '3301', name: '杭州市', sharedMegabits: 12, hasExclusive: true },
			{ code: '3302', name: '宁波市', sharedMegabits: 20, hasExclusive: false },
			{ code: '11', name: '北京市', sharedMegabits: 0, hasExclusive: true },
		);

	beforeEach(fill);

	it('no more than the city has', async () => {
		expect(await shared('3301', 13)).toBe(-62);
		expect(await shared('3301', 999_999_999)).toBe(-62);
		expect(await shared('3301', 12)).toBe(0);
	});

	it('fewer with more bandwidth', async () => {
		expect(await shared('3301', 3, 6)).toBe(-62);
		expect(await shared('3301', 2, 10)).toBe(-62);
		expect(await shared('3301', 2, 6)).toBe(0);
	});

	it('of a province or anywhere: where there are enough', async () => {
		const orderIn = async (region: string, count: number) =>
			orderOf(
				sandbox,
				await create(sandbox, {
					...ORDERS.kpsStatic,
					'kps.city': region,
					'kps.ip_count': String(count),
				}),
			);
		for (const region of ['33', '']) {
			fill();
			expect(await shared(region, 21)).toBe(-62);
			expect(await orderIn(region, 15)).toMatchObject({ city: '3302' });
			expect(await shared(region, 13)).toBe(-62);
			expect(await shared(region, 12)).toBe(0);
			expect(await orderIn(region, 5)).toMatchObject({ city: '3302' });
		}
		fill();
		expect(await orderIn('33', 1)).toMatchObject({ city: expect.stringMatching(/^330[12]$/) });
	});

	it('-61 where there is nothing', async () => {
		expect(await shared('11', 1)).toBe(-61);
		expect(await shared('1101', 1)).toBe(-61);
		expect(await shared('9999', 1)).toBe(-61);
		sandbox.stock.length = 0;
		expect(await shared('', 1)).toBe(-61);
	});

	it('exclusive ones are in the cities that have them', async () => {
		const exclusive = (city: string, count = '10') =>
			codeOf({ ...ORDERS.kpsExclusive, 'kps.city': city, 'kps.ip_count': count });
		expect(await exclusive('11')).toBe(0);
		expect(await exclusive('3301')).toBe(0);
		expect(await exclusive('3302')).toBe(-61);
		expect(await exclusive('3301', '11')).toBe(-2);
	});

	it('is used up by orders', async () => {
		expect(await shared('3301', 2, 4)).toBe(0);
		expect(await shared('3301', 5)).toBe(-62);
		expect(await codeOf({ ...ORDERS.kpsDynamic, 'kps.city': '3301', 'kps.ip_count': '4' })).toBe(0);
		expect(await shared('3301', 1)).toBe(-61);
		expect(await shared('3302', 20)).toBe(0);
	});

	it('but not by what was refused', async () => {
		accountOf(sandbox).balanceInFen = 0;
		expect(await shared('3301', 12)).toBe(-4);
		expect(sandbox.stock[0]?.sharedMegabits).toBe(12);
	});

	it('and not by exclusive ones', async () => {
		const exclusive = { ...ORDERS.kpsExclusive, 'kps.city': '3301', 'kps.ip_count': '10' };
		expect(await codesOf([exclusive, exclusive])).toEqual([0, 0]);
		expect(await shared('3301', 12)).toBe(0);
	});
});

describe('order numbers', () => {
	async function text(): Promise<string> {
		const reply = await call(sandbox.hosts.baseUrl, CREATE, sandbox.keys.account, ORDERS.ops);
		expect(reply.json.code).toBe(0);
		return reply.text;
	}

	it('are text of 15 digits', async () => {
		expect(await text()).toMatch(/"orderid":"\d{15}"\}/);
	});

	it('or of 16', async () => {
		sandbox.settings.orderNumbers = '16 digits';
		expect(await text()).toMatch(/"orderid":"\d{16}"\}/);
	});

	it('or a number that JavaScript does not hold, in renewals too', async () => {
		sandbox.settings.orderNumbers = 'unsafe number';
		for (let round = 0; round < 3; round += 1) {
			const created = await text();
			const digits = /"orderid":(\d{16})\}/.exec(created)?.[1] ?? '';
			expect(field(JSON.parse(created).data, 'orderid')).not.toBe(digits);
			const { keys } = sandbox.store.orderNumbered(digits);
			const renewal = { time_type: 'DAY', time_number: '1' };
			const reply = await call(sandbox.hosts.baseUrl, '/api/reneworder', keys, renewal);
			expect(reply.text).toContain(`"orderid":${digits},`);
		}
	});

	it('the store says so when it has no such order', () => {
		expect(() => sandbox.store.orderNumbered('1')).toThrow('no order "1"');
	});
});
