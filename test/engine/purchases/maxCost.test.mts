import { NodeConnectionTypes, type IDataObject } from 'n8n-workflow';

import { DAY } from '../../durations.mts';
import {
	BALANCE,
	CREATE,
	Customer,
	LIST,
	records,
	RENEW,
	textOf,
	WEEK_ALWAYS,
} from '../support/customer.mts';
import { CONTINUE } from '../support/nodeSettings.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

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
			{ orderid, ...WEEK_ALWAYS, ...upTo(1) },
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

	it('gives no reason for a missing cost where none is reported', async () => {
		const customer = new Customer(bed());
		const running = customer.buy(upTo(100_000, { reportCost: false }));
		await customer.asked(CREATE);
		customer.sandbox.faults.add({ kind: 'status', status: 403, path: BALANCE });
		const { error, hints } = await running;
		expect(error).toBeUndefined();
		expect(customer.paid).toBe(1);
		expect(hints).toEqual([]);
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
		const { error } = await customer.renew(customer.tunnel(DAY), { ...WEEK_ALWAYS, ...upTo(100) });
		expect(error?.message).toContain("'Max Cost per Run' is 100");
		expect(error?.description).toContain("the account's key pair");
		expect(customer.calls).toEqual([]);
	});
});
