import { HOUR, MINUTE } from '../../durations.mts';
import { many } from '../../many.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API, READ_ATTEMPTS } from '../support/api.mts';
import { WEEK } from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { missed } from '../support/faults.mts';
import { hintsOf, records, renewed, textOf } from '../support/results.mts';
import { CONTINUE, scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { useWorkbench } from '../support/workbench.mts';

/* No order ends in a run that seems to have gone well, and nothing unclear keeps others from being bought. */

const { customer } = useWorkbench({ rateLimits: false, withRecords: true });

describe('Six orders are due, and the answer of the first is lost', () => {
	it('the others are renewed, and the run fails and names it', async () => {
		const orders = many(6, (n) => customer.tunnel((n + 1) * HOUR));
		customer.sandbox.faults.add(missed(API.reneworder));
		const result = await customer.renewEach(orders, WEEK, scheduled());
		const renewed = customer.payments.map(({ orderId }) => orderId);
		expect(renewed).toEqual(orders.slice(1).map(({ orderId }) => orderId));
		expect(result.status).toBe('error');
		expect(textOf(result)).toContain('The order may have been renewed: ');
		expect(textOf(result)).toContain(orders[0].orderId);
	});

	it.each([
		['carried out', 'after', true],
		['not carried out', 'before', false],
	] as const)('a retry settles it where it was %s', async (_what, when, isDone) => {
		const orders = many(3, (n) => customer.tunnel((n + 1) * HOUR));
		const run = { ...scheduled(), settings: { id: uniqueName('node') } };
		customer.sandbox.faults.add({ kind: 'cut', when, path: API.reneworder, times: 1 });
		const blind = customer.asked(API.reneworder).then(() => {
			const { secretId } = orders[0].keys;
			customer.sandbox.faults.add({
				kind: 'status',
				status: 503,
				path: API.getorderexpiretime,
				secretId,
			});
		});
		const failed = await customer.renewEach(orders, WEEK, run);
		await blind;
		customer.sandbox.faults.clear();
		expect(textOf(failed)).toContain('The order may have been renewed: ');
		expect(customer.paid).toBe(isDone ? 3 : 2);
		const retry = async () =>
			await customer.renewEach(orders, WEEK, {
				settings: run.settings,
				executionId: uniqueName('execution'),
				retryOf: failed.saved,
			});
		if (!isDone) {
			expect(textOf(await retry())).toMatch(/Until .+, it may still show up/);
			await sleep(601_000);
		}
		const settled = await retry();
		expect(records(settled).map(({ renewed }) => renewed)).toEqual([true, true, true]);
		expect(customer.paid).toBe(3);
	});
});

describe('A limit that holds orders back', () => {
	it('of which one ends within 24 hours fails the run at its end, and names them', async () => {
		const orders = many(14, (n) => customer.tunnel((n < 12 ? 20 : 40) * HOUR + n * MINUTE));
		const result = await customer.renewEach(orders, WEEK, scheduled());
		expect(customer.paid).toBe(10);
		expect(result.status).toBe('error');
		for (const { orderId } of orders.slice(10, 12)) expect(textOf(result)).toContain(orderId);
		expect(textOf(result)).toContain('was not renewed because of a limit');
	});

	it('until later passes them, in green', async () => {
		const orders = many(14, (n) => customer.tunnel(40 * HOUR + n * MINUTE));
		const result = await customer.renewEach(orders, WEEK, scheduled());
		expect(result.error).toBeUndefined();
		expect(hintsOf(result)).toContain('4 orders were not renewed because of a limit');
		expect(hintsOf(result)).toContain(`Order ${orders[10].orderId} ends at `);
	});

	it('is an error of these items where the node goes on, and of nothing in a dry run', async () => {
		const orders = many(3, (n) => customer.tunnel((n + 1) * HOUR));
		const options = { maxOrdersPerRun: 2 };
		const dry = { ...options, dryRun: true };
		const would = await customer.renewEach(orders, { ...WEEK, options: dry }, scheduled());
		expect(would.error).toBeUndefined();
		const settings = CONTINUE;
		const result = await customer.renewEach(
			orders,
			{ ...WEEK, options },
			{ ...scheduled(), settings },
		);
		expect(records(result)[2]).toMatchObject({
			orderid: orders[2].orderId,
			renewed: false,
			error: expect.stringContaining('was not renewed because of a limit'),
		});
	});

	it('renews those that end first where the list cannot be read', async () => {
		customer.sandbox.faults.add({ kind: 'status', status: 503, path: API.getaccountorders });
		const orders = [50, 48, 52, 49].map((hours) => customer.tunnel(hours * HOUR));
		const options = { maxOrdersPerRun: 2 };
		await customer.renewEach(orders, { ...WEEK, options }, scheduled());
		expect(customer.payments.map(({ orderId }) => orderId)).toEqual([
			orders[1].orderId,
			orders[3].orderId,
		]);
	});

	it.each([WEEK, { ...WEEK, renewalOf: 'prepaid', renewWhen: 'always' }])(
		'fails where a budget holds back orders whose ends could not be read at first: %j',
		async (fields) => {
			const orders = many(3, (n) => customer.tunnel((n + 1) * HOUR));
			customer.sandbox.faults.add(
				{ kind: 'status', status: 503, path: API.getaccountorders },
				{
					kind: 'status',
					status: 503,
					path: API.getorderexpiretime,
					times: orders.length * READ_ATTEMPTS,
				},
			);
			const options = { maxCostPerRun: 50, expectedCost: 39 };
			const result = await customer.renewEach(orders, { ...fields, options }, scheduled());
			expect(customer.paid).toBe(1);
			expect(result.status).toBe('error');
			for (const { orderId } of orders.slice(1)) expect(textOf(result)).toContain(orderId);
		},
	);

	it('fails for orders that nobody can say the ends of, which may be as soon', async () => {
		customer.sandbox.faults.add(
			{ kind: 'status', status: 503, path: API.getaccountorders },
			{ kind: 'status', status: 503, path: API.getorderexpiretime },
		);
		const orders = many(3, () => customer.tunnel(50 * HOUR));
		const fields = { ...WEEK, renewalOf: 'prepaid', renewWhen: 'always' };
		const options = { maxOrdersPerRun: 1 };
		const result = await customer.renewEach(orders, { ...fields, options }, scheduled());
		expect(customer.paid).toBe(1);
		expect(textOf(result)).toContain(
			`Order ${orders[1].orderId} may end soon, and was not renewed because of a limit`,
		);
	});

	it('buys nothing by a condition where neither the list nor the orders say when they end', async () => {
		customer.sandbox.faults.add(
			{ kind: 'status', status: 503, path: API.getaccountorders },
			{ kind: 'status', status: 503, path: API.getorderexpiretime },
		);
		const orders = many(3, () => customer.tunnel(50 * HOUR));
		const options = { maxOrdersPerRun: 2 };
		const result = await customer.renewEach(orders, { ...WEEK, options }, scheduled());
		expect(textOf(result)).toContain('3 failed');
		expect(customer.requests(API.reneworder)).toEqual([]);
	});
});

describe('Orders that are refused for good', () => {
	it('the first of them: the others are renewed, and the node fails at the end, the next morning too', async () => {
		const orders = many(4, (n) => customer.tunnel((n + 1) * HOUR));
		customer.refuseRenewals(orders.slice(0, 1));
		const night = await customer.renewEach(orders, WEEK, scheduled());
		const check = (result: RunResult, paid: number) => {
			expect(result.status).toBe('error');
			expect(textOf(result)).toContain(orders[0].orderId);
			expect(customer.paid).toBe(paid);
		};
		check(night, 3);
		for (const { orderId } of orders.slice(1)) expect(textOf(night)).toContain(orderId);
		await sleep(30 * 60_000);
		for (const order of orders.slice(1)) order.expiresAt = new Date(Date.now() + HOUR);
		check(await customer.renewEach(orders, WEEK, scheduled()), 6);
	});
});

it('A window shorter than the schedule: a hint says that the order will lapse before the next run', async () => {
	const order = customer.tunnel(20 * HOUR);
	const fields = { ...WEEK, expiringWithin: 12, expiringWithinUnit: 'hours' };
	const result = await customer.renewEach([order], fields, scheduled());
	expect(renewed(result)).toEqual([false]);
	expect(hintsOf(result)).toContain(order.orderId);
	expect(hintsOf(result)).toContain("raise 'Expiring Within'");
});
