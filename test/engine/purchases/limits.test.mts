import type { IDataObject } from 'n8n-workflow';

import { DAY } from '../../durations.mts';
import {
	BALANCE,
	CREATE,
	Customer,
	LIST,
	records,
	RENEW,
	textOf,
	WEEK,
	WEEK_ALWAYS,
} from '../support/customer.mts';
import { CONTINUE, RETRY } from '../support/nodeSettings.mts';
import { useTestBed } from '../support/testBed.mts';

/* What 'Budget per Execution' and 'Balance to Keep' keep from being bought, by the ledger of the sandbox. */

const bed = useTestBed();

const BY_ITEM: IDataObject = { __rl: true, mode: 'code', value: '={{ $json.order }}' };

/** An account with so many yuan. */
const withYuan = (yuan: number) => new Customer(bed(), { balanceInFen: Math.round(yuan * 100) });

let tunnels = 5;

/**
 * Fields of an order with these options. What a kind of order cost is known to the whole process for a day, so each
 * test has a kind of its own.
 */
function kindOfOrder() {
	const tpsMaxRps = tunnels++;
	return (options: IDataObject): IDataObject => ({
		tpsMaxRps,
		// The report of costs reads the balance as well
		options: { maxOrdersPerRun: 10, reportCost: false, ...options },
	});
}

/** The same, and its price in yuan, which the node does not know. */
async function pricedKind() {
	const fields = kindOfOrder();
	const customer = withYuan(1000);
	await customer.buy(fields({}));
	return { fields, price: customer.payments[0].amountInFen / 100 };
}

const countOf = (amount: number): IDataObject[] => Array.from({ length: amount }, () => ({}));

describe('Budget per Execution', () => {
	it.each([true, false])(
		'counts the probable cost of the next one (report: %s)',
		async (reportCost) => {
			const { fields, price } = await pricedKind();
			const customer = withYuan(1000);
			const maxCostPerRun = Math.ceil(price * 2.5);
			const result = await customer.buy(fields({ maxCostPerRun, reportCost }), {
				items: countOf(4),
				settings: CONTINUE,
			});
			expect(customer.paid).toBe(2);
			expect(records(result).map(({ created }) => created)).toEqual([true, true, false, false]);
			expect(records(result)[2].error).toContain(
				`'Budget per Execution (Yuan)' is ${maxCostPerRun}, this execution has spent ${price * 2}, and this one probably costs ${price}`,
			);
		},
	);

	it('counts the expected cost where it is higher than what is known, and from the first on', async () => {
		const { fields } = await pricedKind();
		const customer = withYuan(1000);
		const options = { maxCostPerRun: 62, expectedCost: 60 };
		const result = await customer.buy(fields(options), { items: countOf(2), settings: CONTINUE });
		expect(records(result)[1].error).toContain('and this one probably costs 60');
		const none = await customer.buy(fields({ maxCostPerRun: 50, expectedCost: 60 }));
		expect(textOf(none)).toContain('has spent 0, and this one probably costs 60');
		expect(customer.paid).toBe(1);
	});

	it('lets the orders beyond it pass when they are renewed, with a hint', async () => {
		const customer = withYuan(1000);
		const orders = [3, 1, 2].map((hours) => customer.tunnel((hours * DAY) / 24).orderId);
		const result = await customer.renewAll(
			{ orderid: BY_ITEM, ...WEEK_ALWAYS, options: { maxCostPerRun: 1 } },
			{ items: orders.map((order) => ({ order })) },
		);
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ renewed }) => renewed)).toEqual([false, true, false]);
		expect(records(result)[0].reason).toContain("'Budget per Execution (Yuan)' is 1");
		const hints = result.hints.map(({ message }) => message).join(' ');
		expect(hints).toContain(
			`2 orders were not renewed because of a limit (${orders[2]}, ${orders[0]})`,
		);
		expect(hints).toContain(`Order ${orders[2]} ends at `);
		expect(customer.requests(RENEW)).toHaveLength(1);
	});

	it('counts what earlier runs of the execution cost', async () => {
		const customer = withYuan(1000);
		const fields = kindOfOrder()({ maxCostPerRun: 1 });
		const loop = await customer.buy(fields, { runs: 3, settings: CONTINUE });
		expect(loop.itemsOfRuns.map(([{ json }]) => json.created)).toEqual([true, false, false]);
		expect(customer.paid).toBe(1);
	});

	it('counts an unclear purchase with its expected cost, and stops where that is unknown', async () => {
		for (const expectedCost of [60, undefined]) {
			const customer = withYuan(1000);
			customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: CREATE, times: 1 });
			customer.sandbox.faults.add({ kind: 'status', status: 403, path: LIST });
			const options = { maxCostPerRun: 100, ...(expectedCost && { expectedCost }) };
			const items = countOf(2);
			const result = await customer.buy(kindOfOrder()(options), { items, settings: CONTINUE });
			const texts = records(result).map(({ error }) => error);
			expect(texts[0]).toContain('The order may have been placed');
			expect(texts[1]).toContain(
				expectedCost === undefined
					? "the balance doesn't show what an earlier purchase of this execution cost"
					: 'this execution has spent 60, and this one probably costs 60',
			);
			expect(customer.paid).toBe(1);
			customer.sandbox.faults.clear();
		}
	});

	it.each([
		['a top-up hides it', (one: Customer) => void (one.account.balanceInFen += 5000_00)],
		[
			'the balance cannot be read',
			(one: Customer) => one.sandbox.faults.add({ kind: 'status', status: 403, path: BALANCE }),
		],
	])('buys nothing more where nobody knows what one cost, because %s', async (_why, happen) => {
		const customer = withYuan(1000);
		const running = customer.buy(kindOfOrder()({ maxCostPerRun: 100 }), { items: countOf(2) });
		await customer.asked(CREATE);
		happen(customer);
		const result = await running;
		expect(textOf(result)).toMatch(/[Nn]othing was bought for this item/);
		expect(textOf(result)).toContain(customer.payments[0].orderId);
		expect(customer.paid).toBe(1);
	});

	it('waits for a balance that shows late what the first one cost', async () => {
		const { fields, price } = await pricedKind();
		const customer = withYuan(1000);
		// The one before the first purchase, and the next four
		customer.sandbox.faults.add({ kind: 'cache', path: BALANCE, times: 5 });
		const maxCostPerRun = Math.ceil(price * 2.5);
		const result = await customer.buy(fields({ maxCostPerRun }), { items: countOf(3) });
		expect(textOf(result)).toContain(`has spent ${price * 2}, and`);
		expect(customer.paid).toBe(2);
	});
});

