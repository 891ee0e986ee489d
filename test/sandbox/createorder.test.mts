import type { Sandbox } from '../../sandbox/sandbox.mts';
import { call, post, signed, type Parameters } from './client.mts';
import {
	accountOf,
	ask,
	corners,
	create,
	CREATE,
	field,
	orderOf,
	ORDERS,
	startShop,
	without,
	type OrderName,
} from './ordering.mts';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

async function codeOf(parameters: Parameters): Promise<number> {
	return (await create(sandbox, parameters)).code;
}

/** The code of each, and that money was taken for exactly those with code 0. */
async function codesOf(many: Parameters[]): Promise<number[]> {
	const codes: number[] = [];
	for (const parameters of many) codes.push(await codeOf(parameters));
	expect(sandbox.ledger.count()).toBe(codes.filter((code) => code === 0).length);
	return codes;
}

const NAMES = Object.keys(ORDERS).filter((name): name is OrderName => name in ORDERS);

describe('what was ordered is in the store', () => {
	const prepaid = {
		payType: 'PRE_PAY',
		status: 'VALID',
		notify: true,
		renewal: 'possible',
		autoRenewal: { enabled: false, unit: 'MONTH' },
	};
	const expected: Record<OrderName, object> = {
		tps: { ...prepaid, product: 'TPS', period: 0, maxRps: 5, maxBandwidth: 5 },
		tpsPayAsUsed: {
			payType: 'POST_PAY',
			product: 'TPS',
			period: 60,
			maxRps: 5,
			maxBandwidth: 3,
			expiresAt: undefined,
		},
		dpsEven: {
			...prepaid,
			product: 'DPS',
			fetchType: 1,
			period: 'M_3_5',
			ipCount: 2500,
			ipBalance: undefined,
			whiteipCount: 50,
		},
		dpsConcentrated: { ...prepaid, product: 'DPS', fetchType: 2, period: 'M_1_5', ipCount: 1000 },
		dpsPerIp: {
			payType: 'PRE_PAY_IP',
			product: 'DPS',
			fetchType: undefined,
			period: 'M_1_5',
			ipCount: 1000,
			ipBalance: 1000,
		},
		kpsStatic: {
			...prepaid,
			product: 'KPS',
			series: 'shared',
			model: 'STA',
			city: expect.stringMatching(/^(\d{2}){1,2}$/),
			maxBandwidth: 1,
			ipCount: 1,
			whiteipCount: 50,
		},
		kpsDynamic: { ...prepaid, product: 'KPS', series: 'shared', model: 'DYN' },
		kpsExclusive: { ...prepaid, product: 'KPS', series: 'exclusive', model: undefined },
		ops: { ...prepaid, product: 'OPS', plan: 'VIP' },
	};

	it.each(NAMES)('%s, with the defaults', async (name) => {
		const order = orderOf(sandbox, await create(sandbox, ORDERS[name]));
		expect(order).toMatchObject(expected[name]);
		expect(order.account).toBe(accountOf(sandbox));
		expect(sandbox.store.findCaller(order.keys.secretId)).toMatchObject({ kind: 'order', order });
	});

	it('with everything that can be said', async () => {
		const tunnel = await create(sandbox, {
			...ORDERS.tps,
			'prepay.time_type': 'WEEK',
			'prepay.time_number': '3',
			'prepay.is_auto_renew': '1',
			'prepay.auto_renew_unit': 'YEAR',
			'tps.max_rps': '1000',
			'tps.max_bandwidth': '80',
			is_notify: '0',
			is_coupon: '0',
		});
		expect(orderOf(sandbox, tunnel)).toMatchObject({
			maxRps: 1000,
			maxBandwidth: 80,
			notify: false,
			autoRenewal: { enabled: true, unit: 'YEAR' },
		});
		const dedicated = await create(sandbox, {
			...ORDERS.kpsStatic,
			'kps.city': '3301',
			'kps.max_bandwidth': '6',
			'kps.ip_count': '4',
			'kps.whiteip_count': '200',
		});
		expect(orderOf(sandbox, dedicated)).toMatchObject({
			city: '3301',
			maxBandwidth: 6,
			ipCount: 4,
			whiteipCount: 200,
		});
		const svip = await create(sandbox, { ...ORDERS.ops, 'ops.plan': '3' });
		expect(orderOf(sandbox, svip)).toMatchObject({ plan: 'SVIP' });
	});

	it('auto-renewal is by the month unless another unit is given', async () => {
		const reply = await create(sandbox, { ...ORDERS.tps, 'prepay.is_auto_renew': '1' });
		expect(orderOf(sandbox, reply).autoRenewal).toEqual({ enabled: true, unit: 'MONTH' });
	});

	it('every order has a number and keys of its own', async () => {
		const orders = [];
		for (const name of NAMES) orders.push(orderOf(sandbox, await create(sandbox, ORDERS[name])));
		expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(NAMES.length);
		expect(new Set(orders.map(({ keys }) => keys.secretId)).size).toBe(NAMES.length);
		expect(new Set(orders.map(({ keys }) => keys.secretKey)).size).toBe(NAMES.length);
	});

	it('also by POST', async () => {
		const form = signed(sandbox.keys.account, 'POST', CREATE, ORDERS.ops);
		const { json } = await post(sandbox.hosts.baseUrl + CREATE, form);
		expect(orderOf(sandbox, json)).toMatchObject({ plan: 'VIP' });
	});
});

