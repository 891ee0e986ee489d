import type { IDataObject } from 'n8n-workflow';

import { DAY, HOUR } from '../../durations.mts';
import { shareOf } from '../../fullMatrices.mts';
import { many } from '../../many.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { Customer, WEEK, WEEK_ALWAYS } from '../support/customer.mts';
import { lost, missed } from '../support/faults.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { hintsOf, records, textOf } from '../support/results.mts';
import { CONTINUE } from '../support/runSettings.mts';
import { untilWindowAge } from '../support/windowAge.mts';
import { useWorkbench } from '../support/workbench.mts';

/* Runs of many purchases, and several runs of one node. What was paid is what the ledger says. */

const { bed, customer } = useWorkbench();

it("Renew with 'Max Orders per Execution' renews so many, those that end first, and says of the others that the limit was reached", async () => {
	const hours = [40, 10, 50, 20, 30];
	const orders = hours.map((left) => customer.tunnel(left * HOUR));
	const options = { maxOrdersPerRun: 2 };
	const result = await customer.renewEach(orders, { ...WEEK, options });
	expect(customer.payments.map(({ orderId }) => orderId)).toEqual([
		orders[1].orderId,
		orders[3].orderId,
	]);
	const reason = "'Max Orders per Execution' allows 2, and this execution has made 2";
	// In the order of the input
	expect(records(result)).toMatchObject([
		{ renewed: false, reason },
		{ orderid: orders[1].orderId, renewed: true },
		{ renewed: false, reason },
		{ orderid: orders[3].orderId, renewed: true },
		{ renewed: false, reason },
	]);
	expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
		orders.map((_order, item) => ({ item })),
	);
});

it('Renew for 200 orders makes one call, three for each of the ten that expire, and eleven for balances, as fast as their key pairs come', async () => {
	const orders = many(200, (n) => customer.tunnel((n < 190 ? 4 : 2) * DAY));
	// Where a window ends meanwhile, a request is signed again, and asked about before
	await untilWindowAge(1000);
	const begin = performance.now();
	const result = await customer.renewEach(orders, WEEK);
	const took = performance.now() - begin;
	expect(records(result).filter(({ renewed }) => renewed === true)).toHaveLength(10);
	expect(customer.paid).toBe(10);
	expect(customer.calls).toHaveLength(1 + 3 * 10 + 11);
	expect(customer.requests(API.getordersecret)).toHaveLength(10);
	expect(customer.requests(API.getorderexpiretime)).toHaveLength(10);
	expect(took).toBeLessThan(10 * 1050 + 500);
});

it('A run that is cancelled names what is paid and what is unclear in the log', async () => {
	const settings = { ...CONTINUE, id: uniqueName('node') };
	customer.sandbox.faults.add(missed(API.createorder));
	const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
	const second = customer.asked(API.createorder, 2).then(async () => {
		while (customer.paid < 1) await new Promise((resolve) => setTimeout(resolve, 10));
	});
	await customer.buy({}, { items: [{}, {}, {}, {}], settings, cancelWhen: second });
	const logged = log.mock.calls.map(([text]) => text).join('');
	log.mockRestore();
	const [{ orderId }] = customer.payments;
	expect(logged).toContain(orderId);
	expect(logged).toMatch(
		/May have been bought in this run: Tunnel Proxy \(TPS\), Prepaid, sent at \S+.* \(item 0\)/,
	);
});

/* What 'Budget per Execution' and 'Balance to Keep' keep from being bought, by the ledger of the sandbox. */

/** An account with so many yuan. */
const withYuan = (yuan: number) => new Customer(bed(), { balanceInFen: Math.round(yuan * 100) });

/** Fields of an order with these options, which costs 5.50 yuan. */
const withOptions = (options: IDataObject): IDataObject => ({
	// The report of costs reads the balance as well
	options: { maxOrdersPerRun: 10, reportCost: false, ...options },
});

const countOf = (amount: number): IDataObject[] => Array.from({ length: amount }, () => ({}));

describe.each([
	['Budget per Execution (Yuan)', { maxCostPerRun: 5 }],
	['Balance to Keep (Yuan)', { minimumBalance: 100 }],
])('%s', (label, options) => {
	it('without the expected cost is refused before anything is sent', async () => {
		for (const dryRun of [false, true]) {
			const all = { ...options, dryRun };
			const created = await customer.buy(withOptions(all));
			const order = customer.tunnel(DAY);
			const renewed = await customer.renewByNumber(order, { ...WEEK, options: all });
			for (const { error } of [created, renewed]) {
				expect(error?.message).toBe(`'${label}' needs 'Expected Cost (Yuan)'`);
				expect(error?.description).toContain("Kuaidaili's API has no prices");
				expect(error?.description?.split('Nothing was bought')).toHaveLength(2);
			}
		}
		expect(customer.calls).toEqual([]);
	});
});

