import type { IDataObject } from 'n8n-workflow';

import { newTopUp, type Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { API } from '../support/api.mts';
import { Customer, typed, WEEK } from '../support/customer.mts';
import type { RunSettings } from '../support/engine.mts';
import { records, textOf } from '../support/results.mts';
import { CONTINUE } from '../support/runSettings.mts';
import { uniqueName } from '../../uniqueName.mts';
import { itWithOwnBed, useWorkbench } from '../support/workbench.mts';
import { ALWAYS, endOf } from './guardedRenewals.mts';

/* Lists of all kinds of orders, with 'Order Type' at its default. */

const BY_ITEM: IDataObject = typed('={{ $json.orderid }}');
const TOP_UPS: IDataObject = {
	perIpRenewal: { balanceBelow: 100, dpsIpCount: 1000 },
	trafficRenewal: { balanceBelow: 500, fpsFlow: 1 },
};

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
	customer: Customer,
	fields: IDataObject,
	settings: Partial<Omit<RunSettings, 'parameters'>> = {},
) {
	const orders = ordersOf(customer);
	const result = await customer.renewByNumber(
		orders.prepaid,
		{ orderid: BY_ITEM, ...WEEK, ...fields },
		{ items: itemsOf(orders), ...settings },
	);
	const names = Object.keys(orders);
	const renewed = names.filter((_name, index) => records(result)[index]?.renewed === true);
	const reasonOf = (name: keyof Orders) => records(result)[names.indexOf(name)]?.reason;
	return { orders, result, renewed, reasonOf };
}

itWithOwnBed({
	async 'are renewed by what each order is'(customer) {
		const { orders, result, renewed, reasonOf } = await renewAll(customer, TOP_UPS);
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
		const sent = customer.requests(API.reneworder).map(({ parameters }) => parameters);
		expect(sent).toMatchObject([
			{ time_type: 'WEEK' },
			{ 'dps.ip_count': '1000' },
			{ 'fps.flow': '1' },
		]);
		expect(Object.keys(sent[1] ?? {})).not.toContain('time_type');
		// One list for all, and no more key pairs than orders that had to be asked
		expect(customer.requests(API.getaccountorders)).toHaveLength(1);
		expect(customer.requests(API.getordersecret)).toHaveLength(5);
		expect(customer.requests(API.getorderinfo)).toEqual([]);
	},

	async 'pass what no section is filled in for, and say so'(customer) {
		const { result, renewed, reasonOf } = await renewAll(customer, {});
		expect(result.error).toBeUndefined();
		expect(renewed).toEqual(['prepaid']);
		expect(reasonOf('perIp')).toBe(
			"This is a pay-per-IP order, and 'Pay-per-IP Orders' is empty, so nothing was bought",
		);
		// It would pass as any other, so nobody asks what it is
		expect(reasonOf('trafficEnough')).toContain('more than 3 days left');
		expect(customer.paid).toBe(1);
	},

	async "renew each prepaid order with 'Always', and the others by their limits"(customer) {
		const { renewed } = await renewAll(customer, { ...TOP_UPS, renewWhen: 'always' });
		expect(renewed).toEqual(['prepaid', 'prepaidForLong', 'perIp', 'traffic']);
		expect(customer.paid).toBe(4);
	},

	async 'refuse a section that is filled in wrongly, before anything is sent'(customer) {
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
			const { result } = await renewAll(customer, fields);
			expect(textOf(result)).toContain(label);
			expect(customer.calls).toEqual([]);
		}
	},

	async 'ask the orders themselves where the list cannot be read'(customer) {
		const { prepaid, prepaidForLong, perIp, open } = ordersOf(customer);
		customer.sandbox.faults.add({ kind: 'status', status: 503, path: API.getaccountorders });
		const orders = { prepaid, prepaidForLong, perIp, open };
		const result = await customer.renewByNumber(
			prepaid,
			{ orderid: BY_ITEM, ...WEEK, ...TOP_UPS },
			{ items: itemsOf(orders) },
		);
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ renewed }) => renewed)).toEqual([true, false, true, false]);
		expect(customer.requests(API.getorderinfo)).toHaveLength(4);
		expect(customer.paid).toBe(2);
	},

	async 'orders out of force, with the reason, while the others of a list are renewed'(customer) {
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
		expect(customer.requests(API.reneworder)).toHaveLength(1);
		expect(customer.paid).toBe(1);
	},

	async 'nothing by what an old input item says: the list is asked'(customer) {
		const order = customer.tunnel(20 * DAY);
		const end = endOf(order);
		const old = { pay_type: 'PRE_PAY', product: 'TPS', status: 'VALID' };
		const item = { orderid: order.orderId, ...old, expire_time: chinaTime(end - 21 * DAY) };
		customer.sandbox.faults.add({ kind: 'code', code: -102, path: API.getorderexpiretime });
		const [record] = records(await customer.renewByNumber(order, WEEK, { items: [item] }));
		expect(record).toMatchObject({ renewed: false, expire_time: chinaTime(end) });
		expect(record.reason).toContain('more than 3 days left');
		expect(customer.paid).toBe(0);
	},
});

