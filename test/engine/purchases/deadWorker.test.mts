import type { IDataObject } from 'n8n-workflow';

import { DAY, MINUTE } from '../../durations.mts';
import { shareOf } from '../../fullMatrices.mts';
import { uniqueName } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { API, READ_ATTEMPTS } from '../support/api.mts';
import { Customer, WEEK, WEEK_ALWAYS } from '../support/customer.mts';
import { n8nRecords } from '../support/deduplication.mts';
import type { RunResult, RunSettings } from '../support/engine.mts';
import { records, textOf } from '../support/results.mts';
import { CONTINUE, RETRY } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import type { TestBed } from '../support/testBed.mts';
import { untilWindowAge } from '../support/windowAge.mts';
import { useWorkbench } from '../support/workbench.mts';

/*
 * Of an execution whose worker died, n8n keeps nothing, and somebody retries it. Whatever was paid is paid once; the
 * one purchase that was under way is found by its number or by a condition, or it is an error.
 */

const { bed, customer } = useWorkbench({ rateLimits: false, withRecords: true });

afterEach(() => {
	n8nRecords.isOut = false;
	n8nRecords.isLost = () => false;
	n8nRecords.atChange = async () => await Promise.resolve();
});

type Run = (settings: {
	executionId: string;
	killedExecutionId?: string;
	engine?: TestBed['engine'];
	cancelWhen?: Promise<unknown>;
	settings?: RunSettings['settings'];
	rootMode?: RunSettings['rootMode'];
}) => Promise<RunResult>;

/** After so long, n8n takes a worker for dead. */
const STALLED_MS = 30_000;

/** What a dead worker waits for, so that it does nothing more. */
function funeral() {
	let bury = () => {};
	const buried = new Promise<void>((resolve) => {
		bury = resolve;
	});
	return { buried, bury: () => bury() };
}

/** Runs until it has died, and is retried elsewhere. */
async function diesIn(run: Run, hasDied: () => boolean, comesToItsEnd = true): Promise<RunResult> {
	const executionId = uniqueName('execution');
	const { buried, bury } = funeral();
	const first = run({ executionId, cancelWhen: buried });
	await until(hasDied, 60_000);
	await sleep(STALLED_MS);
	const result = await run({
		executionId: uniqueName('execution'),
		killedExecutionId: executionId,
		engine: bed().engine.anotherProcess(),
	});
	bury();
	if (comesToItsEnd) await first;
	return result;
}

/** It dies with its request number `nth` on the way. */
async function diesWith(customer: Customer, path: string, nth: number, run: Run, isDone: boolean) {
	const { faults } = customer.sandbox;
	faults.add({ kind: 'delay', ms: 0, path, times: nth - 1 });
	void until(() => customer.requests(path).length === nth - 1, 60_000).then(() =>
		faults.add({ kind: 'hang', when: isDone ? 'after' : 'before', path, times: 1 }),
	);
	return await diesIn(run, () => customer.requests(path).length === nth);
}

/** Nobody gives up before the first worker is buried. */
const PATIENT = { timeout: 600, maxOrdersPerRun: 10 };

const MOMENTS: ReadonlyArray<[string, boolean]> = [
	['before Kuaidaili got the request', false],
	['after Kuaidaili did the work', true],
];

const numbers = (result: RunResult) => records(result).map(({ orderid }) => orderid);
const paidOrders = (customer: Customer) => customer.payments.map(({ orderId }) => orderId);
const times = (count: number): IDataObject[] => Array.from({ length: count }, (_, n) => ({ n }));

