import {
	newDedicatedProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type KeyPair,
	type Order,
	type Sandbox,
} from '../../sandbox/sandbox.mts';
import { post, signed, type Parameters } from './client.mts';
import {
	accountOf,
	ask,
	corners,
	create,
	field,
	orderOf,
	ORDERS,
	RENEW,
	startShop,
	without,
	type OrderName,
} from './ordering.mts';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(async () => {
	jest.restoreAllMocks();
	await sandbox.close();
});

const BY_DAY = { time_type: 'DAY', time_number: '1' };

const renew = (keys: KeyPair, parameters: Parameters) => ask(sandbox, RENEW, keys, parameters);

async function ordered(name: OrderName, extra: Parameters = {}): Promise<Order> {
	return orderOf(sandbox, await create(sandbox, { ...ORDERS[name], ...extra }));
}

/** The code of each renewal, each of an order as it was, and that money was taken for code 0 only. */
async function codesOf(order: Order, many: Parameters[]): Promise<number[]> {
	const { expiresAt } = order;
	const before = sandbox.ledger.count('renew');
	const codes: number[] = [];
	for (const parameters of many) {
		codes.push((await renew(order.keys, parameters)).code);
		order.expiresAt = expiresAt;
	}
	expect(sandbox.ledger.count('renew') - before).toBe(codes.filter((code) => code === 0).length);
	return codes;
}

describe('a prepaid order', () => {
	const PREPAID: OrderName[] = [
		'tps',
		'dpsEven',
		'dpsConcentrated',
		'kpsStatic',
		'kpsDynamic',
		'ops',
	];

	it.each(PREPAID)('%s goes on from its end', async (name) => {
		sandbox.clock.set(new Date('2026-05-01T00:00:00Z'));
		const order = await ordered(name);
		const end = order.expiresAt;
		sandbox.clock.advance(3600_000);
		const reply = await renew(order.keys, { time_type: 'WEEK', time_number: '2' });
		expect(reply).toMatchObject({ code: 0, msg: 'renew order success' });
		expect(reply.data).toEqual({
			orderid: order.orderId,
			expire_time: expect.stringMatching(/^2026-05-16 08:00:0\d$/),
		});
		expect(order.expiresAt?.getTime()).toBe((end?.getTime() ?? 0) + 14 * 24 * 3600_000);
		const { data } = await ask(sandbox, '/api/getorderexpiretime', order.keys, {});
		expect(field(data, 'expire_time')).toBe(field(reply.data, 'expire_time'));
	});

	it('an exclusive one by the month and year only', async () => {
		const order = await ordered('kpsExclusive');
		const units = ['MONTH', 'YEAR', 'DAY', 'WEEK'];
		const renewals = units.map((time_type) => ({ time_type, time_number: '1' }));
		expect(await codesOf(order, renewals)).toEqual([0, 0, -2, -2]);
		const automatic = ['MONTH', 'YEAR', 'DAY', 'WEEK'].map((auto_renew_unit) => ({
			time_type: 'MONTH',
			time_number: '1',
			is_auto_renew: '1',
			auto_renew_unit,
		}));
		expect(await codesOf(order, automatic)).toEqual([0, 0, -2, -2]);
	});

	it('by POST too', async () => {
		const order = await ordered('tps');
		const form = signed(order.keys, 'POST', RENEW, BY_DAY);
		expect((await post(sandbox.hosts.baseUrl + RENEW, form)).json.code).toBe(0);
		expect(sandbox.ledger.count('renew')).toBe(1);
	});

	it('auto-renewal is set with it: on, by another unit, and off when it is not sent', async () => {
		const order = await ordered('tps');
		const states: unknown[] = [];
		const extras: Parameters[] = [
			{ is_auto_renew: '1' },
			{ is_auto_renew: '1', auto_renew_unit: 'YEAR' },
			{ is_auto_renew: '0' },
			{ is_auto_renew: '1', auto_renew_unit: 'DAY' },
			{},
		];
		for (const extra of extras) {
			expect((await renew(order.keys, { ...BY_DAY, ...extra })).code).toBe(0);
			states.push(order.autoRenewal);
		}
		expect(states).toEqual([
			{ enabled: true, unit: 'MONTH' },
			{ enabled: true, unit: 'YEAR' },
			{ enabled: false, unit: 'MONTH' },
			{ enabled: true, unit: 'DAY' },
			{ enabled: false, unit: 'MONTH' },
		]);
	});

	it('keeps whether a notification was asked for', async () => {
		const order = await ordered('tps');
		await renew(order.keys, { ...BY_DAY, is_notify: '0' });
		expect(order.notify).toBe(false);
	});
});