describe('Budget per Execution', () => {
	it.each([true, false])(
		'counts the expected cost of the next one (report: %s)',
		async (reportCost) => {
			const options = { maxCostPerRun: 14, expectedCost: 6, reportCost };
			const result = await customer.buy(withOptions(options), {
				items: countOf(4),
				settings: CONTINUE,
			});
			expect(customer.paid).toBe(2);
			expect(records(result).map(({ created }) => created)).toEqual([true, true, false, false]);
			expect(records(result)[2].error).toContain(
				"'Budget per Execution (Yuan)' is 14, this execution has spent 11 (counted as 12), and this purchase is expected to cost 6",
			);
			const none = await customer.buy(withOptions({ maxCostPerRun: 50, expectedCost: 60 }));
			expect(textOf(none)).toContain('has spent 0, and this purchase is expected to cost 60');
		},
	);

	it('takes parts of a yuan, as prices have them', async () => {
		const options = { maxCostPerRun: 16.5, expectedCost: 5.5, minimumBalance: 0.3 };
		const result = await customer.buy(withOptions(options), {
			items: countOf(4),
			settings: CONTINUE,
		});
		expect(records(result).map(({ created }) => created)).toEqual([true, true, true, false]);
		expect(records(result)[3].error).toContain(
			'is 16.5, this execution has spent 16.5, and this purchase is expected to cost 5.5',
		);
	});

	it('counts what earlier runs of the execution cost', async () => {
		const fields = withOptions({ maxCostPerRun: 8, expectedCost: 6 });
		const loop = await customer.buy(fields, { runs: 3, settings: CONTINUE });
		expect(loop.itemsOfRuns.map(([{ json }]) => json.created)).toEqual([true, false, false]);
		expect(customer.paid).toBe(1);
	});

	it('counts an unclear purchase with its expected cost', async () => {
		customer.sandbox.faults.add(lost(API.createorder));
		customer.sandbox.faults.add({ kind: 'status', status: 403, path: API.getaccountorders });
		const options = { maxCostPerRun: 100, expectedCost: 60 };
		const result = await customer.buy(withOptions(options), {
			items: countOf(2),
			settings: CONTINUE,
		});
		const texts = records(result).map(({ error }) => error);
		expect(texts[0]).toContain('The order may have been placed');
		expect(texts[1]).toContain(
			'this execution has spent 5.5 (counted as 60), and this purchase is expected to cost 60',
		);
		expect(customer.paid).toBe(1);
	});

	it('is passed by one surprise at most, which item and hint name', async () => {
		const result = await customer.buy(withOptions({ maxCostPerRun: 10, expectedCost: 3 }), {
			items: countOf(5),
			settings: CONTINUE,
		});
		expect(customer.paid).toBe(1);
		const [first, second] = records(result);
		expect(first).toMatchObject({
			text: expect.stringContaining(' for 5.5 yuan (expected: 3), '),
			cost: 5.5,
			expectedCost: 3,
		});
		expect(second.error).toContain(
			"'Budget per Execution (Yuan)' is 10, this execution has spent 5.5, and this purchase is expected to cost 5.5",
		);
		expect(hintsOf(result)).toContain(
			"A purchase cost 5.5 yuan, by the balance, and 'Expected Cost (Yuan)' is 3.",
		);
	});

	it('is passed by one surprise at most where the balance could not be read right after it', async () => {
		const running = customer.buy(withOptions({ maxCostPerRun: 10, expectedCost: 3 }), {
			items: countOf(3),
			settings: CONTINUE,
		});
		await customer.asked(API.createorder);
		const path = API.getaccountbalance;
		customer.sandbox.faults.add({ kind: 'status', status: 403, path, times: 1 });
		const [first, second] = records(await running);
		expect(customer.paid).toBe(1);
		expect(first).toMatchObject({ cost: 5.5, expectedCost: 3 });
		expect(second.error).toContain('has spent 5.5, and this purchase is expected to cost 5.5');
	});

	it('is passed by one surprise at most where each answer is lost and the ends show late', async () => {
		const orders = [50, 51, 52].map((hours) => customer.tunnel(hours * HOUR));
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: API.reneworder });
		customer.sandbox.faults.add({ kind: 'cache', path: API.getorderexpiretime });
		const options = { maxOrdersPerRun: 10, maxCostPerRun: 60, expectedCost: 10 };
		const result = await customer.renewEach(orders, { ...WEEK_ALWAYS, options });
		expect(customer.paid).toBe(1);
		expect(textOf(result)).toContain('A purchase cost 38.5 yuan, by the balance');
		expect(textOf(result)).toContain('2 held back by a limit, 1 failed');
	});

	it('expects a purchase whose cost a top-up hides to have cost what the dearest so far did', async () => {
		const running = customer.buy(withOptions({ maxCostPerRun: 14, expectedCost: 3 }), {
			items: countOf(4),
			settings: CONTINUE,
		});
		await customer.asked(API.createorder, 2);
		customer.account.balanceInFen += 100_00;
		const result = await running;
		expect(customer.paid).toBe(2);
		expect(records(result)[2].error).toContain(
			'has spent 11, and this purchase is expected to cost 5.5',
		);
	});

	it('counts what a colleague bought at the same moment as well, and says so', async () => {
		const running = customer.buy(withOptions({ maxCostPerRun: 12, expectedCost: 6 }), {
			items: countOf(2),
			settings: CONTINUE,
		});
		await customer.asked(API.createorder);
		customer.account.balanceInFen -= 5000_00;
		const result = await running;
		expect(customer.paid).toBe(1);
		expect(hintsOf(result)).toContain('If nobody else bought something in that moment, raise it');
	});
});

