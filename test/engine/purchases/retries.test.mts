import type { IDataObject } from 'n8n-workflow';

import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { shareOf } from '../../fullMatrices.mts';
import { uniqueName } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { WEEK, WEEK_ALWAYS } from '../support/customer.mts';
import { n8nRecords } from '../support/deduplication.mts';
import type { Engine, RunResult, RunSettings } from '../support/engine.mts';
import { lost, missed } from '../support/faults.mts';
import { records, textOf } from '../support/results.mts';
import { scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { untilWindowAge } from '../support/windowAge.mts';
import { useWorkbench } from '../support/workbench.mts';

/*
 * Chains of retries: an execution that failed or was killed is retried, and the retry as well, each on any worker. A
 * retry knows the number of the execution that it was started from, and nothing else may be left of that one.
 */

const { bed, customer } = useWorkbench({ rateLimits: false, withRecords: true });

afterEach(() => {
	n8nRecords.isOut = false;
});

const ITEMS: IDataObject[] = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
const OPTIONS = { timeout: 600, maxOrdersPerRun: 10, reportCost: false };

/** An execution, and what n8n has of it afterwards. */
interface Execution {
	readonly id: string;
	/** Undefined where it was killed: n8n keeps nothing of it. */
	readonly saved?: string;
	readonly result?: RunResult;
}

interface Kind {
	readonly path: string;
	run(settings: Partial<RunSettings> & { engine?: Engine }): Promise<RunResult>;
}

const kinds: Record<string, () => Kind> = {
	'new orders': () => ({
		path: API.createorder,
		run: async (settings) =>
			await customer.buy({ options: OPTIONS }, { items: ITEMS, ...settings }),
	}),
	renewals: () => {
		const orders = [1, 2, 3, 4].map((n) => customer.tunnel(DAY + n * HOUR));
		const fields = { ...WEEK_ALWAYS, options: OPTIONS };
		return {
			path: API.reneworder,
			run: async (settings) => await customer.renewEach(orders, fields, settings),
		};
	},
};

/** One purchase of each kind, made in any case. */
const PURCHASES: Record<string, () => Kind> = {
	'new orders': () => ({
		path: API.createorder,
		run: async (settings) => await customer.buy({}, settings),
	}),
	renewals: () => {
		const order = customer.tunnel(DAY);
		return {
			path: API.reneworder,
			run: async (settings) => await customer.renewByNumber(order, WEEK_ALWAYS, settings),
		};
	},
	'top-ups': () => {
		const order = customer.perIp(50);
		const fields = { renewalOf: 'perIp', dpsIpCount: 1000, renewWhen: 'always' };
		return {
			path: API.reneworder,
			run: async (settings) => await customer.renewByNumber(order, fields, settings),
		};
	},
};

/** One node, of which each execution runs on a worker of its own. */
class Chain {
	private readonly settings = { id: uniqueName('node') };

	constructor(private readonly kind: Kind) {}

	private async start(more: Partial<RunSettings>, retried?: Execution) {
		const { id: executionId, rootMode } = { id: uniqueName('execution'), ...scheduled() };
		const of =
			retried === undefined
				? { rootMode }
				: retried.saved === undefined
					? { killedExecutionId: retried.id }
					: { retryOf: retried.saved, retriedExecutionId: retried.id };
		const engine = bed().engine.anotherProcess();
		const settings = { settings: this.settings, executionId, engine, ...of, ...more };
		return { id: executionId, running: this.kind.run(settings) };
	}

	async run(retried?: Execution): Promise<Execution & { result: RunResult }> {
		const { id, running } = await this.start({}, retried);
		const result = await running;
		return { id, saved: result.saved, result };
	}

	/** The purchase number `nth` of it is refused. */
	async fail(nth: number, retried?: Execution): Promise<Execution & { result: RunResult }> {
		const { path } = this.kind;
		const before = customer.requests(path).length;
		const { faults } = customer.sandbox;
		void until(() => customer.requests(path).length === before + nth - 1, 60_000).then(() =>
			faults.add({ kind: 'code', code: -999, path, times: 1 }),
		);
		if (nth > 1) faults.add({ kind: 'delay', ms: 100, path, times: nth - 1 });
		return await this.run(retried);
	}

	/** Its worker dies when so many purchases are paid. */
	async kill(paid: number, retried?: Execution): Promise<Execution> {
		const before = customer.paid;
		let bury = () => {};
		const cancelWhen = new Promise<void>((resolve) => {
			bury = resolve;
		});
		const { faults } = customer.sandbox;
		const hang = async () => {
			await until(() => customer.paid === before + paid, 120_000);
			// The next one waits for its turn meanwhile, and never arrives
			faults.add({ kind: 'hang', when: 'before', path: '/api/getaccountorders', times: 1 });
			faults.add({ kind: 'hang', when: 'before', path: '/api/getorderexpiretime', times: 1 });
		};
		const { id, running } = await this.start({ cancelWhen }, retried);
		await hang();
		await sleep(30_000);
		faults.clear();
		bury();
		await running;
		return { id };
	}
}

describe.each(Object.entries(kinds))('Four %s', (_name, open) => {
	it.each([0, 5])(
		'are not bought again by the retry of a retry that was killed before it came to the node, %i h later',
		async (hours) => {
			const chain = new Chain(open());
			const [killed, retryKilled] = [
				{ id: uniqueName('execution') },
				{ id: uniqueName('execution') },
			];
			expect((await chain.run(killed)).result.error).toBeUndefined();
			expect(customer.paid).toBe(4);
			await sleep(hours * HOUR);
			const { result } = await chain.run(retryKilled);
			expect(customer.paid).toBe(4);
			expect(textOf(result)).toMatch(
				/n8n kept nothing of the execution that this one retries, and this node sent the same in the last 12 hours.*What is missing there, buy by starting the workflow anew\./s,
			);
			await sleep(12 * HOUR);
			expect((await chain.run(retryKilled)).result.error).toBeUndefined();
		},
	);

	const paidNumbers = () => customer.payments.map(({ orderId }) => orderId);

	/** As many as wanted, and the last one that was retried knows them. */
	const expectFour = () => {
		expect(customer.paid).toBe(4);
		expect(new Set(paidNumbers()).size).toBe(4);
	};

	it('are four where it is killed, the retry is killed, and that is retried', async () => {
		const chain = new Chain(open());
		const first = await chain.kill(1);
		const second = await chain.kill(2, first);
		const { result } = await chain.run(second);
		expectFour();
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ orderid }) => orderid)).toEqual(paidNumbers());
	});

	it('are four where it fails, the retry is killed, and that is retried', async () => {
		const chain = new Chain(open());
		const first = await chain.fail(3);
		const { result } = await chain.run(await chain.kill(1, first));
		expectFour();
		expect(result.error).toBeUndefined();
	});

	it('are four where it fails, the retry is killed, and n8n keeps what the first one saved', async () => {
		const chain = new Chain(open());
		const first = await chain.fail(3);
		const killed = await chain.kill(1, first);
		const { result } = await chain.run({ ...killed, saved: first.saved });
		expectFour();
		expect(result.error).toBeUndefined();
	});

	it('are four where it fails, and two workers retry it at once', async () => {
		const chain = new Chain(open());
		const first = await chain.fail(3);
		const both = await Promise.all([
			chain.run(first),
			sleep(20).then(async () => await chain.run(first)),
		]);
		expectFour();
		const told = both.flatMap(({ result }) => [
			...records(result).map(({ orderid }) => String(orderid)),
			textOf(result),
		]);
		for (const number of paidNumbers()) expect(told.join()).toContain(number);
	});

	it('are four where a retry buys the rest, and an hour later the first one is retried', async () => {
		const chain = new Chain(open());
		const first = await chain.fail(3);
		await chain.run(first);
		expectFour();
		await sleep(HOUR);
		const { result } = await chain.run(first);
		expectFour();
		expect(result.error).toBeUndefined();
		expect(
			records(result)
				.map(({ orderid }) => orderid)
				.sort(),
		).toEqual(paidNumbers().sort());
	});

	it('are what they were where the records cannot be read in a retry, which is an error', async () => {
		const chain = new Chain(open());
		const first = await chain.fail(3);
		const before = customer.paid;
		n8nRecords.isOut = true;
		const { result } = await chain.run(first);
		expect(customer.paid).toBe(before);
		expect(result.error?.message).toBe(
			"n8n can't read what the execution that this one retries has bought",
		);
		n8nRecords.isOut = false;
		await chain.run(first);
		expectFour();
	});

	it('are what they were where the records cannot be read in the retry of a killed execution', async () => {
		const chain = new Chain(open());
		const killed = await chain.kill(2);
		n8nRecords.isOut = true;
		const { result } = await chain.run(killed);
		expect(customer.paid).toBe(2);
		expect(textOf(result)).toContain(
			"n8n can't read what the execution that this one retries has bought",
		);
		n8nRecords.isOut = false;
		expect((await chain.run(killed)).result.error).toBeUndefined();
		expectFour();
	});
});

