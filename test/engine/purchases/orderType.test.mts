import type { IDataObject } from 'n8n-workflow';

import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { Customer, LIST, ORDER_INFO, records, RENEW, textOf, WEEK } from '../support/customer.mts';
import { CONTINUE } from '../support/nodeSettings.mts';
import { useTestBed } from '../support/testBed.mts';

/* Orders of another kind than 'Order Type' says: they pass, and nothing is sent for them. */

const bed = useTestBed();

const PREPAID: IDataObject = { renewalOf: 'prepaid' };
const PER_IP: IDataObject = { renewalOf: 'perIp', dpsIpCount: 1000 };
const TRAFFIC: IDataObject = { renewalOf: 'traffic', fpsFlow: 1 };
const ALWAYS: IDataObject = { renewWhen: 'always' };

const TRAFFIC_PATH = '/api/getfpsflow';

type MakeOrder = (customer: Customer) => Order;

const prepaid: MakeOrder = (customer) => customer.tunnel(DAY);
const prepaidForLong: MakeOrder = (customer) => customer.tunnel(30 * DAY);
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
	['a prepaid order for long', prepaidForLong, PER_IP, is('a prepaid order', 'Pay-per-IP Order')],
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

describe.each(
	CASES.flatMap(([what, make, fields, reason]) => [
		{ what, make, fields, reason, when: 'if due' },
		{ what, make, fields: { ...fields, ...ALWAYS }, reason, when: 'always' },
	]),
)('$what as $fields.renewalOf, $when', ({ make, fields, reason }) => {
	it.each(['account', 'order'])('passes, by the key pair of the %s', async (by) => {
		const customer = new Customer(bed());
		const order = make(customer);
		const result =
			by === 'account'
				? await customer.renewByNumber(order, fields)
				: await customer.renew(order, fields);
		expect(result.error).toBeUndefined();
		const number = by === 'account' ? { orderid: order.orderId } : {};
		expect(records(result)).toEqual([
			expect.objectContaining({ ...number, renewed: false, reason }),
		]);
		expect(customer.requests(RENEW)).toEqual([]);
		expect(customer.paid).toBe(0);
	});
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
	const customer = new Customer(bed());
	const order = customer.perIp(50);
	bed().sandbox.faults.add({ kind: 'status', status: 503, path: ORDER_INFO });
	const result = await customer.renew(order, { ...PREPAID, ...ALWAYS });
	expect(result.error).toMatchObject({ httpCode: '-1' });
	expect(customer.requests(RENEW)).toHaveLength(1);
	expect(customer.paid).toBe(0);
});

it("where nothing tells it, 'Automatic' renews nothing, and says so", async () => {
	const customer = new Customer(bed());
	bed().sandbox.faults.add({ kind: 'status', status: 503, path: ORDER_INFO });
	const result = await customer.renew(customer.tunnel(DAY), ALWAYS);
	expect(textOf(result)).toContain('nothing was bought for this item');
	expect(customer.requests(RENEW)).toEqual([]);
});

it("where the service doesn't say it, 'Automatic' renews nothing, and says what to choose", async () => {
	const customer = new Customer(bed());
	const body = JSON.stringify({ code: 0, msg: '', data: { status: 'VALID', pay_type: null } });
	bed().sandbox.faults.add({ kind: 'raw', path: ORDER_INFO, body });
	const result = await customer.renew(customer.tunnel(DAY));
	expect(textOf(result)).toContain("Kuaidaili doesn't say what kind of order this order is");
	expect(textOf(result)).toContain("in a node of its own whose 'Order Type' says what it is");
	expect(customer.requests(RENEW)).toEqual([]);
});

it("a refused value is explained by the order where 'Automatic' is chosen already", async () => {
	const customer = new Customer(bed());
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
	const customer = new Customer(bed());
	bed().sandbox.faults.add({ kind: 'code', code: -1, path: RENEW });
	const result = await customer.renewByNumber(customer.tunnel(DAY), { ...ALWAYS, ...WEEK });
	expect(result.error).toMatchObject({ httpCode: '-1' });
	expect(textOf(result)).not.toContain("set 'Order Type'");
	expect(textOf(result)).toContain(
		'If it is chosen already, choose there what this order is: a renewal by time, IPs, or traffic takes different values.',
	);
	expect(customer.paid).toBe(0);
});

it('a pay type that is new to the node is an error of its item', async () => {
	const customer = new Customer(bed());
	const order = customer.tunnel(DAY);
	const listed = { orderid: order.orderId, pay_type: 'PRE_PAY_HOUR', product: 'TPS' };
	const body = JSON.stringify({ code: 0, msg: '', data: [{ ...listed, status: 'VALID' }] });
	bed().sandbox.faults.add({ kind: 'raw', path: LIST, body });
	const [record] = records(await customer.renewByNumber(order, ALWAYS, { settings: CONTINUE }));
	expect(record).toMatchObject({ orderid: order.orderId, renewed: false });
	expect(record.error).toContain(`the pay type 'PRE_PAY_HOUR' of order ${order.orderId}`);
	expect(customer.paid).toBe(0);
});

it('traffic that cannot be read stops the item, before anything is bought', async () => {
	const customer = new Customer(bed());
	bed().sandbox.faults.add({ kind: 'status', status: 503, path: TRAFFIC_PATH });
	const result = await customer.renewByNumber(byTraffic(customer));
	expect(textOf(result)).toContain('nothing was bought for this item');
	expect(customer.requests(RENEW)).toEqual([]);
});

it.each(['={{ undefined }}', "={{ 'postpaid' }}", "={{ ['prepaid'] }}", "={{ 'Prepaid Order' }}"])(
	'an order type of %s is refused before anything is sent',
	async (renewalOf) => {
		const customer = new Customer(bed());
		const result = await customer.renewByNumber(customer.tunnel(DAY), { renewalOf });
		expect(textOf(result)).toMatch(/'Order Type' (?:is empty|can't be )/);
		expect(customer.calls).toEqual([]);
	},
);
