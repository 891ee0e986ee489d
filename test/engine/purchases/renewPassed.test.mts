import type { IDataObject } from 'n8n-workflow';

import { DAY } from '../../durations.mts';
import { Customer, EXPIRY, records, RENEW, WEEK } from '../support/customer.mts';
import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { endOf } from './guardedRenewals.mts';

/* What is let through without a purchase: no error that stops the others, and nothing of the limit used up. */

const BY_ITEM: IDataObject = { __rl: true, mode: 'code', value: '={{ $json.orderid }}' };

function chinaTime(ms: number): string {
	return new Date(ms + DAY / 3).toISOString().slice(0, 19).replace('T', ' ');
}

itWithOwnBed({
	async 'orders out of force, with the reason, while the others of a list are renewed'(bed) {
		const customer = new Customer(bed);
		const statuses = ['CLOSED', 'FORBIDDEN', 'WAIT_PAY', 'OPENING'] as const;
		const out = statuses.map((status) => customer.tunnel(DAY / 2, { status }));
		const due = customer.tunnel(DAY);
		const items = [...out, due].map(({ orderId }) => ({ orderid: orderId }));
		const options = { maxOrdersPerRun: 1 };
		const result = await customer.renewByNumber(
			due,
			{ orderid: BY_ITEM, ...WEEK, options },
			{ items },
		);
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ renewed }) => renewed)).toEqual([
			false,
			false,
			false,
			false,
			true,
		]);
		expect(records(result).map(({ reason }) => reason)).toEqual([
			'The order is closed, so nothing was bought',
			'The order is banned, so nothing was bought',
			'The order is awaiting payment, so nothing was bought',
			'The order is still being set up, so nothing was bought',
			undefined,
		]);
		expect(customer.requests(RENEW)).toHaveLength(1);
		expect(customer.paid).toBe(1);
	},

	async 'orders of other types than chosen, with the reason'(bed) {
		const customer = new Customer(bed);
		const due = customer.tunnel(DAY);
		const orders = [due, customer.perIp(5), customer.tunnel(DAY, { payType: 'POST_PAY' })];
		const items = orders.map(({ orderId }) => ({ orderid: orderId }));
		const chosen = { orderid: BY_ITEM, renewalOf: 'prepaid', ...WEEK };
		const prepaid = await customer.renewByNumber(due, chosen, { items });
		expect(prepaid.error).toBeUndefined();
		expect(records(prepaid).map(({ renewed }) => renewed)).toEqual([true, false, false]);
		expect(records(prepaid)[1].reason).toBe(
			"This is a pay-per-IP order, and 'Order Type' is 'Prepaid Order', so nothing was bought",
		);
		expect(records(prepaid)[2].reason).toContain('run until you close them');
		const perIp = { renewalOf: 'perIp', balanceBelow: 100, dpsIpCount: 1000 };
		const topUps = await customer.renewByNumber(due, { orderid: BY_ITEM, ...perIp }, { items });
		expect(topUps.error).toBeUndefined();
		expect(records(topUps).map(({ renewed }) => renewed)).toEqual([false, true, false]);
		expect(customer.paid).toBe(2);
	},

	async 'an order that ended 100 days ago, even if its key pair still works'(bed) {
		const customer = new Customer(bed);
		const order = customer.tunnel(20 * DAY);
		const expire_time = chinaTime(Date.now() - 100 * DAY);
		const body = JSON.stringify({ code: 0, msg: '', data: { expire_time } });
		bed.sandbox.faults.add({ kind: 'raw', path: EXPIRY, body });
		const [record] = records(await customer.renew(order, WEEK));
		expect(record).toMatchObject({ renewed: false, expire_time });
		expect(record.reason).toMatch(/^The order ended at /);
		expect(record.reason).toContain(`; ${expire_time} in China), so nothing was bought`);
		expect(customer.paid).toBe(0);
	},

	async 'nothing by what an old input item says: the list is asked'(bed) {
		const customer = new Customer(bed);
		const order = customer.tunnel(20 * DAY);
		const end = endOf(order);
		const old = { pay_type: 'PRE_PAY', product: 'TPS', status: 'VALID' };
		const item = { orderid: order.orderId, ...old, expire_time: chinaTime(end - 21 * DAY) };
		bed.sandbox.faults.add({ kind: 'code', code: -102, path: EXPIRY });
		const [record] = records(await customer.renewByNumber(order, WEEK, { items: [item] }));
		expect(record).toMatchObject({ renewed: false, expire_time: chinaTime(end) });
		expect(record.reason).toContain('more than 3 days left');
		expect(customer.paid).toBe(0);
	},

	async 'orders beyond the limit, the later ones, which a hint tells with the first end'(bed) {
		const customer = new Customer(bed);
		const orders = [8, 2, 6, 4].map((hours) => customer.tunnel(hours * (DAY / 24)));
		const items = orders.map(({ orderId: orderid }) => ({ orderid }));
		const fields = { orderid: BY_ITEM, ...WEEK, options: { maxOrdersPerRun: 2 } };
		const result = await customer.renewByNumber(orders[0], fields, { items });
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ renewed }) => renewed)).toEqual([false, true, false, true]);
		const [counts, hint] = result.hints.map(({ message }) => message);
		expect(counts).toMatch(/^2 renewed \([\d.]+ yuan\), 2 not renewed for other reasons\.$/);
		expect(hint).toContain(
			`2 orders were not renewed because of a limit (${orders[2].orderId}, ${orders[0].orderId}): `,
		);
		expect(hint).toContain(`Order ${orders[2].orderId} ends at `);
		expect(customer.paid).toBe(2);
	},
});
