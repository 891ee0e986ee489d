import type { IDataObject } from 'n8n-workflow';

import { DAY, MINUTE } from '../../durations.mts';
import { shareOf } from '../../fullMatrices.mts';
import { uniqueName } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer, WEEK, WEEK_ALWAYS } from '../support/customer.mts';
import { n8nRecords } from '../support/deduplication.mts';
import type { RunResult } from '../support/engine.mts';
import { records, renewed, textOf } from '../support/results.mts';
import { CONTINUE, scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { untilWindowAge } from '../support/windowAge.mts';
import { useWorkbench } from '../support/workbench.mts';
import { several, type Several, type SeveralKind } from './purchaseKinds.mts';

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

type Run = Several['run'];

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
		const { path, run } = several(customer, 'new orders', 5);
		const result = await diesWith(customer, path, nth, run, isDone);
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

	it.each(['renewals if due', 'renewals in any case'] as const)(
		'with one of four %s: the others are made, and it is found by the condition',
		async (kind) => {
			const { numbers: orders, path, run } = several(customer, kind, 4);
			const result = await diesWith(customer, path, 2, run, isDone);
			expect(customer.paid).toBe(isDone ? 4 : 3);
			if (isDone && kind === 'renewals if due') {
				expect(result.error).toBeUndefined();
				expect(renewed(result)).toEqual([true, true, true, true]);
				return;
			}
			const text = textOf(result);
			expect(text).toContain('The order may have been renewed: n8n lost track of the request');
			for (const orderId of orders()) expect(text).toContain(orderId);
		},
	);

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
async function expectOnce(kind: SeveralKind, hasDied: () => boolean, comesToItsEnd = true) {
	const node = { settings: { id: uniqueName('node') } };
	const three = several(customer, kind, 3);
	const run: Run = async (settings) => await three.run({ ...node, ...settings });
	const result = await diesIn(run, hasDied, comesToItsEnd);
	const paid = paidOrders(customer);
	expect(new Set(paid).size).toBe(paid.length);
	expect(paid.length).toBeLessThanOrEqual(3);
	if (result.error === undefined) expect(paid).toHaveLength(3);
	else expect(textOf(result)).toMatch(/The order may have been (?:placed|renewed)/);
	expect(paid.length).toBeGreaterThanOrEqual(2);
}

describe.each(['new orders', 'renewals in any case'] as const)(
	'Three %s, of which the worker dies',
	(kind) => {
		// Each kind at every other moment, and the other kind at those in between; "npm run fuzz" tries all
		const STEPS = Array.from({ length: 10 }, (_, index) => index + 1).flatMap((nth) =>
			shareOf(['before', 'after'] as const, 2, nth + Number(kind !== 'new orders')).map((when) => ({
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
		const CHANGES = kind === 'new orders' ? 6 : 9;

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
	},
);

describe('A worker that is taken for dead and goes on', () => {
	// Such as one that lost its connection to the queue
	const bothRun = async (run: Run, hasBegun: () => boolean) => {
		const executionId = uniqueName('execution');
		const first = run({ executionId });
		await until(hasBegun, 60_000);
		const second = run({ executionId, engine: bed().engine.anotherProcess() });
		return await Promise.all([first, second]);
	};

	it.each<[SeveralKind, 'before' | 'after']>([
		['new orders', 'before'],
		['renewals if due', 'after'],
		['renewals in any case', 'after'],
	])('among ten %s: each is paid once, and told', async (kind, when) => {
		const { numbers: orders, path, run } = several(customer, kind, 10);
		customer.sandbox.faults.add({ kind: 'delay', ms: 4000, when, path });
		const going: Run = async (settings) => await run({ settings: CONTINUE, ...settings });
		const results = await bothRun(going, () => customer.requests(path).length === 3);
		expect(customer.paid).toBe(10);
		expect(paidOrders(customer).sort()).toEqual(orders().sort());
		const told = results.flatMap(numbers);
		for (const orderId of orders()) expect(told).toContain(orderId);
	});

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

it.each(['new orders', 'renewals in any case'] as const)(
	'A request that reaches Kuaidaili only after another worker looked is paid once: %s',
	async (kind) => {
		const { path, run } = several(customer, kind, 3);
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
	const { path, run } = several(customer, 'new orders', 3);
	const going: Run = async (settings) => await run({ settings: CONTINUE, ...settings });
	const result = await diesWith(customer, path, 1, going, true);
	// Each of the others is an order of its own
	expect(customer.paid).toBe(3);
	expect(records(result)[0].error).toMatch(/^The order may have been placed/);
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

it('Orders that are paid are given to the worker to which their execution is delivered again', async () => {
	const { run } = several(customer, 'new orders', 3);
	const { rootMode, executionId } = scheduled();
	const same = { settings: { id: uniqueName('node') }, rootMode, executionId };
	await run(same);
	const again = await run({ ...same, engine: bed().engine.anotherProcess() });
	expect(customer.paid).toBe(3);
	expect(numbers(again)).toEqual(paidOrders(customer));
});

it('A renewal is known by its order where the list of those to renew has shifted', async () => {
	const [one, two] = [1, 2].map((days) => customer.tunnel(days * 0.2 * DAY));
	const same = { settings: { id: uniqueName('node') }, executionId: uniqueName('execution') };
	await customer.renewEach([one], WEEK, same);
	await customer.renewEach([two], WEEK, { ...same, engine: bed().engine.anotherProcess() });
	expect(paidOrders(customer)).toEqual([one.orderId, two.orderId]);
});

it('A limit counts what the worker that died has bought', async () => {
	const { path, run } = several(customer, 'renewals if due', 4, { maxOrdersPerRun: 3 });
	const result = await diesWith(customer, path, 2, run, true);
	expect(customer.paid).toBe(3);
	expect(renewed(result)).toEqual([true, true, true, false]);
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