it('Renewals with a condition are made once in a chain of retries', async () => {
	const orders = [1, 2, 3, 4].map((n) => customer.tunnel(DAY + n * HOUR));
	const chain = new Chain({
		path: API.reneworder,
		run: async (settings) =>
			await customer.renewEach(orders, { ...WEEK, options: OPTIONS }, settings),
	});
	const { result } = await chain.run(await chain.kill(1, await chain.kill(1)));
	expect(records(result).map(({ renewed }) => renewed)).toEqual([true, true, true, true]);
	expect(customer.paid).toBe(4);
});

describe.each(Object.entries(PURCHASES))(
	'Of %s, a run is refused, and somebody clicks',
	(_name, open) => {
		/** A schedule's run of a node was refused; what runs of it come afterwards, each on its own worker or on this one. */
		async function refusedRun() {
			const { path, run } = open();
			const settings = { id: uniqueName('node') };
			const of = scheduled();
			customer.sandbox.faults.add({ kind: 'code', code: -5, path, times: 1 });
			const { saved } = await run({ settings, ...of });
			const next = (engine: Engine = bed().engine.anotherProcess()) => ({
				settings,
				engine,
				executionId: uniqueName('execution'),
			});
			const retried = { retryOf: saved, retriedExecutionId: of.executionId };
			return {
				next,
				click: async (engine?: Engine) => await run(next(engine)),
				retry: async (engine?: Engine) => await run({ ...next(engine), ...retried }),
			};
		}

		it('a retry in this process buys nothing, and gives what was bought', async () => {
			const { click, retry } = await refusedRun();
			await sleep(10_000);
			const clicked = await click(bed().engine);
			await sleep(60_000);
			const retried = await retry(bed().engine);
			expect([clicked.error, retried.error]).toEqual([undefined, undefined]);
			expect(customer.paid).toBe(1);
			const [{ orderId }] = customer.payments;
			const both = [clicked, retried].flatMap(records);
			expect(both.map(({ orderid }) => orderid)).toEqual([orderId, orderId]);
			expect(both.map(({ created, renewed }) => created ?? renewed)).toEqual([true, false]);
		});

		async function clickAndRetry(apart: number, delayMs: number) {
			const { click, retry } = await refusedRun();
			await sleep(10_000);
			await untilWindowAge(1000);
			for (const path of delayMs === 0 ? [] : [API.createorder, API.reneworder]) {
				customer.sandbox.faults.add({ kind: 'delay', ms: delayMs, path });
			}
			const clicking = click(bed().engine);
			await sleep(apart);
			const results = [await retry(), await clicking];
			expect(customer.paid).toBeLessThan(2);
			for (const { error, ...result } of results) {
				if (error === undefined) continue;
				expect(textOf({ error, ...result })).toMatch(
					/sent the same in the last 12 minutes|may have been .*: Kuaidaili took the request for a duplicate/,
				);
			}
			if (apart === 60_000) expect(customer.paid).toBe(1);
		}

		const ROWS = [0, 300].flatMap((delayMs, row) =>
			shareOf([60_000, 500, 20, 5, 0], 2, row).map((apart) => ({ apart, delayMs })),
		);
		it.each(ROWS)(
			'a retry on another worker, $apart ms later, is refused, or the click is, where Kuaidaili takes $delayMs ms',
			async ({ apart, delayMs }) => await clickAndRetry(apart, delayMs),
		);

		it('a retry more than ten minutes later buys', async () => {
			const { click, retry } = await refusedRun();
			await sleep(10_000);
			await click();
			await sleep(12 * 60_000);
			await retry();
			expect(customer.paid).toBe(2);
		});
	},
);