describe('a pay-per-IP order', () => {
	it('gets more addresses and says how many it has', async () => {
		const order = await ordered('dpsPerIp');
		const reply = await renew(order.keys, { 'dps.ip_count': '2000' });
		expect(reply.data).toEqual({
			orderid: order.orderId,
			expire_time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
			ip_balance: 3000,
		});
		expect(order).toMatchObject({ ipCount: 3000, ipBalance: 3000 });
	});

	it('the balance is what is left, not what was bought', async () => {
		const account = accountOf(sandbox);
		const order = sandbox.store.addOrder(
			newPrivateProxyOrder('half-used', account, sandbox.clock.now(), {
				payType: 'PRE_PAY_IP',
				ipCount: 1000,
				ipBalance: 400,
			}),
		);
		const { data } = await renew(order.keys, { 'dps.ip_count': '1000' });
		expect(data).toMatchObject({ ip_balance: 1400 });
	});

	it.each([
		['M_1_5', 1000, 1_000_000, 1000],
		['M_30_60', 1000, 1_000_000, 1000],
		['M_7', 1000, 1_000_000, 1000],
		['H_2_4', 100, 100_000, 100],
	])('%s: from %i to %i by %i', async (period, least, most, step) => {
		const order = await ordered('dpsPerIp', { 'dps.period': period });
		const { good, bad } = corners(least, most, step);
		const renewals = [...good, ...bad].map((value) => ({ 'dps.ip_count': value }));
		expect(await codesOf(order, renewals)).toEqual([...good.map(() => 0), ...bad.map(() => -2)]);
	});

	it('its end never comes nearer', async () => {
		const order = await ordered('dpsPerIp');
		const far = new Date(sandbox.clock.milliseconds() + 2 * 365 * 24 * 3600_000);
		order.expiresAt = far;
		expect((await renew(order.keys, { 'dps.ip_count': '1000' })).code).toBe(0);
		expect(order.expiresAt).toEqual(far);
	});
});

describe('an overseas order by traffic', () => {
	it('takes the flows that there are', async () => {
		const order = sandbox.store.order(sandbox.keys.fps.secretId);
		const good = ['1', '6', '10', '35', '110', '200', '500', '1000'];
		const bad = ['0', '2', '5', '100', '1001', '-1', '1.0', '01', '', 'x'];
		const renewals = [...good, ...bad].map((flow) => ({ 'fps.flow': flow }));
		expect(await codesOf(order, renewals)).toEqual([...good.map(() => 0), ...bad.map(() => -2)]);
		expect(order).toMatchObject({ product: 'FPS', flowInGb: 1 + 1862 });
	});

	it('answers without ip_balance', async () => {
		const { data } = await renew(sandbox.keys.fps, { 'fps.flow': '1' });
		expect(Object.keys(Object(data)).toSorted()).toEqual(['expire_time', 'orderid']);
	});
});

it('a monthly overseas order is renewed for a time', async () => {
	const before = sandbox.store.order(sandbox.keys.fpsMonthly.secretId).expiresAt;
	expect((await renew(sandbox.keys.fpsMonthly, { 'fps.flow': '1' })).code).toBe(-1);
	expect((await renew(sandbox.keys.fpsMonthly, BY_DAY)).code).toBe(0);
	const { expiresAt } = sandbox.store.order(sandbox.keys.fpsMonthly.secretId);
	expect(Number(expiresAt)).toBeGreaterThan(Number(before));
	expect(sandbox.ledger.total('renew')).toBeGreaterThan(0);
});

describe('-1 and -2', () => {
	it('what is required is missing', async () => {
		const tunnel = await ordered('tps');
		const missing = [{}, without(BY_DAY, 'time_type'), without(BY_DAY, 'time_number')];
		expect(await codesOf(tunnel, missing)).toEqual([-1, -1, -1]);
		expect(await codesOf(await ordered('dpsPerIp'), [{}, { is_notify: '1' }])).toEqual([-1, -1]);
		expect((await renew(sandbox.keys.fps, {})).code).toBe(-1);
	});

	it.each([
		['DAY', 15],
		['WEEK', 3],
		['MONTH', 9],
		['YEAR', 3],
	])('%s: from 1 to %i', async (time_type, most) => {
		const order = await ordered('tps');
		sandbox.settings.longestTerm = { unit: 'YEAR', number: 9 };
		const { good, bad } = corners(1, most, 1);
		const renewals = [...good, ...bad].map((time_number) => ({ time_type, time_number }));
		expect(await codesOf(order, renewals)).toEqual([...good.map(() => 0), ...bad.map(() => -2)]);
	});

	it('values out of a list', async () => {
		const wrong: Parameters[] = [
			{ time_type: 'day' },
			{ time_type: '' },
			{ is_auto_renew: '2' },
			{ is_auto_renew: '' },
			{ is_auto_renew: '1', auto_renew_unit: 'HOUR' },
			{ is_notify: 'yes' },
		];
		const order = await ordered('tps');
		const renewals = wrong.map((extra) => ({ ...BY_DAY, ...extra }));
		expect(await codesOf(order, renewals)).toEqual(wrong.map(() => -2));
	});

	it.each<[OrderName, Parameters, Parameters]>([
		['tps', BY_DAY, { auto_renew_unit: 'DAY' }],
		['tps', BY_DAY, { 'dps.ip_count': '1000' }],
		['tps', BY_DAY, { 'prepay.time_type': 'DAY' }],
		['tps', BY_DAY, { is_coupon: '0' }],
		['dpsEven', BY_DAY, { 'dps.ip_count': '2500' }],
		['dpsPerIp', { 'dps.ip_count': '1000' }, { time_type: 'DAY' }],
		['dpsPerIp', { 'dps.ip_count': '1000' }, { is_auto_renew: '0' }],
		['dpsPerIp', { 'dps.ip_count': '1000' }, { 'fps.flow': '1' }],
	])('%s with %j and also %j, which has no effect', async (name, needed, extra) => {
		const order = await ordered(name);
		expect(await codesOf(order, [{ ...needed, ...extra }])).toEqual([-2]);
		sandbox.settings.inapplicableParameters = 'ignore';
		expect(await codesOf(order, [{ ...needed, ...extra }])).toEqual([0]);
	});
});

