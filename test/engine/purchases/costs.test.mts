import { NodeConnectionTypes, type IDataObject } from 'n8n-workflow';

import { DAY } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import {
	BALANCE,
	CREATE,
	Customer,
	LIST,
	records,
	RENEW,
	textOf,
	WEEK,
} from '../support/customer.mts';
import { CONTINUE } from '../support/nodeSettings.mts';
import { useTestBed } from '../support/testBed.mts';

/* What purchases cost, by the ledger of the sandbox, and the limit of it. */

const bed = useTestBed();
const ALWAYS = { ...WEEK, renewalOf: 'prepaid', renewWhen: 'always' };

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

const MAY_SHOW_ANOTHER =
	"Not every purchase has its 'cost', because the account balance may also show another purchase of this n8n, one that was made at the same time or is unclear. The purchases themselves are not affected.";

describe('The cost of a purchase', () => {
	it('stands in the output of new orders, with one balance more than orders', async () => {
		const customer = new Customer(bed(), { balanceInFen: 620_80 });
		const { error, items } = await customer.buy({}, { items: [{}, {}, {}] });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => reportOf(json))).toEqual(paidBy(customer));
		expect(customer.paid).toBe(3);
		expect(customer.requests(BALANCE)).toHaveLength(4);
	});

	it('stands in the output of renewals and top-ups of every kind', async () => {
		const customer = new Customer(bed());
		const results = [
			await customer.renewByNumber(customer.tunnel(DAY), ALWAYS),
			await customer.renewByNumber(customer.tunnel(DAY), { ...WEEK, renewalOf: 'prepaid' }),
			await customer.renewByNumber(customer.perIp(5), {
				renewalOf: 'perIp',
				balanceBelow: 100,
				dpsIpCount: 3000,
			}),
			await customer.renewByNumber(customer.overseas(5), { renewalOf: 'traffic' }),
		];
		for (const { error } of results) expect(error).toBeUndefined();
		expect(results.flatMap(records).map(reportOf)).toEqual(paidBy(customer));
		expect(customer.paid).toBe(4);
	});

	it('slows a run of renewals by no more than the first and the last balance', async () => {
		const run = async (reportCost: boolean) => {
			const customer = new Customer(bed());
			const items = Array.from({ length: 40 }, () => ({ order: customer.tunnel(DAY).orderId }));
			const orderid = { __rl: true, mode: 'code', value: '={{ $json.order }}' };
			const begin = performance.now();
			const fields = { orderid, ...ALWAYS, options: { reportCost, maxOrdersPerRun: 50 } };
			const result = await customer.renewAll(fields, { items });
			expect(result.error).toBeUndefined();
			expect(customer.paid).toBe(40);
			expect(customer.requests(BALANCE)).toHaveLength(reportCost ? 41 : 0);
			expect(customer.requests().filter(({ refusedByRateLimit }) => refusedByRateLimit)).toEqual(
				[],
			);
			return performance.now() - begin;
		};
		const [without, reported] = [await run(false), await run(true)];
		expect(reported - without).toBeLessThan(2200);
	});

	it('shares its balances with the minimum to keep', async () => {
		const customer = new Customer(bed());
		const fields = { options: { minimumBalance: 100, maxOrdersPerRun: 3 } };
		const result = await customer.buy(fields, { items: [{}, {}, {}] });
		expect(records(result).map(reportOf)).toEqual(paidBy(customer));
		expect(customer.requests(BALANCE)).toHaveLength(4);
	});

	it('is told of an order whose answer was lost', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: CREATE, times: 1 });
		const [record] = records(await customer.buy());
		expect(record).toMatchObject({ created: true, verified: true, ...paidBy(customer)[0] });
	});

	it('is not told where nothing was bought', async () => {
		const customer = new Customer(bed());
		const settings = { id: uniqueName('node') };
		const click = async (fields = {}) =>
			records(await customer.buy(fields, { settings, executionId: uniqueName('execution') }))[0];
		const [first, second] = [await click(), await click()];
		expect([first.created, second.created]).toEqual([true, false]);
		expect(reportOf(second)).toEqual(NO_REPORT);
		const enough = await click({ createWhen: 'fewerThan', fewerThan: 1, prepayTimeNumber: 2 });
		expect(enough).toMatchObject({ created: false });
		expect(reportOf(enough)).toEqual(NO_REPORT);
		expect(customer.requests(BALANCE)).toHaveLength(2);
	});

	it('is not asked for without purchases, in a dry run, or where it is switched off', async () => {
		const customer = new Customer(bed());
		const due = customer.tunnel(DAY);
		await customer.renewByNumber(customer.tunnel(30 * DAY), { ...WEEK, renewalOf: 'prepaid' });
		await customer.buy({ options: { dryRun: true } });
		const bought = await customer.buy({ options: { reportCost: false } });
		expect(reportOf(records(bought)[0])).toEqual(NO_REPORT);
		const renewed = await customer.renew(due, { ...ALWAYS, options: { reportCost: true } });
		expect(records(renewed)[0].renewed).toBe(true);
		expect(reportOf(records(renewed)[0])).toEqual(NO_REPORT);
		expect(customer.requests(BALANCE)).toEqual([]);
	});

	it('is not told, but explained, where another execution bought something at the same time', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'delay', ms: 5000, when: 'before', path: CREATE });
		const buy = async () =>
			await customer.buy(
				{},
				{ settings: { id: uniqueName('node') }, executionId: uniqueName('execution') },
			);
		const results = await Promise.all([buy(), buy(), buy()]);
		expect(customer.paid).toBe(3);
		for (const { balanceBefore, balanceAfter, cost } of results.flatMap(records)) {
			expect(Number(balanceBefore)).toBeGreaterThan(Number(balanceAfter));
			expect(cost).toBeUndefined();
		}
		for (const { hints } of results) {
			expect(hints.map(({ message }) => message)).toEqual([MAY_SHOW_ANOTHER]);
		}
	});

	it('is not told, but explained, while an earlier purchase is unclear', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: CREATE, times: 1 });
		expect(textOf(await customer.buy())).toContain('The order may have been placed');
		const { items, hints } = await customer.buy({ prepayTimeNumber: 2 });
		expect(customer.paid).toBe(1);
		expect(reportOf(items[0].json)).toEqual({ ...paidBy(customer)[0], cost: undefined });
		expect(hints.map(({ message }) => message)).toEqual([MAY_SHOW_ANOTHER]);
	});

	it('is not told where somebody topped up the account', async () => {
		const customer = new Customer(bed());
		const running = customer.buy();
		await customer.asked(CREATE);
		customer.account.balanceInFen += 5000_00;
		const [record] = records(await running);
		expect(record).toMatchObject({ created: true });
		expect(record.cost).toBeUndefined();
	});

	it('is not told, but explained, where the balance does not show it', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cache', path: BALANCE, times: 2 });
		const result = await customer.buy({}, { items: [{}, {}, {}] });
		expect(customer.paid).toBe(3);
		const costs = records(result).map(({ cost }) => cost);
		// The second one would include what the first one cost
		expect(costs).toEqual([undefined, undefined, customer.payments[2].amountInFen / 100]);
		expect(result.hints.map(({ message }) => message).join(' ')).toContain(
			'because the account balance was not lower afterwards',
		);
	});

	it.each([
		['a refusal', { kind: 'code', code: -109 }],
		['a cut connection', { kind: 'cut' }],
		['silence', { kind: 'delay', ms: 25_000, when: 'before' }],
		['no number', { kind: 'raw', body: '{"code":0,"msg":"","data":{"balance":"much"}}' }],
	] as const)('is missing where the balance is %s, and nothing else', async (_how, fault) => {
		bed().sandbox.faults.add({ ...fault, path: BALANCE });
		const customer = new Customer(bed());
		const begin = performance.now();
		const result = await customer.buy({}, { items: [{}, {}, {}, {}] });
		expect(result.error).toBeUndefined();
		expect(customer.paid).toBe(4);
		for (const record of records(result)) {
			expect(record).toMatchObject({ created: true });
			expect(reportOf(record)).toEqual(NO_REPORT);
		}
		expect(result.hints.map(({ message }) => message).join(' ')).toContain(
			'because the account balance could not be read',
		);
		expect(performance.now() - begin).toBeLessThan(22_000);
	});
});