describe.each(Object.entries(PURCHASES))(
	'Of %s, a run is unclear, and another one buys the same 13 minutes later',
	(name, open) => {
		/** A schedule's run of a node is unclear, and a click or another run of the schedule comes before its retry. */
		async function unclearRun() {
			const { path, run } = open();
			const settings = { id: uniqueName('node') };
			const of = scheduled();
			customer.sandbox.faults.add(missed(path));
			const { saved } = await run({ settings, ...of });
			await sleep(13 * MINUTE);
			const { executionId } = of;
			const next = (engine: Engine) => ({ settings, engine, executionId: uniqueName('execution') });
			return {
				click: async () => await run(next(bed().engine)),
				schedule: async () => await run({ settings, ...scheduled() }),
				retry: async (engine: Engine = bed().engine) =>
					await run({ ...next(engine), retryOf: saved, retriedExecutionId: executionId }),
			};
		}

		const isTopUp = name === 'top-ups';

		/** IPs that may be used already don't tell whose they are, so that a top-up stays unclear. */
		const expectNothingMore = (retried: RunResult) => {
			expect(customer.paid).toBe(1);
			if (isTopUp) {
				expect(textOf(retried)).toContain('It may also come from another purchase of this node');
				return;
			}
			const [{ created, reason, renewed }] = records(retried);
			expect(created ?? renewed).toBe(false);
			expect(reason).toContain('nothing was bought');
		};

		it('a retry in this process buys nothing after a click, and says what the click bought', async () => {
			const { click, retry } = await unclearRun();
			const clicked = await click();
			await sleep(MINUTE);
			const retried = await retry();
			expectNothingMore(retried);
			if (isTopUp) return;
			const [{ orderId }] = customer.payments;
			const both = [clicked, retried].flatMap(records);
			expect(both.map(({ orderid }) => orderid)).toEqual([orderId, orderId]);
			expect(clicked.error).toBeUndefined();
		});

		it('a retry on another worker buys nothing after a click', async () => {
			const { click, retry } = await unclearRun();
			await click();
			await sleep(MINUTE);
			await retry(bed().engine.anotherProcess());
			expect(customer.paid).toBe(1);
		});

		it.each(['click', 'schedule'] as const)(
			'a retry more than ten minutes after a %s buys a new order, and renews no order that is renewed',
			async (how) => {
				const { [how]: buy, retry } = await unclearRun();
				await buy();
				await sleep(12 * MINUTE);
				const retried = await retry();
				if (name === 'new orders') {
					expect(customer.paid).toBe(2);
					return;
				}
				expectNothingMore(retried);
				await sleep(HOUR);
				expectNothingMore(await retry());
			},
		);
	},
);

