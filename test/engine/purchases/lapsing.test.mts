import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { moveDate, resetDate } from '../../virtualTime.mts';
import {
	CREATE,
	Customer,
	EXPIRY,
	FEWER,
	hintsOf,
	LIST,
	READ_ATTEMPTS,
	records,
	RENEW,
	scheduled,
	textOf,
	WEEK,
} from '../support/customer.mts';
import { useDeduplicationRecords } from '../support/deduplication.mts';
import { CONTINUE, CONTINUE_WITH_ERRORS, RETRY } from '../support/nodeSettings.mts';
import { sleep } from '../support/sleep.mts';
import { uniqueName, useTestBed } from '../support/testBed.mts';

/* No order ends in a run that seems to have gone well, and nothing unclear keeps others from being bought. */

const bed = useTestBed({ rateLimits: false });

beforeAll(useDeduplicationRecords);

let customer: Customer;
beforeEach(() => {
	customer = new Customer(bed());
});
afterEach(() => {
	Object.assign(bed().sandbox.settings, { newOrderLagSeconds: 0, balanceLagSeconds: 0 });
	resetDate();
});

const many = <T,>(count: number, make: (n: number) => T): T[] =>
	Array.from({ length: count }, (_, n) => make(n));

describe('Six orders are due, and the answer of the first is lost', () => {
	it.each([{}, CONTINUE, CONTINUE_WITH_ERRORS])(
		'the others are renewed, and the run names it: %j',
		async (settings) => {
			const orders = many(6, (n) => customer.tunnel((n + 1) * HOUR));
			customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: RENEW, times: 1 });
			const result = await customer.renewEach(orders, WEEK, { ...scheduled(), settings });
			expect(customer.payments.map(({ orderId }) => orderId).sort()).toEqual(
				orders
					.slice(1)
					.map(({ orderId }) => orderId)
					.sort(),
			);
			const failed = [...result.items, ...result.errorItems].map(({ json }) => json.error);
			const text = `${failed.join()} ${textOf(result)}`;
			expect(text).toContain('The order may have been renewed: ');
			expect(text).toContain(orders[0].orderId);
			if (settings === CONTINUE) expect(result.items).toHaveLength(6);
			else if (settings === CONTINUE_WITH_ERRORS) expect(result.items).toHaveLength(5);
			else expect(result.status).toBe('error');
		},
	);

	it.each([
		['carried out', 'after', true],
		['not carried out', 'before', false],
	] as const)('a retry settles it where it was %s', async (_what, when, isDone) => {
		const orders = many(3, (n) => customer.tunnel((n + 1) * HOUR));
		const run = { ...scheduled(), settings: { id: uniqueName('node') } };
		customer.sandbox.faults.add({ kind: 'cut', when, path: RENEW, times: 1 });
		const blind = customer.asked(RENEW).then(() => {
			const { secretId } = orders[0].keys;
			customer.sandbox.faults.add({ kind: 'status', status: 503, path: EXPIRY, secretId });
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

describe('An unclear new order', () => {
	const items = many(4, (n) => ({ n }));
	const options = { maxOrdersPerRun: 4 };

	it('ends the run, which names what was not tried; a retry buys that', async () => {
		const run = { ...scheduled(), settings: { id: uniqueName('node') } };
		customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: CREATE, times: 1 });
		const failed = await customer.buy({ options }, { items, ...run });
		expect(textOf(failed)).toContain('The order may have been placed: ');
		expect(textOf(failed)).toContain('Not tried: items 1, 2, 3.');
		expect(customer.requests(CREATE)).toHaveLength(1);
		const retry = async () =>
			await customer.buy(
				{ options },
				{
					items,
					settings: run.settings,
					executionId: uniqueName('execution'),
					retryOf: failed.saved,
				},
			);
		const retried = await retry();
		expect(customer.paid).toBe(3);
		for (const { orderId } of customer.payments) expect(textOf(retried)).toContain(orderId);
	});

	it("is left alone by 'Retry On Fail', which buys the others", async () => {
		customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: CREATE, times: 1 });
		const failed = await customer.buy(
			{ options },
			{ items, ...scheduled(), settings: { id: uniqueName('node'), ...RETRY } },
		);
		expect(textOf(failed)).toContain('The order may have been placed: ');
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

	it.each([0, 60])('counts the same where the balance shows %i seconds late', async (lag) => {
		bed().sandbox.settings.balanceLagSeconds = lag;
		const customer = new Customer(bed(), { balanceInFen: 100_00 });
		const orders = many(3, (n) => customer.tunnel((n + 1) * HOUR));
		const options = { minimumBalance: 20, expectedCost: 39 };
		const result = await customer.renewEach(orders, { ...WEEK, options }, scheduled());
		expect(result.status).toBe('error');
		expect(textOf(result)).toContain(orders[2].orderId);
		expect(customer.paid).toBe(2);
	});

	it('renews those that end first where the list cannot be read', async () => {
		customer.sandbox.faults.add({ kind: 'status', status: 503, path: LIST });
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
				{ kind: 'status', status: 503, path: LIST },
				{ kind: 'status', status: 503, path: EXPIRY, times: orders.length * READ_ATTEMPTS },
			);
			const options = { maxCostPerRun: 50, expectedCost: 39 };
			const result = await customer.renewEach(orders, { ...fields, options }, scheduled());
			expect(customer.paid).toBe(1);
			expect(result.status).toBe('error');
			for (const { orderId } of orders.slice(1)) expect(textOf(result)).toContain(orderId);
		},
	);

	it('buys nothing where neither the list nor the orders say when they end', async () => {
		customer.sandbox.faults.add(
			{ kind: 'status', status: 503, path: LIST },
			{ kind: 'status', status: 503, path: EXPIRY },
		);
		const orders = many(3, () => customer.tunnel(50 * HOUR));
		const options = { maxOrdersPerRun: 2 };
		const result = await customer.renewEach(orders, { ...WEEK, options }, scheduled());
		expect(textOf(result)).toContain("it can't be read when 3 of them end");
		expect(customer.requests(RENEW)).toEqual([]);
	});
});

describe('A refusal that comes while the first delivery is still at work', () => {
	it.each(
		[-120, -112, -999].flatMap((code) => [CREATE, RENEW].map((path) => [code, path] as const)),
	)('%i for %s: paid once, and told', async (code, path) => {
		const order = customer.tunnel(DAY);
		customer.sandbox.faults.add({ kind: 'code', code, path, times: 1 });
		// The other delivery takes four seconds
		void customer.asked(path).then(async () => {
			await sleep(4000);
			if (path === CREATE) customer.tunnel(DAY);
			else order.expiresAt = new Date((order.expiresAt?.getTime() ?? 0) + 7 * DAY);
		});
		const result =
			path === CREATE
				? await customer.buy({}, scheduled())
				: await customer.renewByNumber(order, WEEK, scheduled());
		expect(records(result)[0]).toMatchObject({ verified: true });
		expect(customer.requests(path)).toHaveLength(1);
	});
});

describe('A long execution', () => {
	it('tops an order up again by its condition after ten minutes, and not before', async () => {
		const order = customer.perIp(50);
		const fields = { renewalOf: 'perIp', dpsIpCount: 1000, balanceBelow: 100 };
		const { orderId } = order;
		const orderid = { __rl: true, mode: 'code', value: orderId };
		let paid = 0;
		// Used up between two runs of a loop with Wait
		const used = setInterval(() => {
			if (customer.paid > paid) order.ipBalance = 40;
			paid = customer.paid;
		}, 30_000);
		customer.sandbox.faults.add({ kind: 'delay', ms: 150_000, path: LIST });
		const options = { timeout: 600, maxOrdersPerRun: 10 };
		const result = await customer.renewAll(
			{ orderid, ...fields, options },
			{ ...scheduled(), runs: 6 },
		);
		clearInterval(used);
		const renewed = result.itemsOfRuns.map(([{ json }]) => json.renewed);
		expect(renewed[0]).toBe(true);
		expect(renewed[1]).toBe(false);
		expect(renewed.slice(2)).toContain(true);
		expect(customer.paid).toBe(2);
	});
});

describe('Only If Fewer', () => {
	it('never counts what has ended, whatever its status is called', async () => {
		const order = customer.tunnel(-5 * DAY, { status: 'EXPIRED' });
		order.written = { status: 'LAPSED' };
		expect(records(await customer.buy(FEWER, scheduled()))[0].created).toBe(true);
	});

	it('counts an unknown status as the list of valid orders says, and says so', async () => {
		const order = customer.tunnel(30 * DAY);
		order.written = { status: 'RENEWING' };
		const result = await customer.buy(FEWER, scheduled());
		expect(records(result)[0]).toMatchObject({ created: false, orderid: order.orderId });
		expect(hintsOf(result)).toContain("has the status 'RENEWING', which this node doesn't know");
		order.status = 'FORBIDDEN';
		expect(records(await customer.buy(FEWER, scheduled()))[0].created).toBe(true);
	});

	it('buys one while the list is 20 minutes late', async () => {
		bed().sandbox.settings.newOrderLagSeconds = 1200;
		for (const _ of [1, 2, 3]) {
			expect((await customer.buy(FEWER, scheduled())).error).toBeUndefined();
			await sleep(9 * MINUTE);
		}
		expect(customer.paid).toBe(1);
	});
});

it('A clock that is set back six hours blocks an unclear renewal for ten minutes', async () => {
	const order = customer.tunnel(2 * DAY);
	customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: RENEW, times: 1 });
	const renew = async () => await customer.renewByNumber(order, WEEK, scheduled());
	await renew();
	moveDate(-6 * HOUR);
	expect(textOf(await renew())).toContain('Nothing was bought this time');
	await sleep(601_000);
	expect(records(await renew())[0].renewed).toBe(true);
});