describe('Balance to Keep', () => {
	const less = "; 'Balance to Keep (Yuan)' is 100";

	it('buys nothing with less, and says how much there is', async () => {
		const customer = withYuan(99.99);
		const { error } = await customer.buy(kindOfOrder()({ minimumBalance: 100 }));
		expect(error?.message).toBe(`The account has 99.99 yuan${less}`);
		expect(error?.description).toContain('Nothing was bought for this item.');
		expect(customer.calls).toEqual([BALANCE]);
		const skipping = { minimumBalance: 100, skipLocalChecks: true };
		expect(textOf(await customer.buy(kindOfOrder()(skipping)))).toContain(less);

		const options = { minimumBalance: 100 };
		const renewed = await customer.renewByNumber(customer.tunnel(DAY), { options });
		expect(renewed.error).toBeUndefined();
		expect(records(renewed)).toMatchObject([{ renewed: false }]);
		expect(records(renewed)[0].reason).toContain(`The account has 99.99 yuan${less}`);
		expect(customer.paid).toBe(0);
	});

	it('counts what the purchase will probably cost', async () => {
		const { fields, price } = await pricedKind();
		const customer = withYuan(100 + price);
		// What the first one costs is unknown
		expect((await customer.buy(fields({ minimumBalance: 100 }))).error).toBeUndefined();
		customer.account.balanceInFen = (100 + price - 0.01) * 100;
		const refused = await customer.buy(fields({ minimumBalance: 100 }));
		expect(textOf(refused)).toContain(`yuan, and this one probably costs ${price}${less}`);
		customer.account.balanceInFen = (100 + price) * 100;
		await new Promise((resolve) => setTimeout(resolve, 11_000));
		expect((await customer.buy(fields({ minimumBalance: 100 }))).error).toBeUndefined();
		expect(customer.paid).toBe(2);
		expect(customer.account.balanceInFen).toBe(100_00);
	});

	it('is looked at again by Retry On Fail, which buys once there is enough', async () => {
		const customer = withYuan(50);
		const settings = { ...RETRY, waitBetweenTries: 1000 };
		const running = customer.buy(kindOfOrder()({ minimumBalance: 100 }), { settings });
		await customer.asked(BALANCE);
		customer.account.balanceInFen = 500_00;
		expect((await running).error).toBeUndefined();
		expect(customer.paid).toBe(1);
	});

	it('is looked at before each item', async () => {
		const customer = withYuan(1000);
		const result = await customer.buy(kindOfOrder()({ minimumBalance: '={{ $json.keep }}' }), {
			items: [{ keep: 100 }, { keep: 5000 }, { keep: 1 }],
			settings: CONTINUE,
		});
		expect(records(result).map(({ created }) => created)).toEqual([true, false, true]);
		expect(customer.paid).toBe(2);
	});

	it('counts what the balance does not show yet', async () => {
		const { fields } = await pricedKind();
		const customer = withYuan(150);
		customer.sandbox.faults.add({ kind: 'cache', path: BALANCE });
		const options = { minimumBalance: 100, expectedCost: 20 };
		const result = await customer.buy(fields(options), { items: countOf(3) });
		expect(textOf(result)).toContain(
			`The account has 150.00 yuan, 110 after earlier purchases, and this one probably costs 20${less}`,
		);
		expect(customer.paid).toBe(2);
	});

	it.each([
		['a refusal', { kind: 'code', code: -109 }],
		['a gateway', { kind: 'status', status: 502 }],
		['half an answer', { kind: 'halfBody' }],
		['no number', { kind: 'raw', body: '{"code":0,"msg":"","data":{"balance":"much"}}' }],
		['nothing', { kind: 'raw', body: '{"code":0,"msg":"","data":""}' }],
		...['"Infinity"', '"NaN"', '""', 'null', 'true', '{}'].map(
			(balance) =>
				[
					balance,
					{ kind: 'raw', body: `{"code":0,"msg":"","data":{"balance":${balance}}}` },
				] as const,
		),
	] as const)('without a balance to read (%s) buys nothing, and says so', async (_how, fault) => {
		bed().sandbox.faults.add({ ...fault, path: BALANCE });
		const customer = withYuan(1000);
		for (const options of [{ minimumBalance: 100 }, { maxCostPerRun: 100 }]) {
			const result = await customer.buy(kindOfOrder()(options));
			expect(result.items).toEqual([]);
			expect(result.error?.message).not.toContain('may have been placed');
			expect(result.error?.description).toContain(
				'This was only a check before the purchase; nothing was bought for this item.',
			);
		}
		expect(customer.requests(CREATE)).toEqual([]);
	});

	it.each([
		['without it', {}],
		['of 0', { minimumBalance: 0 }],
	])('%s, the balance is not asked for', async (_when, options) => {
		const customer = withYuan(1000);
		const fields = kindOfOrder()(options);
		expect((await customer.buy(fields)).error).toBeUndefined();
		const renewed = await customer.renew(customer.tunnel(DAY), { ...WEEK_ALWAYS, ...fields });
		expect(renewed.error).toBeUndefined();
		expect(customer.requests(BALANCE)).toEqual([]);
		expect(customer.paid).toBe(2);
	});
});

