import type { IDataObject } from 'n8n-workflow';

import { DAY } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { Customer, WEEK, WEEK_ALWAYS, type CustomerRun } from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { lost, missed } from '../support/faults.mts';
import { hintsOf, records, textOf } from '../support/results.mts';
import { CONTINUE, elsewhere, scheduled } from '../support/runSettings.mts';
import { useWorkbench } from '../support/workbench.mts';

/*
 * Limits of what may be spent, and of what has to stay on the account, for somebody with 40 orders. A tunnel for
 * a week costs 38.50 yuan here.
 */

const { bed } = useWorkbench({ rateLimits: false, withRecords: true });

const PRICE = 38.5;

function withOrders(count: number, yuan = 10_000) {
	const customer = new Customer(bed(), { balanceInFen: yuan * 100 });
	const orders = Array.from({ length: count }, (_, n) =>
		customer.tunnel((n + 1) * 0.05 * DAY + DAY),
	);
	// One that knows no costs yet
	const engine = bed().engine.anotherProcess();
	const renew = async (options: IDataObject, settings: CustomerRun = {}) =>
		await customer.renewEach(
			orders,
			{ ...WEEK_ALWAYS, options: { maxOrdersPerRun: 50, ...options } },
			{ engine, ...scheduled(), ...settings },
		);
	const spent = () => customer.payments.reduce((sum, each) => sum + each.amountInFen, 0) / 100;
	const left = () => customer.account.balanceInFen / 100;
	return { customer, engine, orders, renew, spent, left };
}

const renewedIn = (result: RunResult) =>
	records(result).filter(({ renewed, wouldRenew }) => renewed === true || wouldRenew === true);

describe('With a balance that is five seconds late', () => {
	beforeEach(() => {
		bed().sandbox.settings.balanceLagSeconds = 5;
	});

	it('a budget of 384 yuan is used, and never exceeded', async () => {
		const { renew, spent } = withOrders(20);
		const result = await renew({ maxCostPerRun: 384, expectedCost: 39 });
		expect(result.error).toBeUndefined();
		expect(spent()).toBeLessThanOrEqual(384);
		// Whatever an unshown one is counted as, no more than one yuan or one order of it stays unused
		expect(spent()).toBeGreaterThan(384 - 2 * 39);
		expect(renewedIn(result)).toHaveLength(spent() / PRICE);
	});

	it('200 yuan stay on the account, and the rest is used', async () => {
		const { renew, left } = withOrders(20, 500);
		const result = await renew({ minimumBalance: 200, expectedCost: 39 });
		expect(result.error).toBeUndefined();
		expect(left()).toBeGreaterThanOrEqual(200);
		expect(left()).toBeLessThan(200 + 2 * 39);
	});

	it('two executions at once keep what has to stay on the account', async () => {
		const { customer, engine, left } = withOrders(0, 500);
		const each = [0, 1].map(async () => {
			const orders = Array.from({ length: 10 }, () => customer.tunnel(2 * DAY));
			const options = { maxOrdersPerRun: 50, minimumBalance: 200, expectedCost: 39 };
			return await customer.renewEach(
				orders,
				{ ...WEEK_ALWAYS, options },
				{
					...scheduled(),
					settings: { id: uniqueName('node') },
					engine,
				},
			);
		});
		for (const { error } of await Promise.all(each)) expect(error).toBeUndefined();
		expect(left()).toBeGreaterThanOrEqual(200);
		expect(left()).toBeLessThan(200 + 2 * 39);
	});
});