describe('Balance to Keep', () => {
	const less = "; 'Balance to Keep (Yuan)' is 100";
	const expected = ', and this purchase is expected to cost 6';

	it('buys nothing with less, and says how much there is', async () => {
		const customer = withYuan(99.99);
		const { error } = await customer.buy(withOptions({ minimumBalance: 100, expectedCost: 6 }));
		expect(error?.message).toBe(`The account has 99.99 yuan${expected}${less}`);
		expect(error?.description).toContain('member center, or lower the balance to keep.');
		expect(error?.description).toContain('Nothing was bought for this item.');
		expect(customer.calls).toEqual([API.getaccountbalance]);
		const options = { minimumBalance: 100, expectedCost: 6 };
		const renewed = await customer.renewByNumber(customer.tunnel(2 * DAY), { options });
		expect(renewed.error).toBeUndefined();
		expect(records(renewed)).toMatchObject([{ renewed: false }]);
		expect(records(renewed)[0].reason).toContain(`The account has 99.99 yuan${expected}${less}`);
		expect(customer.paid).toBe(0);
	});

	it('counts what the purchase is expected to cost', async () => {
		const customer = withYuan(105.99);
		const options = withOptions({ minimumBalance: 100, expectedCost: 6 });
		const refused = await customer.buy(options);
		expect(textOf(refused)).toContain(`yuan${expected}${less}`);
		customer.account.balanceInFen = 106_00;
		expect((await customer.buy(options)).error).toBeUndefined();
		expect(customer.account.balanceInFen).toBe(100_50);
	});

	it('counts what the balance does not show yet', async () => {
		const customer = withYuan(150);
		customer.sandbox.faults.add({ kind: 'cache', path: API.getaccountbalance });
		const options = { minimumBalance: 100, expectedCost: 20 };
		const result = await customer.buy(withOptions(options), { items: countOf(3) });
		expect(textOf(result)).toContain(
			`The account has 150.00 yuan, 110 after earlier purchases, and this purchase is expected to cost 20${less}`,
		);
		expect(customer.paid).toBe(2);
	});

	it.each([
		['a refusal', { kind: 'code', code: -109 }],
		['a gateway', { kind: 'status', status: 502 }],
		['half an answer', { kind: 'halfBody' }],
		['no number', { kind: 'raw', body: '{"code":0,"msg":"","data":{"balance":"much"}}' }],
		['nothing', { kind: 'raw', body: '{"code":0,"msg":"","data":""}' }],
	] as const)('without a balance to read (%s) buys nothing, and says so', async (_how, fault) => {
		bed().sandbox.faults.add({ ...fault, path: API.getaccountbalance });
		for (const limit of [{ minimumBalance: 100 }, { maxCostPerRun: 100 }]) {
			const result = await customer.buy(withOptions({ ...limit, expectedCost: 6 }));
			expect(result.items).toEqual([]);
			expect(result.error?.message).not.toContain('may have been placed');
			expect(result.error?.description).toContain(
				'This was only a check before the purchase; nothing was bought for this item.',
			);
		}
		expect(customer.requests(API.createorder)).toEqual([]);
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

const NO_AMOUNTS = [...EMPTY, ...NO_NUMBERS, -1, 1.555, 'much', 100_000_001];

// One function reads all of them
describe.each(Object.entries(LABELS).map(([name, label], row) => [name, label, row] as const))(
	'%s',
	(name, label, row) => {
		it.each(shareOf(NO_AMOUNTS, 4, row))(
			'of %j is an error, before anything is sent',
			async (value) => {
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
	},
);

it.each(['minimumBalance', 'maxCostPerRun'] as const)(
	"%s is refused with an order's key pair, which can't read the balance",
	async (name) => {
		const options = { [name]: 100 };
		const { error } = await customer.renew(customer.tunnel(DAY), { ...WEEK_ALWAYS, options });
		expect(error?.message).toMatch(/^An order's key pair can't read the account's balance, so '/);
		expect(error?.message).toContain(`'${LABELS[name]}' can't be kept`);
		expect(error?.description).toContain("Use a credential with the account's key pair");
		expect(customer.calls).toEqual([]);
	},
);

it.each(
	[...EMPTY, '={{ 0.5 }}', '={{ [] }}', 'much'].map((value, row) =>
		row % 2 === 0
			? (['isCoupon', 'Use Coupon', value] as const)
			: (['dryRun', 'Dry Run', value] as const),
	),
)('%s, as %s of %s, is an error, and nothing is bought', async (name, label, value) => {
	const result = await customer.buy({ options: { [name]: value } });
	expect(textOf(result)).toMatch(new RegExp(`'${label}' (?:is empty|can't be )`));
	expect(customer.calls).toEqual([]);
});
