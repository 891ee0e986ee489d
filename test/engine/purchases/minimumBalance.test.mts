import type { IDataObject } from 'n8n-workflow';

import { DAY } from '../../durations.mts';
import { BALANCE, CREATE, Customer, records, RENEW, textOf } from '../support/customer.mts';
import { useTestBed } from '../support/testBed.mts';

/* What 'Minimum Balance to Keep' keeps from being bought, by the ledger of the sandbox. */

const bed = useTestBed();

/** The report of costs reads the balance as well. */
const WITHOUT_REPORT = { maxOrdersPerRun: 10, reportCost: false };

/** An account with so many yuan. */
const withYuan = (yuan: number) => new Customer(bed(), { balanceInFen: Math.round(yuan * 100) });
const keep = (minimumBalance: unknown): IDataObject => ({
	options: { minimumBalance, ...WITHOUT_REPORT } as IDataObject,
});
const ALWAYS = { renewWhen: 'always' };

describe('with less than the minimum', () => {
	it('no order is placed, and the text says how much there is', async () => {
		const customer = withYuan(99.99);
		const result = await customer.buy(keep(100));
		expect(result.error?.message).toBe(
			"The account has 99.99 yuan, less than the 100 of 'Minimum Balance to Keep' [item 0]",
		);
		expect(result.error?.description).toContain('Nothing was bought for this item.');
		expect(customer.calls).toEqual([BALANCE]);
		expect(customer.paid).toBe(0);
	});

	it('no order is renewed', async () => {
		const customer = withYuan(99.99);
		const result = await customer.renewByNumber(customer.tunnel(DAY), keep(100));
		expect(result.error?.message).toContain('has 99.99 yuan, less than the 100');
		expect(customer.requests(RENEW)).toEqual([]);
		expect(customer.paid).toBe(0);
	});

	it('an order that needs nothing passes, and the balance is not asked for', async () => {
		const customer = withYuan(99.99);
		const order = customer.tunnel(30 * DAY);
		const results = [
			await customer.renewByNumber(order, keep(100)),
			await customer.renewByNumber(customer.perIp(500), {
				...keep(100),
				renewalOf: 'perIp',
				balanceBelow: 100,
			}),
		];
		for (const { error, items } of results) {
			expect(error).toBeUndefined();
			expect(items[0].json.renewed).toBe(false);
		}
		expect(customer.requests(BALANCE)).toEqual([]);
	});

	it.each([0, -5])('(%d yuan) nothing is bought either', async (yuan) => {
		const customer = withYuan(yuan);
		expect(textOf(await customer.buy(keep(1)))).toContain("'Minimum Balance to Keep'");
		expect(customer.requests(CREATE)).toEqual([]);
	});

	it('Skip Local Checks does not help', async () => {
		const customer = withYuan(5);
		const options = { minimumBalance: 100, skipLocalChecks: true };
		expect(textOf(await customer.buy({ options }))).toContain('less than the 100');
		expect(customer.requests(CREATE)).toEqual([]);
	});

	it('Retry On Fail looks again, and buys once there is enough', async () => {
		const customer = withYuan(50);
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1000 };
		const running = customer.buy(keep(100), { settings });
		await customer.asked(BALANCE);
		customer.account.balanceInFen = 500_00;
		expect((await running).error).toBeUndefined();
		expect(customer.requests(BALANCE)).toHaveLength(2);
		expect(customer.paid).toBe(1);
	});
});

it.each([100, 100.01])('with %d yuan of 100 the order is placed', async (yuan) => {
	const customer = withYuan(yuan);
	expect((await customer.buy(keep(100))).error).toBeUndefined();
	expect(customer.requests(BALANCE)).toHaveLength(1);
	expect(customer.paid).toBe(1);
});

it('an order of the account is renewed with enough', async () => {
	const customer = withYuan(500);
	const { error, items } = await customer.renewByNumber(customer.tunnel(DAY), keep(100));
	expect(error).toBeUndefined();
	expect(items[0].json.renewed).toBe(true);
	expect(customer.paid).toBe(1);
});

it('the balance is looked at before each item', async () => {
	const customer = withYuan(1000);
	const running = customer.buy(keep(100), { items: [{}, {}, {}] });
	await customer.asked(CREATE);
	customer.account.balanceInFen = 50_00;
	const result = await running;
	expect(result.error?.message).toContain('[item 1]');
	// The first one is not lost
	expect(result.error?.description).toContain(customer.payments[0].orderId);
	expect(customer.requests(BALANCE)).toHaveLength(2);
	expect(customer.paid).toBe(1);
});