describe('With a balance that is five seconds late, a price that nobody expected', () => {
	beforeEach(() => {
		bed().sandbox.settings.balanceLagSeconds = 5;
	});
	const TOO_LOW = { maxCostPerRun: 40, expectedCost: 5 };

	it('passes a budget once, and holds the others back', async () => {
		const { customer, renew } = withOrders(8);
		const result = await renew(TOO_LOW);
		expect(customer.paid).toBe(1);
		expect(renewedIn(result)).toMatchObject([{ cost: PRICE, expectedCost: 5 }]);
		const others = records(result).filter(({ renewed }) => renewed === false);
		expect(others).toHaveLength(7);
		for (const { reason } of others)
			expect(reason).toContain("'Budget per Execution (Yuan)' is 40");
	});

	it('passes it once where the balance takes longer than a report would wait', async () => {
		const { customer, renew } = withOrders(8);
		const path = API.getaccountbalance;
		bed().sandbox.faults.add({ kind: 'delay', ms: 6000, when: 'before', path });
		await renew(TOO_LOW);
		expect(customer.paid).toBe(1);
	});

	it('passes it once beside what another node buys', async () => {
		const { customer, engine, renew } = withOrders(8);
		const others = Array.from({ length: 4 }, () => customer.tunnel(2 * DAY));
		const settings = { id: uniqueName('node') };
		const run = { ...scheduled(), settings, engine };
		await Promise.all([customer.renewEach(others, WEEK_ALWAYS, run), renew(TOO_LOW)]);
		expect(customer.paid).toBe(4 + 1);
	});

	it('passes it once after a purchase before which nobody read the balance', async () => {
		const { customer, engine, renew } = withOrders(8);
		const settings = { id: uniqueName('node') };
		const fields = { ...WEEK_ALWAYS, options: { reportCost: false } };
		await customer.renewByNumber(customer.tunnel(), fields, { ...scheduled(), settings, engine });
		await renew(TOO_LOW);
		expect(customer.paid).toBe(1 + 1);
	});
});

describe('A dry run and a real run agree', () => {
	it.each<[string, IDataObject, number]>([
		['with a budget', { maxCostPerRun: 100, expectedCost: 39 }, 10_000],
		['with a balance to keep', { minimumBalance: 300, expectedCost: 39 }, 400],
		['with a few orders at most', { maxOrdersPerRun: 3 }, 10_000],
	])('%s', async (_name, options, yuan) => {
		const { renew, customer } = withOrders(6, yuan);
		const dry = await renew({ ...options, dryRun: true });
		expect(customer.paid).toBe(0);
		const real = await renew(options);
		const orders = (result: RunResult) => renewedIn(result).map(({ orderid }) => orderid);
		expect(orders(dry)).toEqual(orders(real));
		expect(orders(real)).toHaveLength(customer.paid);
	});

	it('for new orders', async () => {
		for (const [yuan, options] of [
			[1, { expectedCost: 6 }],
			[1000, { maxCostPerRun: 5, expectedCost: 6 }],
			[1000, { minimumBalance: 999, expectedCost: 6 }],
		] as const) {
			const customer = new Customer(bed(), { balanceInFen: yuan * 100 });
			const dry = await customer.buy({ options: { ...options, dryRun: true } }, scheduled());
			const real = await customer.buy({ options }, scheduled());
			expect(dry.error !== undefined || records(dry)[0].wouldCreate === false).toBe(true);
			expect(real.error).toBeDefined();
			expect(customer.paid).toBe(0);
		}
	});
});

it('A limit that is reached names ten orders, and says how many more there are', async () => {
	const result = await withOrders(12).renew({ minimumBalance: 20_000, expectedCost: 39 });
	expect(hintsOf(result)).toMatch(/^12 orders were .* \((?:\d+, ){9}\d+ and 2 more\): /m);
});

it('What an unclear purchase was expected to cost counts for a balance to keep that is a minute late', async () => {
	Object.assign(bed().sandbox.settings, { balanceLagSeconds: 60, newOrderLagSeconds: 60 });
	bed().sandbox.faults.add(lost(API.createorder));
	const customer = new Customer(bed(), { balanceInFen: 100_00 });
	const options = { maxOrdersPerRun: 10, minimumBalance: 55, expectedCost: 40 };
	const fields = { product: '={{ $json.product }}', tpsMaxBandwidth: 5, options };
	await customer.buy(
		{ ...fields, prepayTimeType: 'WEEK' },
		{
			items: [{ product: 'TPS' }, { product: 'OPS' }],
			engine: bed().engine.anotherProcess(),
			...scheduled(),
			settings: CONTINUE,
		},
	);
	expect(customer.account.balanceInFen).toBeGreaterThanOrEqual(55_00);
	expect(customer.paid).toBe(1);
});