/* Orders of another kind than 'Order Type' says: they pass, and nothing is sent for them. */

const { bed, customer } = useWorkbench();

const PREPAID: IDataObject = { renewalOf: 'prepaid' };
const PER_IP: IDataObject = { renewalOf: 'perIp', dpsIpCount: 1000 };
const TRAFFIC: IDataObject = { renewalOf: 'traffic', fpsFlow: 1 };

type MakeOrder = (customer: Customer) => Order;

const prepaid: MakeOrder = (customer) => customer.tunnel(DAY);
const perIp: MakeOrder = (customer) => customer.perIp(50);
const payAsYouGo: MakeOrder = (customer) => customer.tunnel(DAY, { payType: 'POST_PAY' });
/** Has IPs that are counted by the day. */
const concentrated: MakeOrder = (customer) =>
	Object.assign(customer.perIp(5000), { payType: 'PRE_PAY', fetchType: 2 });
const byTraffic: MakeOrder = (customer) =>
	Object.assign(customer.overseas(100), { expiresAt: new Date(Date.now() + DAY) });
const overseasByTheMonth: MakeOrder = (customer) =>
	Object.assign(customer.overseas(100), {
		flowInGb: undefined,
		expiresAt: new Date(Date.now() + DAY),
	});

const is = (kind: string, chosen: string): string =>
	`This is ${kind}, and 'Order Type' is '${chosen}', so nothing was bought`;
const RUNS = 'Pay-as-you-go orders run until you close them, so nothing was bought';

const CASES: ReadonlyArray<[what: string, MakeOrder, IDataObject, reason: string]> = [
	['a pay-per-IP order', perIp, PREPAID, is('a pay-per-IP order', 'Prepaid Order')],
	['a pay-per-IP order', perIp, TRAFFIC, is('a pay-per-IP order', 'Overseas Order by Traffic')],
	['a prepaid order', prepaid, PER_IP, is('a prepaid order', 'Pay-per-IP Order')],
	['one with IPs by the day', concentrated, PER_IP, is('a prepaid order', 'Pay-per-IP Order')],
	['a prepaid order', prepaid, TRAFFIC, is('a prepaid order', 'Overseas Order by Traffic')],
	['one by traffic', byTraffic, PREPAID, is('an overseas order by traffic', 'Prepaid Order')],
	['one by traffic', byTraffic, PER_IP, is('an overseas order by traffic', 'Pay-per-IP Order')],
	[
		'an overseas order by the month',
		overseasByTheMonth,
		TRAFFIC,
		is('a prepaid order', 'Overseas Order by Traffic'),
	],
	['a pay-as-you-go order', payAsYouGo, PREPAID, RUNS],
	['a pay-as-you-go order', payAsYouGo, {}, RUNS],
];

it.each(CASES)('%s passes, by either key pair (%#)', async (_what, make, fields, reason) => {
	const order = make(customer);
	for (const result of [
		await customer.renew(order, { ...fields, ...ALWAYS }),
		await customer.renewByNumber(order, fields),
	]) {
		expect(result.error).toBeUndefined();
		expect(records(result)).toMatchObject([{ orderid: order.orderId, renewed: false, reason }]);
	}
	expect(customer.requests(API.reneworder)).toEqual([]);
	expect(customer.paid).toBe(0);
});

it('an overseas order by the month is renewed for longer, whether chosen or found out', async () => {
	for (const fields of [PREPAID, {}]) {
		const customer = new Customer(bed());
		const order = overseasByTheMonth(customer);
		expect(records(await customer.renewByNumber(order, fields))).toMatchObject([{ renewed: true }]);
		expect(records(await customer.renew(order, fields))).toMatchObject([{ renewed: false }]);
		expect(customer.paid).toBe(1);
	}
});

it('where nothing tells what the order is, it is renewed as what was chosen', async () => {
	const order = customer.perIp(50);
	const { faults } = bed().sandbox;
	faults.add({ kind: 'status', status: 503, path: API.getorderinfo });
	faults.add({ kind: 'status', status: 503, path: API.getaccountorders });
	const result = await customer.renewByNumber(order, { ...PREPAID, ...ALWAYS });
	expect(result.error).toMatchObject({ httpCode: '-1' });
	expect(customer.requests(API.reneworder)).toHaveLength(1);
	expect(customer.paid).toBe(0);
});

