import type { Fault } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { CREATE, Customer, LIST, RENEW, records, textOf, WEEK } from '../support/customer.mts';
import { CONTINUE } from '../support/nodeSettings.mts';
import { useTestBed } from '../support/testBed.mts';

/*
 * What the first delivery of a request bought, while the answer that arrived is that of the second one. What was
 * paid is what the ledger of the sandbox says.
 */

const bed = useTestBed();

const TOKEN = { credential: { signType: 'token' } };

const secondRefused = (path: string, code: number): Fault => ({
	kind: 'twice',
	path,
	secondCode: code,
	times: 1,
	gapMs: 1100,
});

describe('with a token, a refusal is no proof that nothing was bought', () => {
	it.each([-4, -5, -61])('an order, where the second delivery gets %i', async (code) => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add(secondRefused(CREATE, code));
		const result = await customer.buy({}, TOKEN);
		expect(customer.paid).toBe(1);
		expect(textOf(result)).toContain('The order may have been placed: ');
		expect(textOf(result)).toContain(customer.payments[0].orderId);
		expect(textOf(result)).not.toContain('nothing was bought for this item, and then');
	});

	it.each([-4, -5, -6])('a renewal, where it gets %i', async (code) => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		customer.sandbox.faults.add(secondRefused(RENEW, code));
		const result = await customer.renewByNumber(order, { ...WEEK, renewWhen: 'always' }, TOKEN);
		expect(customer.paid).toBe(1);
		expect(textOf(result)).toContain('The order may have been renewed: ');
		expect(textOf(result)).toContain(order.orderId);
	});

	it.each([
		['IPs', { renewalOf: 'perIp', dpsIpCount: 1000 }, 'The IPs may have been bought: '],
		['traffic', { renewalOf: 'traffic', fpsFlow: 1 }, 'The traffic may have been bought: '],
	])('more %s, where it gets -5', async (what, fields, message) => {
		const customer = new Customer(bed());
		const order = what === 'IPs' ? customer.perIp(50) : customer.overseas(50);
		customer.sandbox.faults.add(secondRefused(RENEW, -5));
		const result = await customer.renewByNumber(order, { ...fields, renewWhen: 'always' }, TOKEN);
		expect(customer.paid).toBe(1);
		expect(textOf(result)).toContain(message);
	});

	it('a plain refusal stays what it is', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'code', code: -4, path: CREATE, times: 1 });
		const result = await customer.buy({}, TOKEN);
		expect(result.error?.message).toContain('The account balance is too low for the order');
		expect(customer.requests(CREATE)).toHaveLength(1);
	});

	it('with Continue On Fail, too, and the next item is bought', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add(secondRefused(CREATE, -4));
		const { items } = await customer.buy(
			{ options: { maxOrdersPerRun: 2 } },
			{ ...TOKEN, items: [{}, {}], settings: { onError: 'continueRegularOutput' } },
		);
		expect(String(items[0].json.error)).toContain('The order may have been placed: ');
		expect(items[1].json.created).toBe(true);
		expect(customer.paid).toBe(2);
	});
});

it('what the first delivery renewed counts against the limit, and is reported', async () => {
	const customer = new Customer(bed());
	const orders = [1, 2, 3, 4, 5].map(() => customer.tunnel(DAY));
	customer.sandbox.faults.add({ ...secondRefused(RENEW, -120), times: 5 });
	const items = orders.map(({ orderId }) => ({ order: orderId }));
	const orderid = { __rl: true, mode: 'code', value: '={{ $json.order }}' };
	const fields = { ...WEEK, orderid, options: { maxOrdersPerRun: 2 } };
	const result = await customer.renewByNumber(orders[0], fields, { ...TOKEN, items });
	expect(customer.paid).toBe(2);
	expect(result.error?.message).toContain("'Max Orders per Run' allows 2");
	for (const { orderId } of customer.payments) expect(textOf(result)).toContain(orderId);
});

it('what it renewed says that it was renewed', async () => {
	const customer = new Customer(bed());
	customer.sandbox.faults.add(secondRefused(RENEW, -120));
	const [record] = records(await customer.renewByNumber(customer.tunnel(DAY), WEEK, TOKEN));
	expect(record).toMatchObject({ renewed: true, verified: false });
	expect(record.reason).toContain('arrived twice');
});