const LABELS = {
	maxOrdersPerRun: 'Max Orders per Execution',
	minimumBalance: 'Balance to Keep (Yuan)',
	maxCostPerRun: 'Budget per Execution (Yuan)',
	expectedCost: 'Expected Cost (Yuan)',
} as const;

const NO_NUMBERS = ['={{ NaN }}', '={{ true }}', '={{ [] }}', '={{ ({}) }}', "={{ 'NaN' }}"];
const EMPTY = ['={{ undefined }}', '={{ null }}', "={{ '' }}", '={{ $json.missing }}', ''];

describe.each(Object.entries(LABELS))('%s', (name, label) => {
	it.each([...EMPTY, ...NO_NUMBERS, -1, 1.5, 'much', 100_000_001])(
		'of %j is an error, before anything is sent',
		async (value) => {
			const customer = withYuan(1000);
			const options = { [name]: value };
			const created = await customer.buy({ options });
			const renewed = await customer.renewByNumber(customer.tunnel(DAY), { ...WEEK, options });
			for (const result of [created, renewed])
				expect(textOf(result)).toMatch(
					new RegExp(`'${label.replaceAll(/[()]/g, String.raw`\$&`)}' (?:is empty|can't be )`),
				);
			expect(customer.calls).toEqual([]);
		},
	);
});

it.each(['minimumBalance', 'maxCostPerRun'] as const)(
	"%s is refused with an order's key pair, which can't read the balance",
	async (name) => {
		const customer = withYuan(1000);
		const options = { [name]: 100 };
		const { error } = await customer.renew(customer.tunnel(DAY), { ...WEEK_ALWAYS, options });
		expect(error?.message).toMatch(/^An order's key pair can't read the account's balance, so '/);
		expect(error?.message).toContain(`'${LABELS[name]}' can't be kept`);
		expect(error?.description).toContain("Use a credential with the account's key pair");
		expect(customer.calls).toEqual([]);
	},
);

it.each(
	[...EMPTY, '={{ 0.5 }}', '={{ [] }}', 'much'].flatMap((value) => [
		['isCoupon', 'Use Coupon', value] as const,
		['dryRun', 'Dry Run', value] as const,
	]),
)('%s, as %s of %s, is an error, and nothing is bought', async (name, label, value) => {
	const customer = withYuan(1000);
	const result = await customer.buy({ options: { [name]: value, skipLocalChecks: true } });
	expect(textOf(result)).toMatch(new RegExp(`'${label}' (?:is empty|can't be )`));
	expect(customer.calls).toEqual([]);
});