describe('-1: what is required is missing', () => {
	it.each(NAMES)('%s', async (name) => {
		const names = Object.keys(ORDERS[name]);
		expect(await codesOf(names.map((each) => without(ORDERS[name], each)))).toEqual(
			names.map(() => -1),
		);
	});

	it('says which', async () => {
		const { msg, data } = await create(sandbox, without(ORDERS.dpsEven, 'dps.fetch_type'));
		expect(msg).toContain('dps.fetch_type');
		expect(data).toBe('');
	});
});

describe('-2: ranges', () => {
	type Row = [
		name: OrderName,
		extra: Parameters,
		field: string,
		least: number,
		most: number,
		step: number,
	];
	const life = (
		fetch: '1' | '2',
		period: string,
		least: number,
		most: number,
		step: number,
	): Row => [
		fetch === '1' ? 'dpsEven' : 'dpsConcentrated',
		{ 'dps.period': period },
		'dps.ip_count',
		least,
		most,
		step,
	];
	const bought = (period: string, least: number, most: number, step: number): Row => [
		'dpsPerIp',
		{ 'dps.period': period },
		'dps.ip_count',
		least,
		most,
		step,
	];
	const units = (unit: string, most: number): Row => [
		'ops',
		{ 'prepay.time_type': unit },
		'prepay.time_number',
		1,
		most,
		1,
	];
	const bandwidth = (period: number, least: number, most: number): Row => [
		'tps',
		{ 'tps.period': String(period) },
		'tps.max_bandwidth',
		least,
		most,
		1,
	];
	const rows: Row[] = [
		units('DAY', 15),
		units('WEEK', 3),
		units('MONTH', 9),
		units('YEAR', 3),
		['tps', {}, 'tps.max_rps', 5, 1000, 1],
		['tpsPayAsUsed', {}, 'tps.max_rps', 5, 1000, 1],
		bandwidth(0, 5, 80),
		...[15, 30, 60, 300, 600, 900, 1800, 3600].map((period) => bandwidth(period, 3, 5)),
		...[21600, 43200, 86400].map((period) => bandwidth(period, 3, 3)),
		life('1', 'M_3_5', 2500, 150000, 2500),
		life('1', 'M_10_30', 1000, 17000, 1000),
		life('1', 'M_30_60', 1000, 25000, 1000),
		life('1', 'H_3_4', 100, 1000, 100),
		life('2', 'M_1_5', 1000, 200000, 1000),
		life('2', 'M_5_10', 1000, 50000, 1000),
		life('2', 'M_10_20', 1000, 30000, 1000),
		life('2', 'M_20_30', 1000, 25000, 1000),
		life('2', 'M_30_60', 1000, 25000, 1000),
		life('2', 'H_2_4', 100, 500, 100),
		...['M_1_5', 'M_5_10', 'M_10_20', 'M_20_30', 'M_30_60', 'M_1', 'M_30'].map((period) =>
			bought(period, 1000, 1000000, 1000),
		),
		bought('H_2_4', 100, 100000, 100),
		['dpsEven', {}, 'dps.whiteip_count', 50, 200, 1],
		['dpsPerIp', {}, 'dps.whiteip_count', 50, 200, 1],
		['kpsStatic', {}, 'kps.whiteip_count', 50, 200, 1],
		['kpsExclusive', {}, 'kps.whiteip_count', 50, 200, 1],
		['kpsExclusive', {}, 'kps.ip_count', 1, 10, 1],
	];

	it.each(rows)('%s %j: %s from %i to %i by %i', async (name, extra, field, least, most, step) => {
		const { good, bad } = corners(least, most, step);
		const withValue = (value: string) => ({ ...ORDERS[name], ...extra, [field]: value });
		expect(await codesOf([...good, ...bad].map(withValue))).toEqual([
			...good.map(() => 0),
			...bad.map(() => -2),
		]);
	});
});