describe.each(MOMENTS)('A worker that dies %s', (_moment, isDone) => {
	it.each([1, 5])('with new order %i of 5: the others are bought, and it is named', async (nth) => {
		const run: Run = async (settings) =>
			await customer.buy({ options: PATIENT }, { items: times(5), ...settings });
		const result = await diesWith(customer, API.createorder, nth, run, isDone);
		expect(customer.paid).toBe(isDone ? 5 : 4);
		const text = textOf(result);
		expect(text).toContain('The order may have been placed: n8n lost track of the request');
		expect(text).toContain('That worker ended before it had the answer, or did not tell it.');
		for (const orderId of paidOrders(customer)) expect(text).toContain(orderId);
		// By the list alone, it may be a colleague's
		const maybe = `what may be this order (${paidOrders(customer)[nth - 1]})`;
		if (isDone) expect(text).toContain(maybe);
		else expect(text).not.toContain('what may be this order');
	});

	it.each(['expiring', 'always'])(
		'with a renewal of 4 (%s): the others are renewed, and it is found by the condition',
		async (renewWhen) => {
			const orders = [1, 2, 3, 4].map((days) => customer.tunnel(days * 0.2 * DAY));
			const run: Run = async (settings) =>
				await customer.renewEach(orders, { ...WEEK, renewWhen, options: PATIENT }, settings);
			const result = await diesWith(customer, API.reneworder, 2, run, isDone);
			expect(customer.paid).toBe(isDone ? 4 : 3);
			if (isDone && renewWhen === 'expiring') {
				expect(result.error).toBeUndefined();
				expect(records(result).map(({ renewed }) => renewed)).toEqual([true, true, true, true]);
				return;
			}
			const text = textOf(result);
			expect(text).toContain('The order may have been renewed: n8n lost track of the request');
			for (const { orderId } of orders) expect(text).toContain(orderId);
		},
	);

	it('with a top-up of IPs of 3: the others are bought, and what looking cannot tell is said', async () => {
		const orders = [5, 6, 7].map((left) => customer.perIp(left));
		const fields = { renewalOf: 'perIp', dpsIpCount: 1000, renewWhen: 'always', options: PATIENT };
		const run: Run = async (settings) =>
			await customer.renewEach(orders, fields, { settings: CONTINUE, ...settings });
		const result = await diesWith(customer, API.reneworder, 2, run, isDone);
		expect(customer.paid).toBe(isDone ? 3 : 2);
		const renewed = records(result).map(({ renewed: is }) => is);
		expect(renewed).toEqual([true, undefined, true]);
		expect(records(result)[1].error).toContain('The IPs may have been bought: ');
		expect(records(result)[1].error).toContain(orders[1].orderId);
	});

	it('with a top-up of IPs that has a condition: it is paid once at most', async () => {
		const order = customer.perIp(5);
		const fields = { renewalOf: 'perIp', dpsIpCount: 1000, balanceBelow: 100, options: PATIENT };
		const run: Run = async (settings) => await customer.renewEach([order], fields, settings);
		const result = await diesWith(customer, API.reneworder, 1, run, isDone);
		expect(customer.paid).toBe(isDone ? 1 : 0);
		if (isDone) expect(records(result)[0].renewed).toBe(true);
		else expect(textOf(result)).toContain('The IPs may have been bought');
	});

	it('with a new order that has a condition: it is paid once, and the next run of a schedule sees to it', async () => {
		customer.tunnel(300 * DAY);
		const fields = { createWhen: 'fewerThan', fewerThan: 2, options: PATIENT };
		const node = { id: uniqueName('node') };
		const run: Run = async (settings) =>
			await customer.buy(fields, { ...settings, settings: node });
		const result = await diesWith(customer, API.createorder, 1, run, isDone);
		expect(customer.paid).toBe(isDone ? 1 : 0);
		if (isDone) expect(records(result)[0]).toMatchObject({ created: false });
		else expect(textOf(result)).toContain('The order may have been placed');
		await sleep(12 * MINUTE);
		const engine = bed().engine.anotherProcess();
		const next = await customer.buy(fields, { engine, settings: node, rootMode: 'trigger' });
		expect(records(next)).toMatchObject([{ created: !isDone }]);
		expect(customer.paid).toBe(1);
	});

	it('with one of ten executions of a node at once: each is paid once', async () => {
		const settings = { id: uniqueName('node') };
		// Nobody clicks ten times within an instant
		const rootMode = 'trigger' as const;
		const one: Run = async (more) =>
			await customer.buy({ options: PATIENT }, { settings, rootMode, ...more });
		customer.sandbox.faults.add({
			kind: 'hang',
			when: isDone ? 'after' : 'before',
			path: API.createorder,
		});
		const ids = times(10).map(() => uniqueName('execution'));
		const { buried, bury } = funeral();
		const dead = ids.map(async (executionId) => await one({ executionId, cancelWhen: buried }));
		// The others wait for the first one
		await customer.asked(API.createorder);
		await sleep(STALLED_MS);
		customer.sandbox.faults.clear();
		const engine = bed().engine.anotherProcess();
		const results = await Promise.all(
			ids.map(async (executionId) => await one({ executionId, engine })),
		);
		expect(results.filter(({ error }) => error !== undefined)).toHaveLength(1);
		expect(customer.paid).toBe(isDone ? 10 : 9);
		expect(new Set(results.flatMap(numbers)).size).toBe(9);
		bury();
		await Promise.all(dead);
	});
});