it.each([true, false])(
	'the balance is looked at before each purchase of several executions (costs reported: %s)',
	async (reportCost) => {
		const customer = withYuan(20);
		const options = { minimumBalance: 10, maxOrdersPerRun: 10, reportCost };
		const runs = await Promise.all(
			[1, 2, 3].map(async () => await customer.buy({ options }, { items: [{}, {}, {}] })),
		);
		const before = customer.payments.map((paid) => paid.balanceInFen + paid.amountInFen);
		expect(Math.min(...before)).toBeGreaterThanOrEqual(10_00);
		expect(customer.paid).toBeGreaterThan(0);
		expect(customer.account.balanceInFen).toBeLessThan(10_00);
		for (const run of runs) expect(textOf(run)).toContain('less than the 10');
		const told = runs.flatMap(records).flatMap(({ balanceBefore }) => balanceBefore ?? []);
		if (reportCost) for (const yuan of told) expect(before).toContain(Number(yuan) * 100);
	},
);

it('with Continue On Fail the other items are looked at too', async () => {
	const customer = withYuan(100);
	const { items } = await customer.buy(keep('={{ $json.keep }}'), {
		items: [{ keep: 5000 }, { keep: 1 }],
		settings: { onError: 'continueRegularOutput' },
	});
	expect(items.map(({ json }) => Object.keys(json)[0])).toEqual(['error', 'orderid']);
	expect(customer.paid).toBe(1);
});

describe('the balance is not asked for', () => {
	it.each([
		['without the option', { options: WITHOUT_REPORT }],
		['for a minimum of 0', keep(0)],
	])('%s', async (_when, fields) => {
		const customer = withYuan(1000);
		expect((await customer.buy(fields)).error).toBeUndefined();
		const order = customer.tunnel(DAY);
		expect((await customer.renew(order, { ...ALWAYS, ...fields })).error).toBeUndefined();
		expect(customer.requests(BALANCE)).toEqual([]);
		expect(customer.paid).toBe(2);
	});

	it.each([-1, 1.5, 'much', '={{ -1 }}', '={{ NaN }}', 100_000_001])(
		'for a minimum of %j, which is refused',
		async (minimum) => {
			const customer = withYuan(1000);
			const { error } = await customer.buy(keep(minimum));
			expect(error?.message).toContain("'Minimum Balance to Keep' is ");
			expect(customer.calls).toEqual([]);
		},
	);

	it("with an order's key pair, which may not: it is refused before any request", async () => {
		const customer = withYuan(1000);
		const { error } = await customer.renew(customer.tunnel(DAY), keep(100));
		expect(error?.message).toContain("'Minimum Balance to Keep' is 100");
		expect(error?.description).toContain("the account's key pair");
		expect(customer.calls).toEqual([]);
	});
});

describe('a balance that cannot be read', () => {
	it.each([
		['a refusal', { kind: 'code', code: -109 }],
		['a gateway', { kind: 'status', status: 502 }],
		['a cut connection', { kind: 'cut' }],
		['half an answer', { kind: 'halfBody' }],
		['no number', { kind: 'raw', body: '{"code":0,"msg":"","data":{"balance":"much"}}' }],
		['nothing', { kind: 'raw', body: '{"code":0,"msg":"","data":""}' }],
		['infinity', { kind: 'raw', body: '{"code":0,"msg":"","data":{"balance":"Infinity"}}' }],
	] as const)('(%s) buys nothing, and the text says so', async (_how, fault) => {
		bed().sandbox.faults.add({ ...fault, path: BALANCE });
		const customer = withYuan(1000);
		const result = await customer.buy(keep(100));
		expect(result.items).toEqual([]);
		expect(result.error?.message).not.toContain('may have been placed');
		expect(result.error?.description).toContain(
			'This was only a check before the purchase; nothing was bought for this item.',
		);
		expect(customer.requests(CREATE)).toEqual([]);
		expect(customer.paid).toBe(0);
	});
});

describe('with a balance that does not show what was paid', () => {
	const items = [{}, {}];

	it('no other order is placed', async () => {
		const customer = withYuan(1000);
		customer.sandbox.faults.add({ kind: 'cache', path: BALANCE });
		const result = await customer.buy(keep(100), { items });
		expect(textOf(result)).toContain("'Minimum Balance to Keep' can't be checked, because ");
		expect(textOf(result)).toContain(customer.payments[0].orderId);
		expect(customer.paid).toBe(1);
	});

	it('the next one is placed where it shows 2 seconds later', async () => {
		const customer = withYuan(1000);
		customer.sandbox.faults.add({ kind: 'cache', path: BALANCE, times: 2 });
		const result = await customer.buy(keep(100), { items });
		expect(result.error).toBeUndefined();
		expect(customer.paid).toBe(2);
	});

	it('the next run of the workflow places one', async () => {
		const customer = withYuan(1000);
		customer.sandbox.faults.add({ kind: 'cache', path: BALANCE });
		for (const id of ['first', 'second']) {
			const result = await customer.buy(keep(100), { executionId: id, settings: { id } });
			expect(result.error).toBeUndefined();
		}
		expect(customer.paid).toBe(2);
	});
});