it('A retry of an unclear order says until when it buys nothing, where a click has bought the same for another item', async () => {
	const settings = { id: uniqueName('node') };
	const of = scheduled();
	customer.sandbox.faults.add(missed(API.createorder));
	const { saved } = await customer.buy({}, { items: [{ name: 'a' }], settings, ...of });
	await sleep(11 * MINUTE);
	const click = { settings, executionId: uniqueName('execution') };
	await customer.buy({}, { items: [{ name: 'b' }], ...click });
	const retry = async () =>
		await customer.buy(
			{},
			{
				...{ items: [{ name: 'a' }], settings, executionId: uniqueName('execution') },
				...{ retryOf: saved, retriedExecutionId: of.executionId },
			},
		);
	expect(textOf(await retry())).toMatch(
		/bought the same for another item in the last 10 minutes .* run it again after/s,
	);
	expect(customer.paid).toBe(1);
	await sleep(11 * MINUTE);
	expect(records(await retry())[0].created).toBe(true);
	expect(customer.paid).toBe(2);
});

it('A retry of an unclear renewal with a condition goes by that, whoever renewed the order meanwhile', async () => {
	const order = customer.tunnel(DAY);
	const settings = { id: uniqueName('node') };
	const of = scheduled();
	customer.sandbox.faults.add(missed(API.reneworder));
	const { saved } = await customer.renewByNumber(order, WEEK, { settings, ...of });
	await sleep(13 * MINUTE);
	await customer.renewByNumber(order, WEEK, { settings, ...scheduled() });
	const retry = async () => {
		const executionId = uniqueName('execution');
		const retried = { retryOf: saved, retriedExecutionId: of.executionId };
		const [record] = records(
			await customer.renewByNumber(order, WEEK, { settings, executionId, ...retried }),
		);
		return record;
	};
	await sleep(12 * MINUTE);
	expect(await retry()).toMatchObject({
		renewed: false,
		reason: expect.stringContaining('The order has more than 3 days left'),
	});
	expect(customer.paid).toBe(1);
	await sleep(6 * DAY);
	expect((await retry()).renewed).toBe(true);
	expect(customer.paid).toBe(2);
});

it('A retry of a top-up that was paid and shown late says that it is unclear, where another one was made meanwhile', async () => {
	const order = customer.perIp(50);
	const use = (ips: number) => (order.ipBalance = (order.ipBalance ?? 0) - ips);
	const fields = { renewalOf: 'perIp', dpsIpCount: 1000, renewWhen: 'always' };
	const settings = { id: uniqueName('node') };
	const of = scheduled();
	customer.sandbox.faults.add(lost(API.reneworder), { kind: 'cache', path: API.getipbalance });
	const { saved } = await customer.renewByNumber(order, fields, { settings, ...of });
	customer.sandbox.faults.clear();
	use(900);
	await sleep(13 * MINUTE);
	await customer.renewByNumber(order, fields, { settings, ...scheduled() });
	use(400);
	await sleep(MINUTE);
	const executionId = uniqueName('execution');
	const retried = { retryOf: saved, retriedExecutionId: of.executionId };
	const result = await customer.renewByNumber(order, fields, { settings, executionId, ...retried });
	expect(textOf(result)).toMatch(/The IPs may have been bought.*another purchase of this node/s);
	expect(textOf(result)).not.toContain('nothing was bought');
	expect(customer.paid).toBe(2);
});