/** Three purchases, during which the worker dies: each is paid once at most, and all but the one that was under way. */
async function expectOnce(kind: string, hasDied: () => boolean, comesToItsEnd = true) {
	const orders = kind === 'renewals' ? [1, 2, 3].map((n) => customer.tunnel(DAY + n)) : [];
	const node = { settings: { id: uniqueName('node') } };
	const run: Run = async (settings) =>
		kind === 'renewals'
			? await customer.renewEach(
					orders,
					{ ...WEEK_ALWAYS, options: PATIENT },
					{ ...node, ...settings },
				)
			: await customer.buy({ options: PATIENT }, { items: times(3), ...node, ...settings });
	const result = await diesIn(run, hasDied, comesToItsEnd);
	const paid = paidOrders(customer);
	expect(new Set(paid).size).toBe(paid.length);
	expect(paid.length).toBeLessThanOrEqual(3);
	if (result.error === undefined) expect(paid).toHaveLength(3);
	else expect(textOf(result)).toMatch(/The order may have been (?:placed|renewed)/);
	expect(paid.length).toBeGreaterThanOrEqual(2);
}

describe.each(['new orders', 'renewals'])('Three %s, of which the worker dies', (kind) => {
	// Each kind at every other moment, and the other kind at those in between; "npm run fuzz" tries all
	const STEPS = Array.from({ length: 10 }, (_, index) => index + 1).flatMap((nth) =>
		shareOf(['before', 'after'] as const, 2, nth + Number(kind === 'renewals')).map((when) => ({
			nth,
			when,
		})),
	);

	it.each(STEPS)(
		'at request $nth, $when it is carried out: each is paid once at most',
		async (step) => {
			const { faults } = customer.sandbox;
			const before = step.nth - 1;
			if (before > 0) faults.add({ kind: 'delay', ms: 30, times: before });
			void until(() => customer.calls.length >= before, 60_000).then(() =>
				faults.add({ kind: 'hang', when: step.when, times: 1 }),
			);
			await expectOnce(kind, () => customer.calls.length >= step.nth);
		},
	);

	// What is claimed, paid, and, of a renewal, no longer at work
	const CHANGES = kind === 'renewals' ? 9 : 6;

	it.each(STEPS.filter(({ nth }) => nth <= CHANGES))(
		"at change $nth of n8n's records, $when it is made: each is paid once at most",
		async (step) => {
			let changes = 0;
			n8nRecords.atChange = async (when) => {
				if (when === 'before') changes += 1;
				// Nobody comes back from here
				if (changes === step.nth && when === step.when) {
					n8nRecords.atChange = async () => await Promise.resolve();
					changes = Infinity;
					await new Promise(() => {});
				}
			};
			await expectOnce(kind, () => changes === Infinity, false);
		},
	);
});

it('Ten executions of a node whose worker dies when each is paid: none is paid again', async () => {
	const settings = { id: uniqueName('node') };
	const options = { ...PATIENT, reportCost: false };
	const one: Run = async (more) =>
		await customer.buy({ options }, { settings, rootMode: 'trigger', ...more });
	const ids = times(10).map(() => uniqueName('execution'));
	await Promise.all(ids.map(async (executionId) => await one({ executionId })));
	expect(customer.paid).toBe(10);
	const engine = bed().engine.anotherProcess();
	const again = await Promise.all(
		ids.map(async (executionId) => await one({ executionId, engine })),
	);
	expect(customer.paid).toBe(10);
	expect(new Set(again.flatMap(numbers)).size).toBe(10);
});