describe('-2: values out of a list', () => {
	type Row = [name: OrderName, field: string, good: string[], bad: string[]];
	const professional = Array.from({ length: 30 }, (_, index) => `M_${index + 1}`);
	const standard = ['M_1_5', 'M_5_10', 'M_10_20', 'M_20_30', 'M_30_60'];
	const units = ['DAY', 'WEEK', 'MONTH', 'YEAR'];
	const rows: Row[] = [
		['ops', 'product', ['OPS'], ['TPS_PRO', 'FPS', 'SFPS', 'ops', 'OPS ', 'X', '']],
		['ops', 'pay_type', ['PRE_PAY'], ['PREPAY', 'pre_pay', 'PRE_PAY_GB', '']],
		['ops', 'ops.plan', ['2', '3'], ['0', '1', '4', 'VIP', '']],
		['ops', 'prepay.time_type', units, ['day', 'HOUR', 'DAYS', '']],
		['kpsExclusive', 'prepay.time_type', ['MONTH', 'YEAR'], ['DAY', 'WEEK']],
		['ops', 'prepay.is_auto_renew', ['0', '1'], ['2', 'true', '']],
		['ops', 'is_notify', ['0', '1'], ['2', 'true', '']],
		['ops', 'is_coupon', ['0', '1'], ['2', 'true', '']],
		[
			'tps',
			'tps.period',
			['0', '15', '30', '60', '300', '600', '900', '1800', '3600', '21600', '43200', '86400'],
			['1', '14', '16', '120', '7200', '86401', '-15', '00', '15.0', ''],
		],
		['dpsEven', 'dps.fetch_type', ['1'], ['0', '3', '']],
		[
			'dpsEven',
			'dps.period',
			['M_3_5'],
			['M_1_5', 'M_5_10', 'M_10_20', 'M_20_30', 'H_2_4', 'M_1', 'm_3_5', '3', ''],
		],
		['dpsConcentrated', 'dps.period', standard, ['M_3_5', 'M_10_30', 'H_3_4', 'M_1', 'M_30', '']],
		[
			'dpsPerIp',
			'dps.period',
			[...standard, 'H_2_4', ...professional],
			['M_3_5', 'M_10_30', 'H_3_4', 'M_0', 'M_31', 'M_01', ''],
		],
		['kpsStatic', 'kps.serie', ['1'], ['0', '3', 'shared', '']],
		['kpsStatic', 'kps.model', ['DYN', 'STA'], ['STD', 'sta', '']],
		['kpsStatic', 'kps.max_bandwidth', ['1', '2', '4', '6', '10'], ['0', '3', '5', '8', '11', '']],
		['kpsExclusive', 'kps.max_bandwidth', ['1', '2', '4', '6', '10'], ['0', '3', '20', '']],
		['kpsDynamic', 'kps.max_bandwidth', ['1'], ['2', '4', '6', '10']],
		['kpsStatic', 'kps.ip_count', ['1', '2'], ['0', '-1', '1.5', '01', 'x', '']],
		['kpsStatic', 'kps.city', ['', '33', '3301'], ['3', '33010', 'cn', '杭州', '330 ', '-33']],
	];

	it.each(rows)('%s: %s', async (name, field, good, bad) => {
		const withValue = (value: string) => ({ ...ORDERS[name], [field]: value });
		expect(await codesOf([...good, ...bad].map(withValue))).toEqual([
			...good.map(() => 0),
			...bad.map(() => -2),
		]);
	});

	it('a life that goes with one way of fetching does not go with the other', async () => {
		expect(await codeOf({ ...ORDERS.dpsEven, 'dps.fetch_type': '2' })).toBe(-2);
		expect(await codeOf({ ...ORDERS.dpsConcentrated, 'dps.fetch_type': '1' })).toBe(-2);
	});

	it.each([
		['ops', units, ['day', '']],
		['kpsExclusive', ['MONTH', 'YEAR'], ['DAY', 'WEEK', '']],
	] as const)('%s: the unit of auto-renewal', async (name, good, bad) => {
		const withUnit = (unit: string) => ({
			...ORDERS[name],
			'prepay.is_auto_renew': '1',
			'prepay.auto_renew_unit': unit,
		});
		expect(await codesOf([...good, ...bad].map(withUnit))).toEqual([
			...good.map(() => 0),
			...bad.map(() => -2),
		]);
	});

	it('says which', async () => {
		const { msg } = await create(sandbox, { ...ORDERS.tps, 'tps.max_rps': '4' });
		expect(msg).toContain('tps.max_rps');
	});
});