describe('orders that cannot be renewed', () => {
	it('-3: pay-as-used', async () => {
		const order = await ordered('tpsPayAsUsed');
		expect(await codesOf(order, [BY_DAY, {}])).toEqual([-3, -3]);
		expect(order.expiresAt).toBeUndefined();
	});

	it.each([
		['virtual number', -4],
		['wrong type', -7],
	] as const)('%s: %i', async (renewal, code) => {
		const order = sandbox.store.addOrder(
			newTunnelProxyOrder('odd', accountOf(sandbox), sandbox.clock.now(), { renewal }),
		);
		expect(await codesOf(order, [BY_DAY])).toEqual([code]);
	});

	it('-123: the account', async () => {
		expect((await renew(sandbox.keys.account, BY_DAY)).code).toBe(-123);
	});

	it('-102: one that is over, or was never paid', async () => {
		const over = await ordered('tps');
		over.expiresAt = new Date(sandbox.clock.milliseconds() - 1);
		expect((await renew(over.keys, BY_DAY)).code).toBe(-102);
		const unpaid = await ordered('tps');
		unpaid.status = 'WAIT_PAY';
		expect((await renew(unpaid.keys, BY_DAY)).code).toBe(-102);
		expect(sandbox.ledger.count('renew')).toBe(0);
	});
});

describe('-5 and -6', () => {
	it.each<[string, (now: Date) => Order, Parameters]>([
		['time', (now) => newTunnelProxyOrder('poor', accountOf(sandbox), now), BY_DAY],
		[
			'addresses',
			(now) => newPrivateProxyOrder('poor', accountOf(sandbox), now, { payType: 'PRE_PAY_IP' }),
			{ 'dps.ip_count': '1000' },
		],
		[
			'exclusive proxies',
			(now) => newDedicatedProxyOrder('poor', accountOf(sandbox), now, { series: 'exclusive' }),
			{ time_type: 'MONTH', time_number: '1' },
		],
	])('-5: %s, and nothing changes, when one fen is missing', async (_what, make, parameters) => {
		const order = sandbox.store.addOrder(make(sandbox.clock.now()));
		const account = accountOf(sandbox);
		const untouched = { ...order };
		const { expiresAt } = order;
		expect(await codesOf(order, [parameters])).toEqual([0]);
		const price = sandbox.ledger.total('renew');
		expect(price).toBeGreaterThan(0);

		Object.assign(order, untouched, { expiresAt });
		account.balanceInFen = price - 1;
		expect(await codesOf(order, [parameters])).toEqual([-5]);
		expect(order).toEqual(untouched);
		expect(account.balanceInFen).toBe(price - 1);

		account.balanceInFen = price;
		expect(await codesOf(order, [parameters])).toEqual([0]);
		expect(account.balanceInFen).toBe(0);
	});

	it('-6: beyond three years from now', async () => {
		const order = await ordered('tps', { 'prepay.time_type': 'YEAR', 'prepay.time_number': '2' });
		const year = { time_type: 'YEAR', time_number: '1' };
		expect((await renew(order.keys, year)).code).toBe(0);
		const { expiresAt } = order;
		expect((await renew(order.keys, { time_type: 'WEEK', time_number: '1' })).code).toBe(-6);
		expect(order.expiresAt).toEqual(expiresAt);
		expect(sandbox.ledger.count('renew')).toBe(1);
	});

	it('up to the bound itself, to the millisecond', async () => {
		jest.spyOn(Date, 'now').mockReturnValue(Date.now());
		const order = await ordered('tps');
		const end = order.expiresAt?.getTime() ?? 0;
		sandbox.settings.longestTerm = { unit: 'DAY', number: 2 };
		expect(await codesOf(order, [BY_DAY])).toEqual([0]);
		order.expiresAt = new Date(end + 1);
		expect(await codesOf(order, [BY_DAY])).toEqual([-6]);
	});

	it('the bound can be chosen', async () => {
		const order = await ordered('tps');
		sandbox.settings.longestTerm = { unit: 'DAY', number: 5 };
		const byDays = (time_number: string) => ({ time_type: 'DAY', time_number });
		expect(await codesOf(order, [byDays('4'), byDays('5')])).toEqual([0, -6]);
	});
});