describe('A worker that is taken for dead and goes on', () => {
	// Such as one that lost its connection to the queue
	const bothRun = async (run: Run, hasBegun: () => boolean) => {
		const executionId = uniqueName('execution');
		const first = run({ executionId });
		await until(hasBegun, 60_000);
		const second = run({ executionId, engine: bed().engine.anotherProcess() });
		return await Promise.all([first, second]);
	};

	it('after the third request of ten new orders: each is paid once', async () => {
		customer.sandbox.faults.add({ kind: 'delay', ms: 4000, path: API.createorder });
		const run: Run = async (settings) =>
			await customer.buy(
				{ options: PATIENT },
				{ items: times(10), settings: CONTINUE, ...settings },
			);
		const results = await bothRun(run, () => customer.requests(API.createorder).length === 3);
		expect(customer.paid).toBe(10);
		const told = new Set(results.flatMap(numbers));
		for (const orderId of paidOrders(customer)) expect([...told]).toContain(orderId);
	});

	it.each(['expiring', 'always'])(
		'among ten renewals (%s): each is paid once',
		async (renewWhen) => {
			const orders = times(10).map((_, n) => customer.tunnel((n + 1) * 0.1 * DAY));
			customer.sandbox.faults.add({ kind: 'delay', ms: 4000, when: 'after', path: API.reneworder });
			const fields = { ...WEEK, renewWhen, options: PATIENT };
			const run: Run = async (settings) =>
				await customer.renewEach(orders, fields, { settings: CONTINUE, ...settings });
			await bothRun(run, () => customer.requests(API.reneworder).length === 3);
			expect(paidOrders(customer).sort()).toEqual(orders.map(({ orderId }) => orderId).sort());
		},
	);

	it.each(['manual', 'trigger'] as const)(
		'and whose records another worker does not see: its renewal is paid once (%s)',
		async (rootMode) => {
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({
				kind: 'delay',
				ms: 4000,
				when: 'before',
				path: API.reneworder,
			});
			const run: Run = async (settings) =>
				await customer.renewByNumber(
					order,
					{ ...WEEK_ALWAYS, options: PATIENT },
					{ ...settings, rootMode },
				);
			await untilWindowAge(3000);
			const requested = async (count: number) =>
				await until(() => customer.requests(API.reneworder).length === count, 60_000);
			const both = bothRun(run, () => customer.requests(API.reneworder).length === 1);
			await requested(1);
			n8nRecords.isLost = () => true;
			await requested(2);
			n8nRecords.isLost = () => false;
			const results = await both;
			expect(customer.paid).toBe(1);
			expect(results.flatMap(records)).toMatchObject([{ renewed: true }, { renewed: false }]);
		},
	);
});

it('A worker that dies with dedicated IPs of which too few are left then: they are told', async () => {
	const city = customer.sandbox.stock.find(({ code }) => code === '3301');
	Object.assign(city ?? {}, { sharedMegabits: 12 });
	const shared = { kpsSerie: 1, kpsModel: 'STA', kpsMaxBandwidth: 1 };
	const fields = { product: 'KPS', prepayTimeType: 'MONTH', ...shared, options: PATIENT };
	const run: Run = async (settings) =>
		await customer.buy({ ...fields, kpsCity: '3301', kpsIpCount: 8 }, settings);
	const result = await diesWith(customer, API.createorder, 1, run, true);
	expect(textOf(result)).toContain(paidOrders(customer)[0]);
	expect(customer.paid).toBe(1);
});

it.each([API.createorder, API.reneworder])(
	'A request that reaches Kuaidaili only after another worker looked is paid once: %s',
	async (path) => {
		const orders = [1, 2, 3].map((days) => customer.tunnel(days * 0.2 * DAY));
		const run: Run = async (settings) =>
			path === API.createorder
				? await customer.buy({ options: PATIENT }, { items: times(3), ...settings })
				: await customer.renewEach(orders, { ...WEEK_ALWAYS, options: PATIENT }, settings);
		customer.sandbox.faults.add({ kind: 'delay', ms: 5000, when: 'before', path, times: 1 });
		const executionId = uniqueName('execution');
		await run({ executionId, cancelWhen: customer.asked(path) });
		expect(customer.paid).toBe(0);
		const result = await run({
			executionId: uniqueName('execution'),
			killedExecutionId: executionId,
			engine: bed().engine.anotherProcess(),
		});
		await sleep(5000);
		expect(customer.paid).toBe(3);
		expect(textOf(result)).toMatch(/^The order may have been (placed|renewed): n8n lost track/);
	},
);

