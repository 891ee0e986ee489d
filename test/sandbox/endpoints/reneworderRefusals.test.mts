import {
	newDedicatedProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type Order,
} from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { accountOf } from '../ordering.mts';
import { BY_DAY, codesOf, ordered, renew, sandbox } from './renewing.mts';

describe('orders that cannot be renewed', () => {
	it.each([
		['virtual number', -4],
		['wrong type', -7],
	] as const)('%s: %i', async (renewal, code) => {
		const order = sandbox.store.addOrder(
			newTunnelProxyOrder('odd', accountOf(sandbox), sandbox.clock.now(), { renewal }),
		);
		expect(await codesOf(order, [BY_DAY])).toEqual([code]);
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