it('where nothing tells which order a key pair is of, nothing is renewed', async () => {
	const order = customer.perIp(50);
	bed().sandbox.faults.add({ kind: 'status', status: 503, path: API.getorderinfo });
	const { error } = await customer.renew(order, { ...PREPAID, ...ALWAYS });
	expect(error).toMatchObject({ httpCode: '503' });
	expect(error?.description).toContain('nothing was bought for this item');
	expect(customer.requests(API.reneworder)).toEqual([]);
});

it('a refusal is one for an order, too, that has nothing to compare', async () => {
	const { sandbox, account } = customer;
	const now = sandbox.clock.now();
	const { orderId } = sandbox.store.addOrder(newTopUp(uniqueName('top-up'), account, now));
	const text = textOf(await customer.renewAll({ orderid: typed(orderId), ...WEEK, ...ALWAYS }));
	expect(text).toMatch(/^Order \d+ doesn't match 'Order Type'/);
	expect(text).not.toContain('may have been renewed');
	expect(customer.paid).toBe(0);
});

it("where the service doesn't say it, 'Automatic' renews nothing, and says what to choose", async () => {
	const body = JSON.stringify({ code: 0, msg: '', data: { status: 'VALID', pay_type: null } });
	bed().sandbox.faults.add({ kind: 'raw', path: API.getorderinfo, body });
	const result = await customer.renew(customer.tunnel(DAY));
	expect(textOf(result)).toContain("Kuaidaili doesn't say what kind of order this order is");
	expect(textOf(result)).toContain("in a node of its own whose 'Order Type' says what it is");
	expect(customer.requests(API.reneworder)).toEqual([]);
});

it("a refused value is explained by the order where 'Automatic' is chosen already", async () => {
	const order = customer.exclusive(DAY);
	const result = await customer.renewByNumber(order, {
		renewalOf: 'automatic',
		...ALWAYS,
		...WEEK,
	});
	expect(result.error).toMatchObject({ httpCode: '-2' });
	expect(textOf(result)).not.toContain("set 'Order Type'");
	expect(textOf(result)).toContain(
		"If it is chosen already, check 'Time Unit' and 'Auto-Renew Unit': exclusive dedicated proxies take Month and Year only.",
	);
});

it("a missing value is explained by the order where 'Automatic' is chosen already", async () => {
	bed().sandbox.faults.add({ kind: 'code', code: -1, path: API.reneworder });
	const result = await customer.renewByNumber(customer.tunnel(DAY), { ...ALWAYS, ...WEEK });
	expect(result.error).toMatchObject({ httpCode: '-1' });
	expect(textOf(result)).not.toContain("set 'Order Type'");
	expect(textOf(result)).toContain(
		'If it is chosen already, choose there what this order is: a renewal by time, IPs, or traffic takes different values.',
	);
	expect(customer.paid).toBe(0);
});

it('a pay type that is new to the node is an error of its item', async () => {
	const order = customer.tunnel(DAY);
	const listed = { orderid: order.orderId, pay_type: 'PRE_PAY_HOUR', product: 'TPS' };
	const body = JSON.stringify({ code: 0, msg: '', data: [{ ...listed, status: 'VALID' }] });
	bed().sandbox.faults.add({ kind: 'raw', path: API.getaccountorders, body });
	const [record] = records(await customer.renewByNumber(order, ALWAYS, { settings: CONTINUE }));
	expect(record).toMatchObject({ orderid: order.orderId, renewed: false });
	expect(record.error).toContain(`the pay type 'PRE_PAY_HOUR' of order ${order.orderId}`);
	expect(customer.paid).toBe(0);
});

it('traffic that cannot be read stops the item, before anything is bought', async () => {
	bed().sandbox.faults.add({ kind: 'status', status: 503, path: API.getfpsflow });
	const result = await customer.renewByNumber(byTraffic(customer));
	expect(textOf(result)).toContain('nothing was bought for this item');
	expect(customer.requests(API.reneworder)).toEqual([]);
});

it.each(['={{ undefined }}', "={{ 'postpaid' }}", "={{ ['prepaid'] }}", "={{ 'Prepaid Order' }}"])(
	'an order type of %s is refused before anything is sent',
	async (renewalOf) => {
		const result = await customer.renewByNumber(customer.tunnel(DAY), { renewalOf });
		expect(textOf(result)).toMatch(/'Order Type' (?:is empty|can't be )/);
		expect(customer.calls).toEqual([]);
	},
);