it('A purchase whose state nobody could read, before or afterwards, is an error', async () => {
	customer.sandbox.faults.add({ kind: 'status', status: 500, path: API.getaccountorders });
	const run: Run = async (settings) =>
		await customer.buy({ options: PATIENT }, { items: times(3), settings: CONTINUE, ...settings });
	const result = await diesWith(customer, API.createorder, 1, run, true);
	// Each of the others is an order of its own
	expect(customer.paid).toBe(3);
	expect(records(result)[0].error).toMatch(/^The order may have been placed/);
});

it('A purchase is an error where another order of the kind was placed meanwhile', async () => {
	const run: Run = async ({ engine, ...settings }) => {
		if (engine !== undefined) customer.tunnel(DAY);
		const items = times(3);
		return await customer.buy(
			{ options: PATIENT },
			{ items, engine, settings: CONTINUE, ...settings },
		);
	};
	const result = await diesWith(customer, API.createorder, 2, run, true);
	expect(customer.paid).toBe(3);
	expect(records(result)[1].error).toMatch(/^The order may have been placed/);
});

it('What was bought is known to each attempt of a node with Retry On Fail', async () => {
	const orders = [1, 2, 3].map((days) => customer.tunnel(days * 0.2 * DAY));
	const run: Run = async (settings) => {
		// The first attempt of the second worker learns nothing of the first order
		const fault = {
			kind: 'status',
			status: 500,
			path: API.getordersecret,
			times: READ_ATTEMPTS,
		} as const;
		if (settings.engine !== undefined) customer.sandbox.faults.add(fault);
		const fields = { ...WEEK, options: PATIENT };
		return await customer.renewEach(orders, fields, { settings: RETRY, ...settings });
	};
	const result = await diesWith(customer, API.reneworder, 2, run, true);
	expect(result.error).toBeUndefined();
	expect(records(result).map(({ renewed }) => renewed)).toEqual([true, true, true]);
	expect(customer.paid).toBe(3);
});

it('A loop that is delivered again finds the purchases of all its runs', async () => {
	const run: Run = async (settings) =>
		await customer.buy({ options: PATIENT }, { runs: 4, ...settings });
	const result = await diesWith(customer, API.createorder, 3, run, true);
	const [first, second, third] = paidOrders(customer);
	const told = result.itemsOfRuns.flat().map(({ json }) => json.orderid);
	expect(told).toEqual([first, second]);
	expect(textOf(result)).toContain(third);
	expect(customer.paid).toBe(3);
});

it('A renewal is known by its order where the list of those to renew has shifted', async () => {
	const [one, two] = [1, 2].map((days) => customer.tunnel(days * 0.2 * DAY));
	const same = { settings: { id: uniqueName('node') }, executionId: uniqueName('execution') };
	await customer.renewEach([one], WEEK, same);
	await customer.renewEach([two], WEEK, { ...same, engine: bed().engine.anotherProcess() });
	expect(paidOrders(customer)).toEqual([one.orderId, two.orderId]);
});

it('An order of a colleague is not taken for one that was refused', async () => {
	const same = { settings: { id: uniqueName('node') }, executionId: uniqueName('execution') };
	customer.sandbox.faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 });
	await customer.buy({}, same);
	await customer.buy({}, { engine: bed().engine.anotherProcess() });
	// In the same window of signatures, Kuaidaili would take it for the request that was refused
	await sleep(10_000);
	await customer.buy({}, { ...same, engine: bed().engine.anotherProcess() });
	expect(customer.paid).toBe(2);
});

it('An order that a colleague placed meanwhile is named, and not taken for that of a worker that died', async () => {
	const same = { settings: { id: uniqueName('node') }, executionId: uniqueName('execution') };
	customer.sandbox.faults.add({ kind: 'hang', when: 'before', path: API.createorder, times: 1 });
	await customer.buy({}, { ...same, cancelWhen: customer.asked(API.createorder) });
	const { orderId } = customer.tunnel(DAY);
	const result = await customer.buy(
		{},
		{
			settings: same.settings,
			executionId: uniqueName('execution'),
			killedExecutionId: same.executionId,
			engine: bed().engine.anotherProcess(),
		},
	);
	expect(records(result)).toEqual([]);
	expect(textOf(result)).toContain(`what may be this order (${orderId})`);
	expect(customer.paid).toBe(0);
});