describe('-2: what has no effect', () => {
	const extras: Array<[name: OrderName, extra: Parameters]> = [
		['tpsPayAsUsed', { 'prepay.time_type': 'DAY' }],
		['tpsPayAsUsed', { 'prepay.time_number': '1' }],
		['tpsPayAsUsed', { 'prepay.is_auto_renew': '0' }],
		['dpsPerIp', { 'prepay.time_type': 'DAY' }],
		['dpsPerIp', { 'dps.fetch_type': '1' }],
		['ops', { 'prepay.auto_renew_unit': 'MONTH' }],
		['ops', { 'prepay.is_auto_renew': '0', 'prepay.auto_renew_unit': 'MONTH' }],
		['kpsExclusive', { 'kps.model': 'STA' }],
		['tps', { 'dps.period': 'M_1_5' }],
		['tps', { 'kps.city': '' }],
		['dpsEven', { 'tps.period': '0' }],
		['kpsStatic', { 'ops.plan': '2' }],
		['ops', { 'tps.max_rps': '5' }],
		['ops', { time_type: 'DAY' }],
		['ops', { format: 'xml' }],
		['ops', { prepay: 'x' }],
	];

	it.each(extras)('%s with %j is refused, and can be ignored', async (name, extra) => {
		expect(await codesOf([{ ...ORDERS[name], ...extra }])).toEqual([-2]);
		sandbox.settings.inapplicableParameters = 'ignore';
		expect(await codesOf([{ ...ORDERS[name], ...extra }])).toEqual([0]);
	});

	it('its value does not matter when it is ignored', async () => {
		sandbox.settings.inapplicableParameters = 'ignore';
		const order = orderOf(
			sandbox,
			await create(sandbox, {
				...ORDERS.dpsPerIp,
				'dps.fetch_type': '9',
				'prepay.is_auto_renew': '1',
				'tps.period': 'never',
			}),
		);
		expect(order).toMatchObject({ fetchType: undefined, autoRenewal: { enabled: false } });
	});

	it('the answer is JSON, whatever is asked for', async () => {
		sandbox.settings.inapplicableParameters = 'ignore';
		const parameters = { ...ORDERS.ops, format: 'xml' };
		const reply = await call(sandbox.hosts.baseUrl, CREATE, sandbox.keys.account, parameters);
		expect(reply.headers.get('content-type')).toContain('application/json');
		expect(reply.json.code).toBe(0);
	});
});

describe('-3 and -123: an order key', () => {
	it.each([
		[undefined, -3, -123],
		['endpoint', -3, -3],
		['common', -123, -123],
	] as const)('with the setting %s', async (wrongKeyCode, forCreating, forTheBalance) => {
		sandbox.settings.wrongKeyCode = wrongKeyCode;
		const key = sandbox.keys.tps;
		expect((await ask(sandbox, CREATE, key, ORDERS.ops)).code).toBe(forCreating);
		expect((await ask(sandbox, '/api/getaccountbalance', key, {})).code).toBe(forTheBalance);
		expect(sandbox.ledger.count()).toBe(0);
	});
});