/* What purchases cost, by the ledger of the sandbox. */

const { bed: pacedBed, customer } = useWorkbench();

/** What a record says of its costs. */
function reportOf({ balanceBefore, balanceAfter, cost }: IDataObject): IDataObject {
	return { balanceBefore, balanceAfter, cost };
}

/** The same by the ledger, in the order of the purchases. */
function paidBy({ payments }: Customer): IDataObject[] {
	return payments.map(({ amountInFen, balanceInFen }) => ({
		balanceBefore: (balanceInFen + amountInFen) / 100,
		balanceAfter: balanceInFen / 100,
		cost: amountInFen / 100,
	}));
}

const NO_REPORT = { balanceBefore: undefined, balanceAfter: undefined, cost: undefined };

const NO_COST =
	"Not every purchase has its 'cost', because something else may have moved the balance, or it shows the purchase late. The purchases are not affected.";

describe('The cost of a purchase', () => {
	it('stands in the output of new orders, with one balance more than orders', async () => {
		const customer = new Customer(pacedBed(), { balanceInFen: 620_80 });
		const { error, items } = await customer.buy({}, { items: [{}, {}, {}] });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => reportOf(json))).toEqual(paidBy(customer));
		expect(customer.paid).toBe(3);
		expect(customer.requests(API.getaccountbalance)).toHaveLength(4);
	});

	it('is told of an order whose answer was lost', async () => {
		customer.sandbox.faults.add(lost(API.createorder));
		const [record] = records(await customer.buy());
		expect(record).toMatchObject({ created: true, verified: true, ...paidBy(customer)[0] });
	});

	it('is not told where nothing was bought', async () => {
		const settings = { id: uniqueName('node') };
		const click = async (fields = {}) =>
			records(await customer.buy(fields, { settings, executionId: uniqueName('execution') }))[0];
		const [first, second] = [await click(), await click()];
		expect([first.created, second.created]).toEqual([true, false]);
		expect(reportOf(second)).toEqual(NO_REPORT);
		const enough = await click({ createWhen: 'fewerThan', fewerThan: 1, prepayTimeNumber: 2 });
		expect(enough).toMatchObject({ created: false });
		expect(reportOf(enough)).toEqual(NO_REPORT);
		expect(customer.requests(API.getaccountbalance)).toHaveLength(2);
	});

	it.each([{}, { minimumBalance: 0 }])(
		'is not asked for without purchases, or where it is switched off, with %j',
		async (limits) => {
			const due = customer.tunnel(DAY);
			await customer.renewByNumber(customer.tunnel(30 * DAY), { ...WEEK, renewalOf: 'prepaid' });
			await customer.buy({ options: { dryRun: true, reportCost: false } });
			const bought = await customer.buy({ options: { ...limits, reportCost: false } });
			expect(reportOf(records(bought)[0])).toEqual(NO_REPORT);
			const renewed = await customer.renew(due, {
				...WEEK_ALWAYS,
				options: { ...limits, reportCost: true },
			});
			expect(records(renewed)[0].renewed).toBe(true);
			expect(reportOf(records(renewed)[0])).toEqual(NO_REPORT);
			expect(customer.requests(API.getaccountbalance)).toEqual([]);
			expect(customer.paid).toBe(2);
		},
	);

	it('is told of each where several executions buy at once: they do so one after the other', async () => {
		customer.sandbox.faults.add({ kind: 'delay', ms: 5000, when: 'before', path: API.createorder });
		const buy = async () => await customer.buy({}, elsewhere());
		const results = await Promise.all([buy(), buy(), buy()]);
		const shown = results.flatMap(records).map(reportOf);
		const byBalance = (a: IDataObject, b: IDataObject) =>
			Number(b.balanceBefore) - Number(a.balanceBefore);
		expect(shown.sort(byBalance)).toEqual(paidBy(customer));
		for (const { hints } of results) {
			expect(hints).toEqual([
				{ location: 'outputPane', message: expect.stringMatching(/^Ordered 1 /) },
			]);
		}
	});

	it('is not told, but explained, while an earlier purchase is unclear', async () => {
		customer.sandbox.faults.add(missed(API.createorder));
		expect(textOf(await customer.buy())).toContain('The order may have been placed');
		const { items, hints } = await customer.buy({ prepayTimeNumber: 2 });
		expect(customer.paid).toBe(1);
		expect(reportOf(items[0].json)).toEqual({ ...paidBy(customer)[0], cost: undefined });
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^Ordered 1 /),
			NO_COST,
		]);
	});

	it('is not told where the balance before did not show an earlier purchase yet', async () => {
		const { sandbox } = customer;
		sandbox.settings.balanceLagSeconds = 4;
		sandbox.faults.add({ kind: 'delay', ms: 0, path: API.createorder, times: 1 });
		void customer
			.asked(API.createorder)
			.then(() =>
				sandbox.faults.add({ kind: 'hang', when: 'after', path: API.createorder, times: 1 }),
			);
		const options = { maxOrdersPerRun: 2, timeout: 10 };
		const result = await customer.buy({ options }, { items: [{}, {}] });
		sandbox.settings.balanceLagSeconds = 0;
		expect(customer.paid).toBe(2);
		expect(records(result).map(({ cost }) => cost)).toEqual([undefined, undefined]);
	});

	it('is not told, but explained, where the balance does not show it', async () => {
		customer.sandbox.faults.add({ kind: 'cache', path: API.getaccountbalance, times: 2 });
		const result = await customer.buy({}, { items: [{}, {}, {}] });
		expect(customer.paid).toBe(3);
		const costs = records(result).map(({ cost }) => cost);
		// The others could include what the first one cost
		expect(costs).toEqual([undefined, undefined, undefined]);
		expect(hintsOf(result)).toContain(NO_COST);
	});

	it.each([
		['a refusal', { kind: 'code', code: -109 }],
		['a cut connection', { kind: 'cut' }],
		['silence', { kind: 'delay', ms: 25_000, when: 'before' }],
		['no number', { kind: 'raw', body: '{"code":0,"msg":"","data":{"balance":"much"}}' }],
	] as const)('is missing where the balance is %s, and nothing else', async (_how, fault) => {
		pacedBed().sandbox.faults.add({ ...fault, path: API.getaccountbalance });
		const begin = performance.now();
		const result = await customer.buy({}, { items: [{}, {}, {}, {}] });
		expect(result.error).toBeUndefined();
		expect(customer.paid).toBe(4);
		for (const record of records(result)) {
			expect(record).toMatchObject({ created: true });
			expect(reportOf(record)).toEqual(NO_REPORT);
		}
		expect(hintsOf(result)).toContain('because the account balance could not be read');
		// Half a minute for all of them, not 20 seconds for each
		expect(performance.now() - begin).toBeLessThan(30_000);
	});
});

it("What an order's own key pair bought is no cost of others, and what is to be kept is kept", async () => {
	const { customer, orders, left } = withOrders(3, 130);
	await customer.renewByNumber(orders[0], WEEK, elsewhere());
	await customer.renew(orders[1], WEEK, elsewhere());
	const options = { minimumBalance: 50, expectedCost: 39 };
	const third = await customer.renewByNumber(orders[2], { ...WEEK, options }, elsewhere());
	expect(records(third)[0].renewed).toBe(false);
	expect(left()).toBe(130 - 2 * PRICE);
});
