import type { IDataObject } from 'n8n-workflow';

import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { Customer, records, RENEW, textOf } from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { useTestBed } from '../support/testBed.mts';

/* Orders that are renewed as something that they are not. */

const bed = useTestBed();

const PER_IP: IDataObject = { renewalOf: 'perIp', dpsIpCount: 1000 };
const TRAFFIC: IDataObject = { renewalOf: 'traffic', fpsFlow: 1 };
const ALWAYS: IDataObject = { renewWhen: 'always' };

type MakeOrder = (customer: Customer) => Order;

const prepaid: MakeOrder = (customer) => customer.tunnel(DAY);
const prepaidForLong: MakeOrder = (customer) => customer.tunnel(30 * DAY);
const perIp: MakeOrder = (customer) => customer.perIp(50);
const payAsYouGo: MakeOrder = (customer) => customer.tunnel(DAY, { payType: 'POST_PAY' });
/** Has IPs that are counted by the day. */
const concentrated: MakeOrder = (customer) =>
	Object.assign(customer.perIp(5000), { payType: 'PRE_PAY', fetchType: 2 });

const SAY_PER_IP = ['is a pay-per-IP order', "Set 'Order Type' to 'Pay-per-IP Order'."];
const SAY_PREPAID = ['is a prepaid order', "Set 'Order Type' to 'Prepaid Order'."];
const SAY_RUNS = ['is a pay-as-you-go order', 'It runs until you close it'];

const CASES: ReadonlyArray<[what: string, MakeOrder, IDataObject, says: readonly string[]]> = [
	['a pay-per-IP order as a prepaid one', perIp, {}, SAY_PER_IP],
	['a pay-per-IP order as a prepaid one, always', perIp, ALWAYS, SAY_PER_IP],
	['a pay-per-IP order as one by traffic', perIp, TRAFFIC, SAY_PER_IP],
	['a prepaid order as a pay-per-IP one', prepaid, PER_IP, SAY_PREPAID],
	[
		'a prepaid order as a pay-per-IP one, always',
		prepaidForLong,
		{ ...PER_IP, ...ALWAYS },
		SAY_PREPAID,
	],
	['a prepaid order with IPs by the day as a pay-per-IP one', concentrated, PER_IP, SAY_PREPAID],
	['a prepaid order as one by traffic', prepaid, TRAFFIC, SAY_PREPAID],
	['a prepaid order as one by traffic, always', prepaid, { ...TRAFFIC, ...ALWAYS }, SAY_PREPAID],
	['a pay-as-you-go order as a prepaid one', payAsYouGo, {}, SAY_RUNS],
];

function expectSays(result: RunResult, says: readonly string[]): void {
	for (const part of says) expect(textOf(result)).toContain(part);
	expect(result.items).toEqual([]);
}

describe.each(CASES)('%s', (_what, newOrder, fields, says) => {
	it("is refused with what to choose, or passes, for the account's key pair with the number", async () => {
		const customer = new Customer(bed());
		const order = newOrder(customer);
		const result = await customer.renewByNumber(order, fields);
		if (fields.renewWhen === 'always') {
			expectSays(result, [...says, `Order ${order.orderId} is`]);
		} else {
			const [record] = records(result);
			expect(record).toMatchObject({ orderid: order.orderId, renewed: false });
			expect(record.reason).toMatch(/'Order Type' is '.*', so nothing was bought$|run until you/);
		}
		expect(customer.paid).toBe(0);
	});

	it("is refused with what to choose, for the order's key pair", async () => {
		const customer = new Customer(bed());
		const result = await customer.renew(newOrder(customer), fields);
		expectSays(result, says);
		expect(customer.paid).toBe(0);
	});
});

it('what may be billed by traffic or by time is left to the service', async () => {
	const customer = new Customer(bed());
	const order = customer.overseas(100);
	expect(textOf(await customer.renew(order, PER_IP))).toContain(
		"Set 'Order Type' to 'Overseas Order by Traffic' or 'Prepaid Order'.",
	);
	order.expiresAt = new Date(Date.now() + DAY);
	const result = await customer.renew(order);
	expect(textOf(result)).toContain("'Order Type'");
	expect(customer.requests(RENEW)).toHaveLength(1);
	expect(customer.paid).toBe(0);
});

it('where the order does not tell what it is, the refusal of the service stands', async () => {
	const customer = new Customer(bed());
	const order = customer.perIp(50);
	bed().sandbox.faults.add({ kind: 'status', status: 503, path: '/api/getorderinfo' });
	const result = await customer.renew(order, ALWAYS);
	expect(result.error).toMatchObject({ httpCode: '-1' });
	expect(customer.paid).toBe(0);
});