describe('money', () => {
	it('is taken from the balance once, and -4 comes when one fen is missing', async () => {
		const account = accountOf(sandbox);
		const before = account.balanceInFen;
		await create(sandbox, ORDERS.ops);
		const price = before - account.balanceInFen;
		expect(price).toBeGreaterThan(0);
		expect(sandbox.ledger.total()).toBe(price);

		account.balanceInFen = price - 1;
		const orders = sandbox.store.orders.length;
		expect((await create(sandbox, ORDERS.ops)).code).toBe(-4);
		expect(account.balanceInFen).toBe(price - 1);
		expect(sandbox.store.orders).toHaveLength(orders);
		expect(sandbox.ledger.count()).toBe(1);

		account.balanceInFen = price;
		expect((await create(sandbox, ORDERS.ops)).code).toBe(0);
		expect(account.balanceInFen).toBe(0);
		const balance = await ask(sandbox, '/api/getaccountbalance', sandbox.keys.account, {});
		expect(balance.data).toEqual({ balance: '0.00' });
	});

	it.each(NAMES)('%s costs a whole number of fen', async (name) => {
		await create(sandbox, ORDERS[name]);
		expect(sandbox.ledger.total()).toBeGreaterThan(0);
		expect(Number.isSafeInteger(sandbox.ledger.total())).toBe(true);
	});

	it('more costs more', async () => {
		const prices: number[] = [];
		for (const [unit, number] of [
			['DAY', '1'],
			['DAY', '2'],
			['WEEK', '1'],
			['MONTH', '1'],
			['YEAR', '3'],
		]) {
			sandbox.ledger.clear();
			await create(sandbox, {
				...ORDERS.tps,
				'prepay.time_type': String(unit),
				'prepay.time_number': String(number),
			});
			prices.push(sandbox.ledger.total());
		}
		expect(prices).toEqual(prices.toSorted((left, right) => left - right));
		expect(new Set(prices).size).toBe(prices.length);
	});
});

describe('coupons', () => {
	const wanting = { ...ORDERS.ops, is_coupon: '1' };

	async function price(parameters: Parameters): Promise<number> {
		sandbox.ledger.clear();
		expect((await create(sandbox, parameters)).code).toBe(0);
		return sandbox.ledger.total();
	}

	it('without one the order is made and a warning given', async () => {
		const reply = await create(sandbox, wanting);
		orderOf(sandbox, reply);
		expect(field(reply.data, 'warning')).toBe('no available coupon');
	});

	it('no warning when none is asked for', async () => {
		expect((await create(sandbox, ORDERS.ops)).data).toEqual({ orderid: expect.any(String) });
	});

	it('the best usable one is used, once', async () => {
		const full = await price(ORDERS.ops);
		const account = accountOf(sandbox);
		account.coupons = [
			{ offInFen: 10, fromInFen: 0 },
			{ offInFen: 50, fromInFen: full },
			{ offInFen: 90, fromInFen: full + 1 },
		];
		const reply = await create(sandbox, wanting);
		expect(reply.data).toEqual({ orderid: expect.any(String) });
		expect(sandbox.ledger.entries().at(-1)?.amountInFen).toBe(full - 50);
		expect(account.coupons).toEqual([
			{ offInFen: 10, fromInFen: 0 },
			{ offInFen: 90, fromInFen: full + 1 },
		]);
		expect(await price(ORDERS.ops)).toBe(full);
		expect(await price(wanting)).toBe(full - 10);
		expect(await price(wanting)).toBe(full);
	});

	it('one of more than the price costs nothing more and gives nothing back', async () => {
		const account = accountOf(sandbox);
		account.coupons = [{ offInFen: 1_000_000, fromInFen: 0 }];
		const before = account.balanceInFen;
		expect(await price(wanting)).toBe(0);
		expect(account.balanceInFen).toBe(before);
		expect(sandbox.ledger.count()).toBe(1);
	});

	it('is kept when the order fails', async () => {
		const account = accountOf(sandbox);
		account.coupons = [{ offInFen: 1, fromInFen: 0 }];
		account.balanceInFen = 0;
		expect(await codeOf(wanting)).toBe(-4);
		expect(account.coupons).toHaveLength(1);
	});
});

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