describe('Max Cost per Run', () => {
	const upTo = (maxCostPerRun: unknown, more: IDataObject = {}): IDataObject => ({
		options: { maxCostPerRun, maxOrdersPerRun: 10, ...more } as IDataObject,
	});
	/** Of the tunnel that is bought here, in yuan. */
	async function priceOfOne(): Promise<number> {
		const customer = new Customer(bed());
		await customer.buy();
		return customer.payments[0].amountInFen / 100;
	}

	it.each([true, false])('stops before the next purchase (report: %s)', async (reportCost) => {
		const price = await priceOfOne();
		const customer = new Customer(bed());
		const limit = Math.ceil(price * 1.5);
		const result = await customer.buy(upTo(limit, { reportCost }), {
			items: [{}, {}, {}, {}],
			settings: CONTINUE,
		});
		// The second one may go over it, as its price is not known before
		expect(customer.paid).toBe(2);
		expect(records(result).map(({ created }) => created)).toEqual([
			true,
			true,
			undefined,
			undefined,
		]);
		expect(String(result.items[2].json.error)).toContain(
			`'Max Cost per Run' allows ${limit} yuan, and the account balance fell by ${price * 2} yuan during the purchases of this execution`,
		);
		expect(customer.requests(CREATE)).toHaveLength(2);
	});

	it('stops renewals, and counts what an earlier run of the execution has cost', async () => {
		const customer = new Customer(bed());
		const [first, second, third] = [1, 2, 3].map(() => customer.tunnel(DAY).orderId);
		const orderid = { __rl: true, mode: 'code', value: '={{ $json.order }}' };
		const result = await customer.renewAll(
			{ orderid, ...ALWAYS, ...upTo(1) },
			{ items: [{ order: first }, { order: second }, { order: third }] },
		);
		expect(textOf(result)).toContain("'Max Cost per Run' allows 1 yuan");
		expect(textOf(result)).toContain(first);
		expect(customer.requests(RENEW)).toHaveLength(1);
		const looping = new Customer(bed());
		const loop = await looping.buy(upTo(1), { runs: 3, settings: CONTINUE });
		expect(loop.itemsOfRuns.map(([{ json }]) => json.created)).toEqual([
			true,
			undefined,
			undefined,
		]);
		expect(looping.paid).toBe(1);
	});

	it('counts what others are charged meanwhile, and says so', async () => {
		const price = await priceOfOne();
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'delay', ms: 300, path: CREATE, times: 1 });
		const running = customer.buy(upTo(Math.ceil(price)), { items: [{}, {}] });
		await customer.asked(CREATE);
		customer.account.balanceInFen -= 20_00;
		const text = textOf(await running);
		expect(text).toContain(
			`the account balance fell by ${price + 20} yuan during the purchases of this execution`,
		);
		expect(text).toContain('Whatever else was charged to the account meanwhile counts, too.');
		expect(customer.paid).toBe(1);
	});

	it('counts what an earlier run cost whose balance could not be read any more', async () => {
		const customer = new Customer(bed());
		const running = customer.buy(upTo(1), { runs: 2, settings: CONTINUE });
		await customer.asked(CREATE);
		customer.sandbox.faults.add({ kind: 'status', status: 403, path: BALANCE, times: 1 });
		const { itemsOfRuns } = await running;
		expect(itemsOfRuns.map(([{ json }]) => json.created)).toEqual([true, undefined]);
		expect(String(itemsOfRuns[1][0].json.error)).toContain("'Max Cost per Run' allows 1 yuan");
		expect(customer.paid).toBe(1);
	});

	it('holds for an agent that calls the tool several times at once', async () => {
		const customer = new Customer(bed());
		await customer.buy(upTo(1), {
			async agent(context) {
				const tools: unknown = await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
				const [tool] = tools as Array<{ invoke(input: object): Promise<unknown> }>;
				await Promise.allSettled([1, 2, 3].map(async () => await tool.invoke({})));
			},
		});
		expect(customer.paid).toBe(1);
	});

	it('counts a purchase that stayed unclear', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: CREATE, times: 1 });
		customer.sandbox.faults.add({ kind: 'status', status: 403, path: LIST });
		const result = await customer.buy(upTo(1), { items: [{}, {}], settings: CONTINUE });
		const texts = result.items.map(({ json }) => String(json.error));
		expect(texts[0]).toContain('The order may have been placed');
		expect(texts[1]).toContain("'Max Cost per Run' allows 1 yuan");
		expect(customer.paid).toBe(1);
	});

	it('buys nothing more where a top-up hides what a purchase cost', async () => {
		const customer = new Customer(bed());
		const running = customer.buy(upTo(1), { items: [{}, {}] });
		await customer.asked(CREATE);
		customer.account.balanceInFen += 5000_00;
		const result = await running;
		expect(textOf(result)).toContain("'Max Cost per Run' can't be checked");
		expect(textOf(result)).toContain(customer.payments[0].orderId);
		expect(customer.paid).toBe(1);
	});

	it('buys nothing more where the balance does not show what was paid', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cache', path: BALANCE });
		const result = await customer.buy(upTo(100_000), { items: [{}, {}, {}], settings: CONTINUE });
		expect(records(result)[0]).toMatchObject({ created: true });
		for (const { error } of records(result).slice(1)) {
			expect(error).toContain("'Max Cost per Run' can't be checked, because the account balance");
		}
		expect(customer.paid).toBe(1);
		customer.sandbox.faults.clear();
	});

	it('looks once more at a balance that shows it late, and goes on', async () => {
		const price = await priceOfOne();
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cache', path: BALANCE, times: 2 });
		const result = await customer.buy(upTo(Math.ceil(price * 1.5)), { items: [{}, {}, {}] });
		expect(textOf(result)).toContain(`fell by ${price * 2} yuan`);
		expect(customer.paid).toBe(2);
		expect(customer.requests(BALANCE)).toHaveLength(4);
	});

	it('buys nothing more while the balance cannot be read', async () => {
		const customer = new Customer(bed());
		const running = customer.buy(upTo(100_000), { items: [{}, {}] });
		await customer.asked(CREATE);
		customer.sandbox.faults.add({ kind: 'status', status: 403, path: BALANCE });
		const result = await running;
		expect(textOf(result)).toContain('nothing was bought for this item');
		expect(textOf(result)).toContain(customer.payments[0].orderId);
		expect(customer.paid).toBe(1);
	});

	it.each([0, -1, 1.5, NaN, '={{ NaN }}', 'much', 100_000_001])(
		'of %j is refused before anything is sent',
		async (max) => {
			const customer = new Customer(bed());
			const { error } = await customer.buy(upTo(max));
			expect(error?.message).toContain("'Max Cost per Run' is ");
			expect(customer.calls).toEqual([]);
		},
	);

	it("is refused with an order's key pair, which can't read the balance", async () => {
		const customer = new Customer(bed());
		const { error } = await customer.renew(customer.tunnel(DAY), { ...ALWAYS, ...upTo(100) });
		expect(error?.message).toContain("'Max Cost per Run' is 100");
		expect(error?.description).toContain("the account's key pair");
		expect(customer.calls).toEqual([]);
	});
});
