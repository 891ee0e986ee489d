import type { IDataObject } from 'n8n-workflow';

import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { shareOf } from '../../fullMatrices.mts';
import { uniqueName } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { WEEK_ALWAYS } from '../support/customer.mts';
import { n8nRecords } from '../support/deduplication.mts';
import type { RunResult, RunSettings } from '../support/engine.mts';
import { lost, missed } from '../support/faults.mts';
import { records, textOf } from '../support/results.mts';
import { scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { untilWindowAge } from '../support/windowAge.mts';
import { useWorkbench } from '../support/workbench.mts';
import { KINDS, several, type Several } from './purchaseKinds.mts';

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

const paidNumbers = () => customer.payments.map(({ orderId }) => orderId);

/** One node, of which each execution runs on a worker of its own. */
class Chain {
	private readonly settings = { id: uniqueName('node') };

	constructor(readonly kind: Several) {}

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

describe.each(['new orders', 'renewals in any case'] as const)('Four %s', (kind) => {
	const open = () => several(customer, kind, 4, { reportCost: false });

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

	const expectFourPaid = () => {
		expect(customer.paid).toBe(4);
		expect(new Set(paidNumbers()).size).toBe(4);
	};

	/** Each item has an order of its own, and the last execution tells all of them. */
	const expectFour = ({ kind }: Chain, { result }: { result: RunResult }) => {
		expectFourPaid();
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ orderid }) => orderid)).toEqual(kind.numbers());
	};

	it.each<[string, (chain: Chain) => ReturnType<Chain['run']>]>([
		[
			'it is killed, the retry is killed, and that is retried',
			async (chain) => await chain.run(await chain.kill(2, await chain.kill(1))),
		],
		[
			'it fails, the retry is killed, and that is retried',
			async (chain) => await chain.run(await chain.kill(1, await chain.fail(3))),
		],
		[
			'it fails, the retry is killed, and n8n keeps what the first one saved',
			async (chain) => {
				const { saved, ...first } = await chain.fail(3);
				return await chain.run({ ...(await chain.kill(1, { ...first, saved })), saved });
			},
		],
		[
			'a retry buys the rest, and an hour later the first one is retried',
			async (chain) => {
				const first = await chain.fail(3);
				await chain.run(first);
				await sleep(HOUR);
				return await chain.run(first);
			},
		],
	])('are four where %s', async (_story, play) => {
		const chain = new Chain(open());
		expectFour(chain, await play(chain));
	});

	it('are four where it fails, and two workers retry it at once', async () => {
		const chain = new Chain(open());
		const first = await chain.fail(3);
		const both = await Promise.all([
			chain.run(first),
			sleep(20).then(async () => await chain.run(first)),
		]);
		expectFourPaid();
		const told = both.flatMap(({ result }) => [
			...records(result).map(({ orderid }) => String(orderid)),
			textOf(result),
		]);
		for (const number of paidNumbers()) expect(told.join()).toContain(number);
	});

	it.each<[string, (chain: Chain) => Promise<Execution>]>([
		['an execution that failed', async (chain) => await chain.fail(3)],
		['one that was killed', async (chain) => await chain.kill(2)],
	])('are no more where the records cannot be read in the retry of %s', async (_what, begin) => {
		const chain = new Chain(open());
		const first = await begin(chain);
		const before = customer.paid;
		n8nRecords.isOut = true;
		const { result } = await chain.run(first);
		expect(customer.paid).toBe(before);
		expect(result.error?.message).toBe(
			"n8n can't read what the execution that this one retries has bought",
		);
		n8nRecords.isOut = false;
		expectFour(chain, await chain.run(first));
	});
});

const AT_ONCE = (['a new order', 'a renewal in any case', 'a top-up in any case'] as const).flatMap(
	(kind) =>
		[0, 300].flatMap((delayMs, row) =>
			shareOf([500, 20, 5, 0], 2, row).map((apart) => ({ kind, delayMs, apart })),
		),
);

it.each(AT_ONCE)(
	'$kind was refused, and somebody clicks: a retry on another worker, $apart ms later, is refused, or the click is, where Kuaidaili takes $delayMs ms',
	async ({ apart, delayMs, kind }) => {
		const { open, path } = KINDS[kind];
		const run = open(customer);
		const settings = { id: uniqueName('node') };
		const of = scheduled();
		const { faults } = customer.sandbox;
		faults.add({ kind: 'code', code: -5, path, times: 1 });
		const { saved } = await run({ settings, ...of });
		await sleep(10_000);
		await untilWindowAge(1000);
		if (delayMs > 0) faults.add({ kind: 'delay', ms: delayMs, path });
		const next = () => ({ settings, executionId: uniqueName('execution') });
		const clicking = run(next());
		await sleep(apart);
		const engine = bed().engine.anotherProcess();
		const retried = { retryOf: saved, retriedExecutionId: of.executionId };
		const results = await Promise.all([clicking, run({ ...next(), ...retried, engine })]);
		expect(customer.paid).toBeLessThan(2);
		for (const result of results.filter(({ error }) => error !== undefined)) {
			expect(textOf(result)).toMatch(
				/sent the same in the last 12 minutes|may have been .*: Kuaidaili took the request for a duplicate/,
			);
		}
	},
);

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
