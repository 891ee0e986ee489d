import { DAY } from '../../durations.mts';
import {
	CREATE,
	Customer,
	EXPIRY,
	records,
	RENEW,
	textOf,
	WEEK,
	WEEK_ALWAYS,
} from '../support/customer.mts';
import { uniqueName, useTestBed } from '../support/testBed.mts';

/* What every purchase goes by: see "One way" in the development docs. */

const bed = useTestBed({ rateLimits: false });

const times = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

/** As a schedule starts it: nobody clicked. */
const scheduled = () => ({ executionId: uniqueName('execution'), rootMode: 'trigger' as const });

describe.each([
	['a new order', CREATE],
	['a renewal', RENEW],
])('%s', (_what, path) => {
	const buy = async (customer: Customer, settings = {}) =>
		path === CREATE
			? await customer.buy({}, settings)
			: await customer.renewByNumber(customer.tunnel(DAY), WEEK_ALWAYS, settings);

	it.each([-120, -112])('is sent four times at most where every answer is %i', async (code) => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'code', code, path });
		const result = await buy(customer);
		expect(result.error).toBeDefined();
		expect(customer.requests(path).length).toBeLessThanOrEqual(4);
		expect(textOf(result)).not.toContain('may have been');
		expect(customer.paid).toBe(0);
	});

	it.each([-120, -112, -999, -114, -109, -4, -5, -6, -61])(
		'that was done but answered with %i is paid once, and counts',
		async (code) => {
			const customer = new Customer(bed());
			customer.sandbox.faults.add({ kind: 'code', code, when: 'after', path, times: 1 });
			const [record] = records(await buy(customer));
			const { amountInFen, orderId } = customer.payments[0];
			expect(record).toMatchObject({ orderid: orderId, verified: true, cost: amountInFen / 100 });
			expect(record.purchasedAt).toMatch(/^\d{4}-.*\+08:00$/);
			expect(customer.requests(path)).toHaveLength(1);
			expect(customer.paid).toBe(1);
		},
	);

	it.each([-999, -4])('that is refused with %i, and changed nothing, is refused', async (code) => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'code', code, path, times: 1 });
		const result = await buy(customer);
		expect(textOf(result)).toContain(`${code}`);
		expect(textOf(result)).not.toContain('may have been');
		expect(customer.requests(path)).toHaveLength(1);
		expect((await buy(customer, { ...scheduled() })).error).toBeUndefined();
		expect(customer.paid).toBe(1);
	});
});

it("What was done but answered with -120 counts for 'Max Orders' and the budget", async () => {
	const customer = new Customer(bed());
	customer.sandbox.faults.add({ kind: 'code', code: -120, when: 'after', path: RENEW });
	const orders = times(5).map(() => customer.tunnel(DAY));
	const two = await customer.renewEach(orders.slice(0, 3), {
		...WEEK,
		options: { maxOrdersPerRun: 2 },
	});
	expect(records(two).map(({ renewed }) => renewed)).toEqual([true, true, false]);
	expect(customer.paid).toBe(2);
	const cost = customer.payments[0].amountInFen / 100;
	const limited = await customer.renewEach(
		orders.slice(2),
		{ ...WEEK, options: { maxCostPerRun: Math.floor(1.5 * cost) } },
		scheduled(),
	);
	expect(records(limited).map(({ renewed }) => renewed)).toEqual([true, false, false]);
	expect(customer.paid).toBe(3);
});

it('An IP order that is in use while it is renewed is renewed, whatever the answer reads', async () => {
	const customer = new Customer(bed());
	const order = customer.perIp(90);
	const data = { orderid: order.orderId, expire_time: '2027-01-01 00:00:00', ip_balance: 80 };
	const body = JSON.stringify({ code: 0, msg: '', data });
	customer.sandbox.faults.add({ kind: 'raw', body, when: 'after', path: RENEW, times: 1 });
	const fields = { renewalOf: 'perIp', dpsIpCount: 1000, renewWhen: 'always' };
	const result = await customer.renewByNumber(order, fields);
	expect(result.error).toBeUndefined();
	expect(records(result)[0]).toMatchObject({ orderid: order.orderId, renewed: true });
	expect(customer.paid).toBe(1);
});

it('A click on a workflow whose sub-workflow buys is one beside an earlier click', async () => {
	const customer = new Customer(bed());
	const settings = { id: uniqueName('node') };
	const click = async (
		rootMode: 'manual' | 'trigger',
		parentExecutionId = uniqueName('execution'),
	) =>
		await customer.buy(
			{},
			{ settings, rootMode, parentExecutionId, executionId: uniqueName('execution') },
		);
	const [first, second] = [await click('manual', 'one click'), await click('manual')];
	expect(records(first)[0]).toMatchObject({ created: true });
	expect(records(second)[0]).toMatchObject({
		created: false,
		orderid: records(first)[0].orderid,
	});
	expect(customer.paid).toBe(1);
	// Execute Sub-workflow begins an execution for each item, and a schedule buys whenever it runs
	expect(records(await click('manual', 'one click'))[0]).toMatchObject({ created: true });
	expect(records(await click('trigger'))[0]).toMatchObject({ created: true });
	expect(customer.paid).toBe(3);
});

describe('Two processes at once', () => {
	it('look again after one has waited for its turn', async () => {
		const customer = new Customer(bed());
		const [first, order] = [customer.tunnel(DAY), customer.tunnel(DAY)];
		const { secretId } = first.keys;
		customer.sandbox.faults.add({ kind: 'delay', ms: 5000, path: RENEW, secretId, times: 1 });
		// Purchases of an account that read its balance wait for each other
		const slow = customer.renewByNumber(first, WEEK, scheduled());
		await customer.asked(RENEW);
		const waiting = customer.renewByNumber(order, WEEK, scheduled());
		await customer.asked(EXPIRY, 2);
		const engine = bed().engine.anotherProcess();
		await customer.renewByNumber(order, WEEK, { engine, ...scheduled() });
		const results = await Promise.all([slow, waiting]);
		expect(results.flatMap(records).map(({ renewed }) => renewed)).toEqual([true, false]);
		expect(customer.paid).toBe(2);
	});

	it('that both lose their answers claim nothing that is not theirs', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: CREATE, times: 2 });
		const engines = [bed().engine, bed().engine.anotherProcess()];
		const results = await Promise.all(
			engines.map(async (engine) => await customer.buy({}, { engine, ...scheduled() })),
		);
		const verified = results.flatMap(records).filter((record) => record.verified === true);
		expect(new Set(verified.map(({ orderid }) => orderid)).size).toBe(verified.length);
		expect(customer.paid).toBe(2);
	});
});