describe('-5, -71 and -72', () => {
	const sold = new Set([
		'TPS PRE_PAY',
		'TPS POST_PAY',
		'DPS PRE_PAY',
		'DPS PRE_PAY_IP',
		'KPS PRE_PAY',
		'OPS PRE_PAY',
	]);
	const payTypes = ['PRE_PAY', 'PRE_PAY_IP', 'POST_PAY'];
	const combinations = ['TPS', 'DPS', 'KPS', 'OPS'].flatMap((product) =>
		payTypes.map((payType) => [product, payType] as const),
	);
	it.each(combinations)('%s by %s', async (product, pay_type) => {
		// With nothing else, so what is sold that way fails for what is missing.
		expect(await codeOf({ product, pay_type })).toBe(sold.has(`${product} ${pay_type}`) ? -1 : -5);
	});

	it.each([
		['conditions not met', -71],
		['fails', -72],
	] as const)('pay-as-used: %s', async (payAsUsed, code) => {
		accountOf(sandbox).payAsUsed = payAsUsed;
		expect(await codesOf([ORDERS.tpsPayAsUsed, ORDERS.tps])).toEqual([code, 0]);
		expect(sandbox.store.orders.filter(({ payType }) => payType === 'POST_PAY')).toHaveLength(1);
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

describe('the order can be used', () => {
	it('open proxies are extracted with its keys at once', async () => {
		const { keys } = orderOf(sandbox, await create(sandbox, ORDERS.ops));
		const reply = await ask(sandbox, '/api/getproxy', keys, {
			num: '3',
			format: 'json',
			quality: '1',
		});
		expect(reply).toMatchObject({ code: 0, data: { count: 3 } });
	});

	it('a token is given for its keys', async () => {
		const { keys } = orderOf(sandbox, await create(sandbox, ORDERS.tps));
		const { json } = await post(`${sandbox.hosts.authUrl}/api/get_secret_token`, {
			secret_id: keys.secretId,
			secret_key: keys.secretKey,
		});
		expect(json.code).toBe(0);
	});

	it.each([
		['2026-03-10T20:00:00Z', 'DAY', '15', '2026-03-26 04:00:00'],
		['2026-03-10T20:00:00Z', 'WEEK', '3', '2026-04-01 04:00:00'],
		['2026-03-10T20:00:00Z', 'MONTH', '9', '2026-12-11 04:00:00'],
		['2026-03-10T20:00:00Z', 'YEAR', '3', '2029-03-11 04:00:00'],
		// In China it is the 31st already, and the 1st already.
		['2026-01-30T18:00:00Z', 'MONTH', '1', '2026-02-28 02:00:00'],
		['2026-01-31T18:00:00Z', 'MONTH', '1', '2026-03-01 02:00:00'],
		['2028-02-28T18:00:00Z', 'YEAR', '1', '2029-02-28 02:00:00'],
	])('at %s for %s %s: until %s', async (now, unit, number, expected) => {
		sandbox.clock.set(new Date(now));
		const { keys } = orderOf(
			sandbox,
			await create(sandbox, {
				...ORDERS.ops,
				'prepay.time_type': unit,
				'prepay.time_number': number,
			}),
		);
		const { data } = await ask(sandbox, '/api/getorderexpiretime', keys, {});
		// The clock goes on, but not by a minute.
		expect(field(data, 'expire_time').slice(0, 16)).toBe(expected.slice(0, 16));
	});

	it('one of a day is over after a day', async () => {
		const { keys } = orderOf(sandbox, await create(sandbox, ORDERS.tps));
		sandbox.clock.advance(24 * 3600_000 - 60_000);
		expect((await ask(sandbox, '/api/getorderexpiretime', keys, {})).code).toBe(0);
		sandbox.clock.advance(60_001);
		expect((await ask(sandbox, '/api/getorderexpiretime', keys, {})).code).toBe(-102);
	});

	it('a pay-as-used one has no end', async () => {
		const { keys } = orderOf(sandbox, await create(sandbox, ORDERS.tpsPayAsUsed));
		const { data } = await ask(sandbox, '/api/getorderexpiretime', keys, {});
		expect(data).toEqual({ expire_time: '' });
	});
});

it('is only on the base host', async () => {
	for (const host of [sandbox.hosts.dpsUrl, sandbox.hosts.svipUrl, sandbox.hosts.authUrl]) {
		expect((await call(host, CREATE, sandbox.keys.account, ORDERS.ops)).status).toBe(404);
	}
	expect(sandbox.ledger.count()).toBe(0);
});