describe('An order of somebody else', () => {
	it('of another term is not claimed, and is named', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add(
			{ kind: 'cut', when: 'before', path: CREATE, times: 1 },
			{ kind: 'delay', ms: 300, path: CREATE },
		);
		const running = customer.buy();
		await customer.asked(CREATE);
		const { orderId } = customer.tunnel(365 * DAY);
		const result = await running;
		expect(textOf(result)).toContain(`what may be this order (${orderId}), but it ends at `);
		expect(customer.paid).toBe(0);
	});

	it('of another term does not hide the one that was placed', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add(
			{ kind: 'cut', when: 'after', path: CREATE, times: 1 },
			{ kind: 'delay', ms: 300, path: CREATE },
		);
		const running = customer.buy();
		await customer.asked(CREATE);
		customer.tunnel(365 * DAY);
		const [record] = records(await running);
		expect(record).toMatchObject({ orderid: customer.payments[0].orderId, verified: true });
	});
});

describe.each(['token', 'hmacsha1'])('A new order of somebody else, with %s,', (signType) => {
	async function buyTwoWhile(appear: (customer: Customer) => void) {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'delay', ms: 300, path: CREATE, times: 1 });
		const running = customer.buy(
			{ options: { maxOrdersPerRun: 2 } },
			{ credential: { signType }, items: [{}, {}], settings: CONTINUE },
		);
		await customer.asked(CREATE);
		appear(customer);
		return { customer, result: await running };
	}

	it('that ends at another time is no second delivery, and counts against no limit', async () => {
		const { customer, result } = await buyTwoWhile((one) => one.tunnel(30 * DAY));
		expect(customer.paid).toBe(2);
		for (const record of records(result)) {
			expect(record.created).toBe(true);
			expect(record).not.toHaveProperty('duplicateWarning');
		}
	});

	it('without a known end may be one', async () => {
		const { result } = await buyTwoWhile((one) => {
			one.tunnel(30 * DAY).expiresAt = undefined;
		});
		expect(records(result).filter((record) => 'duplicateWarning' in record)).toHaveLength(1);
	});
});

describe.each([-112, -120])('after %i', (code) => {
	it('an order is not sent again before an earlier delivery would show', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'code', code, path: CREATE, times: 1 });
		const running = customer.buy();
		await customer.asked(CREATE);
		await new Promise((resolve) => setTimeout(resolve, 1500));
		const { orderId } = customer.tunnel(DAY);
		expect(textOf(await running)).toContain(orderId);
		expect(customer.requests(CREATE)).toHaveLength(1);
	});

	it('IPs are not, either', async () => {
		const customer = new Customer(bed());
		const order = customer.perIp(50);
		customer.sandbox.faults.add({ kind: 'code', code, path: RENEW, times: 1 });
		const fields = { renewalOf: 'perIp', dpsIpCount: 1000, renewWhen: 'always' };
		const running = customer.renewByNumber(order, fields);
		await customer.asked(RENEW);
		await new Promise((resolve) => setTimeout(resolve, 1500));
		order.ipBalance = 1050;
		expect(textOf(await running)).toContain('The IPs may have been bought: ');
		expect(customer.requests(RENEW)).toHaveLength(1);
	});
});

describe('A cache on the way', () => {
	it('gives no two items the same order', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cache', path: CREATE });
		const result = await customer.buy(
			{ options: { maxOrdersPerRun: 2 } },
			{ ...TOKEN, items: [{}, {}], settings: { onError: 'continueRegularOutput' } },
		);
		const [first, second] = records(result);
		expect(first.orderid).toBe(customer.payments[0].orderId);
		expect(second.orderid).toBeUndefined();
		expect(String(second.error)).toContain('The order may have been placed: ');
	});

	it('does not make an order of an earlier run a new one', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cache', path: CREATE });
		await customer.buy({}, TOKEN);
		const again = await customer.buy({}, TOKEN);
		expect(again.items).toEqual([]);
		expect(textOf(again)).toContain('The order may have been placed: ');
	});

	it('does not make an old renewal a new one', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		const always = { ...WEEK, renewWhen: 'always' };
		customer.sandbox.faults.add({ kind: 'cache', path: RENEW });
		await customer.renewByNumber(order, always, TOKEN);
		const again = await customer.renewByNumber(order, always, TOKEN);
		expect(textOf(again)).toContain('The order may have been renewed: ');
		expect(customer.paid).toBe(1);
	});
});

it('a second new order is told with HMAC-SHA1, too, by the list that is read anyway', async () => {
	const customer = new Customer(bed());
	customer.sandbox.faults.add({ kind: 'delay', ms: 300, path: CREATE });
	const running = customer.buy();
	await customer.asked(CREATE);
	const { orderId } = customer.tunnel(DAY);
	const { items, hints } = await running;
	expect(items[0].json.duplicateWarning).toContain(
		`another new order of the same product and pay type: ${orderId}.`,
	);
	expect(hints.map(({ message }) => message)).toEqual([items[0].json.duplicateWarning]);
	expect(customer.requests(LIST)).toHaveLength(2);
});