it('Retries of a renewal that another run has made meanwhile count none for it, however many there are', async () => {
	const orders = [customer.tunnel(3 * DAY), customer.tunnel(4 * DAY)];
	const settings = { id: uniqueName('node') };
	const fields = { ...WEEK_ALWAYS, options: { maxOrdersPerRun: 1 } };
	const of = scheduled();
	customer.sandbox.faults.add(missed(API.reneworder));
	const { saved } = await customer.renewEach(orders, fields, { settings, ...of });
	await sleep(13 * MINUTE);
	await customer.renewByNumber(orders[0], WEEK_ALWAYS, { settings, ...scheduled() });
	for (const isFirst of [true, false]) {
		await sleep(13 * MINUTE);
		const executionId = uniqueName('execution');
		const retried = { retryOf: saved, retriedExecutionId: of.executionId };
		const result = await customer.renewEach(orders, fields, { settings, executionId, ...retried });
		expect(result.error).toBeUndefined();
		expect(records(result)).toMatchObject([
			{ renewed: false, reason: expect.stringMatching(/This node bought it .* in another run/) },
			{ renewed: isFirst },
		]);
	}
	expect(customer.payments.map(({ orderId }) => orderId)).toEqual(
		orders.map(({ orderId }) => orderId),
	);
});

it('A retry that finds an unclear order paid counts what the balance shows for it', async () => {
	const settings = { id: uniqueName('node') };
	const options = { ...OPTIONS, maxCostPerRun: 10, expectedCost: 3 };
	const of = scheduled();
	customer.sandbox.settings.newOrderLagSeconds = 60;
	customer.sandbox.faults.add(lost(API.createorder));
	const { saved } = await customer.buy({ options }, { items: ITEMS, settings, ...of });
	await sleep(13 * MINUTE);
	const executionId = uniqueName('execution');
	const retried = { retryOf: saved, retriedExecutionId: of.executionId };
	const result = await customer.buy(
		{ options },
		{ items: ITEMS, settings, executionId, ...retried },
	);
	expect(customer.paid).toBe(1);
	expect(textOf(result)).toContain('has spent 5.5, and this purchase is expected to cost 5.5');
});

it('Retries of two executions with equal items place an order each', async () => {
	const settings = { id: uniqueName('node') };
	const failed = async () => {
		customer.sandbox.faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 });
		const of = scheduled();
		const { saved } = await customer.buy({}, { settings, ...of });
		return { settings, retryOf: saved, retriedExecutionId: of.executionId };
	};
	for (const retried of [await failed(), await failed()]) {
		const [record] = records(
			await customer.buy({}, { ...retried, executionId: uniqueName('execution') }),
		);
		expect(record.created).toBe(true);
	}
	expect(customer.paid).toBe(2);
});

it.each(['by hand', 'by a retry'])(
	'What was given to an item %s in place of another order is given to it by later retries as well',
	async (how) => {
		const settings = { id: uniqueName('node') };
		const items = [{ name: 'a' }, { name: 'b' }];
		const next = () => ({ settings, executionId: uniqueName('execution') });
		const refuse = () =>
			customer.sandbox.faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 });
		let last: Partial<RunSettings> = {};
		if (how === 'by a retry') {
			refuse();
			const of = scheduled();
			const { saved } = await customer.buy({}, { items, settings, ...of });
			last = { retryOf: saved, retriedExecutionId: of.executionId };
		}
		const [clicked] = records(await customer.buy({}, { items: items.slice(0, 1), ...next() }));
		refuse();
		const second = next();
		const { error, saved } = await customer.buy(
			{ prepayTimeType: "={{ $json.name === 'a' ? 'DAY' : 'WEEK' }}" },
			{ items, ...second, ...last },
		);
		expect(error?.context?.itemIndex).toBe(1);
		await sleep(HOUR);
		// A retry was refused before it sent anything: somebody bought the same by hand for the other item
		customer.sandbox.faults.clear();
		const retry = { retryOf: saved, retriedExecutionId: second.executionId };
		const result = await customer.buy({}, { items, ...next(), ...retry });
		expect(records(result).map((record) => record.created)).toEqual([false, true]);
		expect(result.items[0].json.orderid).toBe(clicked.orderid);
		expect(customer.paid).toBe(2);
	},
);