it('What was refused before the worker died is bought once when it is delivered again', async () => {
	const orders = [1, 2, 3].map((days) => customer.tunnel(days * 0.2 * DAY));
	const [refused] = orders;
	const { faults } = customer.sandbox;
	faults.add({
		kind: 'code',
		code: -999,
		path: API.reneworder,
		secretId: refused.keys.secretId,
		times: 1,
	});
	const run: Run = async (settings) =>
		await customer.renewEach(orders, { ...WEEK, options: PATIENT }, settings);
	const result = await diesWith(customer, API.reneworder, 3, run, true);
	expect(result.error).toBeUndefined();
	expect(records(result).map(({ renewed }) => renewed)).toEqual([true, true, true]);
	expect(paidOrders(customer).sort()).toEqual(orders.map(({ orderId }) => orderId).sort());
});

it('A limit counts what the worker that died has bought', async () => {
	const orders = [1, 2, 3, 4].map((days) => customer.tunnel(days * 0.2 * DAY + DAY));
	const options = { ...PATIENT, maxOrdersPerRun: 3 };
	const run: Run = async (settings) =>
		await customer.renewEach(orders, { ...WEEK, options }, settings);
	const result = await diesWith(customer, API.reneworder, 2, run, true);
	expect(customer.paid).toBe(3);
	expect(records(result).map(({ renewed }) => renewed)).toEqual([true, true, true, false]);
});

it('Where the records cannot be read, a run buys as without them', async () => {
	n8nRecords.isOut = true;
	const result = await customer.buy({}, { items: times(3) });
	expect(result.error).toBeUndefined();
	expect(customer.paid).toBe(3);
	expect(numbers(result)).toEqual(paidOrders(customer));
});

it('A run that is delivered once asks the service no more than without the records', async () => {
	const calls = async (isOut: boolean) => {
		n8nRecords.isOut = isOut;
		const customer = new Customer(bed());
		await untilWindowAge(3000);
		await customer.buy({}, { items: times(3), executionId: uniqueName('execution') });
		await customer.renewEach([customer.tunnel(DAY)], WEEK, {
			executionId: uniqueName('execution'),
		});
		return customer.calls;
	};
	expect(await calls(false)).toEqual(await calls(true));
});

describe('Two executions of a node on two workers at the same moment', () => {
	/** Both have asked for the state before one of them changes it; the second one is refused as too fast. */
	async function both(customer: Customer, path: string, run: Run): Promise<IDataObject[]> {
		customer.sandbox.faults.add({ kind: 'delay', ms: 300, when: 'before', path, times: 1 });
		customer.sandbox.faults.add({ kind: 'code', code: -120, path, times: 1 });
		const node = { settings: { id: uniqueName('node') }, rootMode: 'trigger' as const };
		const results = await Promise.all(
			[bed().engine, bed().engine.anotherProcess()].map(
				async (engine) => await run({ ...node, engine, executionId: uniqueName('execution') }),
			),
		);
		customer.sandbox.faults.clear();
		return results.flatMap(records);
	}

	it.each([
		['that expires', WEEK],
		['always', WEEK_ALWAYS],
	])('renew an order once (%s), and one of them says so', async (_when, fields) => {
		const order = customer.tunnel(DAY);
		const said = await both(customer, API.reneworder, async (more) => {
			return await customer.renewByNumber(order, fields, more);
		});
		expect(customer.requests(API.reneworder)).toHaveLength(2);
		expect(customer.paid).toBe(1);
		expect(said.map(({ renewed }) => renewed).sort()).toEqual([false, true]);
		const passed = said.find(({ renewed }) => renewed === false);
		expect(passed?.reason).toMatch(
			/^This node bought it meanwhile, in another run|^The order has more than 3 days left/,
		);
		expect(passed).not.toHaveProperty('cost');
	});

	it('place an order each, and say each its own', async () => {
		const said = await both(
			customer,
			API.createorder,
			async (more) => await customer.buy({}, more),
		);
		expect(customer.requests(API.createorder)).toHaveLength(3);
		expect(said.map(({ orderid }) => orderid).sort()).toEqual(paidOrders(customer).sort());
		expect(customer.paid).toBe(2);
	});
});
