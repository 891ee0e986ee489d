import type { IDataObject } from 'n8n-workflow';

import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import {
	Customer,
	EXPIRY,
	KEY_PAIR,
	LIST,
	ORDER_INFO,
	ORDER_KINDS,
	records,
	RENEW,
	textOf,
	WEEK,
} from '../support/customer.mts';
import type { RunSettings } from '../support/engine.mts';
import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import type { TestBed } from '../support/testBed.mts';
import { endOf } from './guardedRenewals.mts';

/* Lists of all kinds of orders, with 'Order Type' at its default. */

const BY_ITEM: IDataObject = { __rl: true, mode: 'code', value: '={{ $json.orderid }}' };
const TOP_UPS: IDataObject = {
	perIpRenewal: { balanceBelow: 100, dpsIpCount: 1000 },
	trafficRenewal: { balanceBelow: 500, fpsFlow: 1 },
};

const PAY_AS_YOU_GO = { pay_type: 'POST_PAY', payTypeName: 'Pay-As-You-Go' };

function chinaTime(ms: number): string {
	return new Date(ms + DAY / 3).toISOString().slice(0, 19).replace('T', ' ');
}

/** One order of each kind, due and not. */
function ordersOf(customer: Customer) {
	return {
		prepaid: customer.tunnel(DAY),
		prepaidForLong: customer.tunnel(20 * DAY),
		perIp: customer.perIp(50),
		perIpWithEnough: customer.perIp(5000),
		traffic: customer.overseas(100),
		trafficEnough: customer.overseas(5000),
		open: customer.tunnel(DAY, { payType: 'POST_PAY' }),
		closed: customer.tunnel(DAY, { status: 'CLOSED' }),
		ended: customer.tunnel(-2 * DAY),
	};
}

type Orders = ReturnType<typeof ordersOf>;

const itemsOf = (orders: Readonly<Record<string, Order>>) =>
	Object.values(orders).map(({ orderId }) => ({ orderid: orderId }));

async function renewAll(
	bed: TestBed,
	fields: IDataObject,
	settings: Partial<Omit<RunSettings, 'parameters'>> = {},
) {
	const customer = new Customer(bed);
	const orders = ordersOf(customer);
	const result = await customer.renewByNumber(
		orders.prepaid,
		{ orderid: BY_ITEM, ...WEEK, ...fields },
		{ items: itemsOf(orders), ...settings },
	);
	const names = Object.keys(orders);
	const renewed = names.filter((_name, index) => records(result)[index]?.renewed === true);
	const reasonOf = (name: keyof Orders) => records(result)[names.indexOf(name)]?.reason;
	return { customer, orders, result, renewed, reasonOf };
}

