import { newPrivateProxyOrder } from '../../../sandbox/sandbox.mts';
import { post, signed, type Parameters } from '../client.mts';
import { accountOf, ask, corners, field, RENEW, type OrderName } from '../ordering.mts';
import { BY_DAY, codesOf, ordered, renew, sandbox } from './renewing.mts';

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