itWithOwnBed({
	async 'are renewed by what each order is'(bed) {
		const { customer, orders, result, renewed, reasonOf } = await renewAll(bed, TOP_UPS);
		expect(result.error).toBeUndefined();
		expect(records(result)).toHaveLength(Object.keys(orders).length);
		expect(renewed).toEqual(['prepaid', 'perIp', 'traffic']);
		expect(customer.payments.map(({ orderId }) => orderId)).toEqual(
			[orders.prepaid, orders.perIp, orders.traffic].map(({ orderId }) => orderId),
		);
		expect(reasonOf('prepaidForLong')).toContain('more than 3 days left');
		expect(reasonOf('perIpWithEnough')).toContain('5,000 IPs left, not less than 100');
		expect(reasonOf('trafficEnough')).toContain('5,000 MB left, not less than 500');
		expect(reasonOf('open')).toContain('run until you close them');
		expect(reasonOf('closed')).toContain('is closed');
		expect(reasonOf('ended')).toContain('The order ended at ');
		const sent = customer.requests(RENEW).map(({ parameters }) => parameters);
		expect(sent).toMatchObject([
			{ time_type: 'WEEK' },
			{ 'dps.ip_count': '1000' },
			{ 'fps.flow': '1' },
		]);
		expect(Object.keys(sent[1] ?? {})).not.toContain('time_type');
		// One list for all, and no more key pairs than orders that had to be asked
		expect(customer.requests(LIST)).toHaveLength(1);
		expect(customer.requests(KEY_PAIR)).toHaveLength(5);
		expect(customer.requests(ORDER_INFO)).toEqual([]);
	},

	async 'pass what no section is filled in for, and say so'(bed) {
		const { customer, result, renewed, reasonOf } = await renewAll(bed, {});
		expect(result.error).toBeUndefined();
		expect(renewed).toEqual(['prepaid']);
		expect(reasonOf('perIp')).toBe(
			"This is a pay-per-IP order, and 'Pay-per-IP Orders' is empty, so nothing was bought",
		);
		// It would pass as any other, so nobody asks what it is
		expect(reasonOf('trafficEnough')).toContain('more than 3 days left');
		expect(customer.paid).toBe(1);
	},

	async "renew each prepaid order with 'Always', and the others by their limits"(bed) {
		const { renewed, customer } = await renewAll(bed, { ...TOP_UPS, renewWhen: 'always' });
		expect(renewed).toEqual(['prepaid', 'prepaidForLong', 'perIp', 'traffic']);
		expect(customer.paid).toBe(4);
	},

	async 'keep to the limit, which orders that pass use up nothing of'(bed) {
		const options = { maxOrdersPerRun: 2 };
		const { customer, result, renewed, reasonOf } = await renewAll(bed, { ...TOP_UPS, options });
		expect(result.error).toBeUndefined();
		expect(renewed).toEqual(['prepaid', 'perIp']);
		expect(reasonOf('traffic')).toContain("'Max Orders per Execution' allows 2");
		expect(customer.paid).toBe(2);
	},

	async 'say with Dry Run what would be renewed, and buy nothing'(bed) {
		const options = { dryRun: true };
		const { customer, orders, result } = await renewAll(bed, { ...TOP_UPS, options });
		const would = Object.keys(orders).filter(
			(_name, index) => records(result)[index]?.wouldRenew === true,
		);
		expect(would).toEqual(['prepaid', 'perIp', 'traffic']);
		expect(records(result).every((record) => !('renewed' in record))).toBe(true);
		expect(records(result).every(({ reason }) => typeof reason === 'string')).toBe(true);
		expect(customer.paid).toBe(0);
	},

	async 'are told by product and pay type, whatever becomes of them'(bed) {
		const { result } = await renewAll(bed, TOP_UPS);
		const [prepaid, prepaidForLong, perIp, perIpWithEnough, traffic, trafficEnough, open, closed] =
			records(result);
		for (const record of [prepaid, prepaidForLong, closed]) {
			expect(record).toMatchObject(ORDER_KINDS.tunnel);
			expect(record).toMatchObject({ secondsLeft: expect.any(Number) });
		}
		for (const record of [perIp, perIpWithEnough]) expect(record).toMatchObject(ORDER_KINDS.perIp);
		for (const record of [traffic, trafficEnough])
			expect(record).toMatchObject(ORDER_KINDS.traffic);
		expect(open).toMatchObject({ ...ORDER_KINDS.tunnel, ...PAY_AS_YOU_GO });
		for (const record of records(result)) {
			expect(Object.keys(record).slice(0, 2)).toEqual(['text', 'orderid']);
		}
	},

	async 'refuse a section that is filled in wrongly, before anything is sent'(bed) {
		const wrong: ReadonlyArray<[IDataObject, label: string]> = [
			[{ perIpRenewal: { balanceBelow: 100 } }, "'IPs to Add'"],
			[{ perIpRenewal: { dpsIpCount: 1000 } }, "'IP Balance Below'"],
			[
				{ perIpRenewal: { balanceBelow: '={{ undefined }}', dpsIpCount: 1000 } },
				"'IP Balance Below'",
			],
			[{ perIpRenewal: { balanceBelow: 100, dpsIpCount: '={{ undefined }}' } }, "'IPs to Add'"],
			[{ perIpRenewal: { balanceBelow: 100, dpsIpCount: 1500 } }, "'IPs to Add'"],
			[{ perIpRenewal: { balanceBelow: 5000, dpsIpCount: 1000 } }, "'IP Balance Below'"],
			[
				{ perIpRenewal: { balanceBelow: 10, dpsIpCount: 150, proxyLifetime: 'hours' } },
				"'IPs to Add'",
			],
			[
				{ perIpRenewal: { balanceBelow: 10, dpsIpCount: 1000, proxyLifetime: 'days' } },
				"'Lifetime'",
			],
			[{ trafficRenewal: { balanceBelow: 100 } }, "'Traffic to Add'"],
			[{ trafficRenewal: { fpsFlow: 1 } }, "'Traffic Below (MB)'"],
			[{ trafficRenewal: { balanceBelow: 100, fpsFlow: 2 } }, "'Traffic to Add'"],
			[{ trafficRenewal: { balanceBelow: 2000, fpsFlow: 1 } }, "'Traffic Below (MB)'"],
		];
		for (const [fields, label] of wrong) {
			const { customer, result } = await renewAll(bed, fields);
			expect(textOf(result)).toContain(label);
			expect(customer.calls).toEqual([]);
		}
	},

	async 'ask the orders themselves where the list cannot be read'(bed) {
		const customer = new Customer(bed);
		const { prepaid, prepaidForLong, perIp, open } = ordersOf(customer);
		bed.sandbox.faults.add({ kind: 'status', status: 503, path: LIST });
		const orders = { prepaid, prepaidForLong, perIp, open };
		const result = await customer.renewByNumber(
			prepaid,
			{ orderid: BY_ITEM, ...WEEK, ...TOP_UPS },
			{ items: itemsOf(orders) },
		);
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ renewed }) => renewed)).toEqual([true, false, true, false]);
		expect(customer.requests(ORDER_INFO)).toHaveLength(4);
		expect(customer.paid).toBe(2);
	},

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
});
