import {
	mainTo,
	newWorkflow,
	nodeUnderTest,
	runManually,
	START,
	startNode,
} from '../../../harness/engine/workflow.mts';
import { DAY, MINUTE } from '../../durations.mts';
import { shareOf } from '../../fullMatrices.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { NEW_TUNNEL, WEEK, WEEK_ALWAYS } from '../support/customer.mts';
import { n8nRecords } from '../support/deduplication.mts';
import type { RunSettings } from '../support/engine.mts';
import { lost, missed } from '../support/faults.mts';
import { records, textOf } from '../support/results.mts';
import { scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { untilWindowAge } from '../support/windowAge.mts';
import { useWorkbench } from '../support/workbench.mts';
import { KINDS } from './purchaseKinds.mts';

/* Several workers of one n8n, which share nothing but n8n's database. In n8n 3, each click may run on another one. */

const { bed, customer } = useWorkbench({ rateLimits: false, withRecords: true });

/** Executions of one node, each on a worker of its own. */
function oneNode(settings: Partial<RunSettings> = {}) {
	const node = { id: uniqueName('node') };
	return () => ({
		settings: node,
		executionId: uniqueName('execution'),
		engine: bed().engine.anotherProcess(),
		...settings,
	});
}

const REFUSED = /Another run of this node sent the same/;

const BY_TIME = ['a renewal if due', 'a renewal in any case'] as const;
const BY_SCHEDULE = { rootMode: scheduled().rootMode };

afterEach(() => {
	n8nRecords.queryMs = 5;
});

const nonces = (path: string) =>
	customer.requests(path).map(({ parameters }) => `${parameters.nonce} ${parameters.timestamp}`);

describe('Two nodes with one id, as in files that were written by hand', () => {
	const TERMS = { Day: 'DAY', Week: 'WEEK' };

	it("buy a day's and a week's order in one execution", async () => {
		const { engine } = bed();
		const { credentialId } = customer;
		const nodes = Object.entries(TERMS).map(([name, prepayTimeType]) =>
			nodeUnderTest({
				parameters: { ...NEW_TUNNEL, prepayTimeType },
				credentialId,
				settings: { name },
			}),
		);
		expect(new Set(nodes.map(({ id }) => id)).size).toBe(1);
		const { main } = { main: [nodes.map(({ name }) => mainTo(name).main[0][0])] };
		const workflow = newWorkflow({
			nodes: [startNode, ...nodes],
			connections: { [START]: { main } },
			nodeTypes: engine.nodeTypes,
		});
		const { credentials } = engine;
		const executionId = uniqueName('execution');
		const run = await runManually(workflow, { credentials, items: [{}], executionId });
		const { runData } = run.data.resultData;
		const bought = nodes.map(({ name }) => runData[name][0].data?.main[0]?.[0].json ?? {});
		expect(bought.map(({ created }) => created)).toEqual([true, true]);
		expect(new Set(bought.map(({ orderid }) => orderid)).size).toBe(2);
		expect(customer.paid).toBe(2);
	});
});

/** Two executions, each on a worker of its own. */
interface Pair {
	readonly kind: keyof typeof KINDS;
	readonly by: 'click' | 'schedule';
	/** How many milliseconds later the second one begins. */
	readonly apart: number;
	/** How old the window of signatures is when the first one begins; undefined for any. */
	readonly age?: number;
	/** What a change of n8n's records takes. */
	readonly queryMs?: number;
	/** What Kuaidaili takes. */
	readonly delayMs?: number;
	readonly nodes?: 1 | 2;
}

const AGES = [0, 900, 1500, 1990, 5000, 9700, 9900, 9950, 9980, 9995];
const SLOW_RECORDS = [
	{ queryMs: 5, apart: 0 },
	{ queryMs: 5, apart: 10 },
	// A window of signatures ends while the first one records
	...[0, 300, 700, 2000].map((apart) => ({ queryMs: 500, apart })),
];

const PAIRS: readonly Pair[] = [
	...[0, 10, 50, 300, 3000, 9000, 60_000, 500_000].map(
		(apart): Pair => ({ kind: 'a new order', by: 'click', apart }),
	),
	...[0, 50, 3000, 60_000].map(
		(apart): Pair => ({ kind: 'a renewal in any case', by: 'click', apart }),
	),
	...AGES.flatMap((age, row) =>
		shareOf([0, 7, 30], 3, row).map(
			(apart): Pair => ({ kind: 'a new order', by: 'click', apart, age }),
		),
	),
	...[...BY_TIME, 'a top-up in any case' as const].flatMap((kind) =>
		([1, 2] as const).flatMap((nodes, row) =>
			shareOf([0, 20, 100, 500], 2, row).map(
				// Over the end of a window, two nodes sign in two ways
				(apart): Pair => ({ kind, by: 'schedule', apart, age: 1000, delayMs: 800, nodes }),
			),
		),
	),
	...(
		[
			['a new order', 'click'],
			['a renewal if due', 'schedule'],
			['a top-up if few are left', 'schedule'],
			['a missing order', 'schedule'],
		] as const
	).flatMap(([kind, by], row) =>
		shareOf(SLOW_RECORDS, 2, row).map((moment): Pair => ({ kind, by, age: 9400, ...moment })),
	),
];

it.each(PAIRS)('Two executions pay once: %j', async (pair) => {
	const { age, apart, by, delayMs = 0, kind, nodes = 1, queryMs = 5 } = pair;
	const { open, path } = KINDS[kind];
	const run = open(customer);
	const started = by === 'click' ? {} : BY_SCHEDULE;
	const next = oneNode(started);
	const ofOther = nodes === 1 ? next : oneNode(started);
	if (delayMs > 0) customer.sandbox.faults.add({ kind: 'delay', ms: delayMs, path });
	n8nRecords.queryMs = queryMs;
	if (age !== undefined) await untilWindowAge(age);
	const first = run(next());
	await sleep(apart);
	const results = await Promise.all([first, run(ofOther())]);
	// Where both took a while to record it, each may leave it to the other one, and says so
	const isRefused = queryMs > 5 && results.every((result) => REFUSED.test(textOf(result)));
	expect(customer.paid).toBe(isRefused ? 0 : 1);
	const said = results.flatMap(records).filter(({ created, renewed }) => created ?? renewed);
	// Another node, and whoever tops up at the same instant, can't tell whose request was carried out
	const isTold = nodes === 1 && !kind.startsWith('a top-up');
	expect(said.length).toBeLessThanOrEqual(isTold ? 1 : 2);
	// An order that another node renews is no fault of this one's
	if (nodes === 2 && BY_TIME.some((one) => one === kind)) {
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
	}
	if (by === 'schedule' || queryMs > 5) return;
	// One says that it bought it; the other one says so as well, or refuses
	expect(said).toHaveLength(1);
	for (const result of results) {
		if (result.error === undefined) expect(records(result)).toHaveLength(1);
		else expect(textOf(result)).toMatch(REFUSED);
	}
});

describe('Two clicks on two workers', () => {
	it('at the same moment send the same signed request, of which the service carries out one', async () => {
		const next = oneNode();
		customer.sandbox.faults.add({ kind: 'delay', ms: 500, path: API.createorder });
		await Promise.all([customer.buy({}, next()), customer.buy({}, next())]);
		expect(new Set(nonces(API.createorder)).size).toBe(1);
		expect(customer.paid).toBe(1);
	});

	it.each([-120, -4, -999])(
		'of which one is refused with %i place at most one order',
		async (code) => {
			const next = oneNode();
			await untilWindowAge(3000);
			customer.sandbox.faults.add({ kind: 'delay', ms: 600, path: API.createorder, times: 1 });
			customer.sandbox.faults.add({ kind: 'code', code, path: API.createorder, times: 1 });
			await Promise.all([customer.buy({}, next()), customer.buy({}, next())]);
			expect(customer.paid).toBe(1);
		},
	);

	it('with more items buy them all once', async () => {
		const next = oneNode();
		const items = ['a', 'b', 'c'].map((name) => ({ name }));
		const both = [customer.buy({}, { items, ...next() }), customer.buy({}, { items, ...next() })];
		await Promise.all(both);
		expect(customer.paid).toBe(3);
	});

	it('within ten seconds of a refusal wait until Kuaidaili can take it for no duplicate, and buy', async () => {
		const next = oneNode();
		await untilWindowAge(3000);
		customer.sandbox.faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 });
		await customer.buy({}, next());
		const [record] = records(await customer.buy({}, next()));
		expect(record.created).toBe(true);
		expect(customer.paid).toBe(1);
	});

	it.each([0, 40, 100])(
		'of which the first one bought eleven minutes ago place one order (%i s after a slot began)',
		async (age) => {
			const next = oneNode();
			const [one, two] = [next().engine, next().engine];
			const slotMs = 120_000;
			await sleep(slotMs - (Date.now() % slotMs) + age * 1000);
			await customer.buy({}, { ...next(), engine: one });
			await sleep(11.5 * MINUTE);
			await customer.buy({}, { ...next(), engine: two });
			await sleep(15_000);
			await customer.buy({}, { ...next(), engine: one });
			expect(customer.paid).toBe(2);
		},
	);

	it('whose sub-workflow buys for two equal items place two orders, the repetition none, and a schedule two more', async () => {
		const settings = { id: uniqueName('node') };
		const start = async (rootMode: 'manual' | 'trigger') => {
			const engine = bed().engine.anotherProcess();
			const parentExecutionId = uniqueName('execution');
			const results = [];
			for (const _item of [1, 2]) {
				const executionId = uniqueName('execution');
				const of = { settings, engine, executionId, rootMode, parentExecutionId };
				results.push(await customer.buy({}, of));
			}
			return results;
		};
		for (const result of await start('manual')) expect(records(result)[0].created).toBe(true);
		for (const result of await start('manual')) expect(textOf(result)).toMatch(REFUSED);
		expect(customer.paid).toBe(2);
		for (const result of await start('trigger')) expect(records(result)[0].created).toBe(true);
	});
});

describe('Two schedules on two workers', () => {
	it('sign their requests each in their own way, and place an order each', async () => {
		const next = oneNode(BY_SCHEDULE);
		const results = await Promise.all([customer.buy({}, next()), customer.buy({}, next())]);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(new Set(nonces(API.createorder)).size).toBe(2);
		expect(customer.paid).toBe(2);
	});

	it.each(BY_TIME)(
		'at which one is refused as too fast make %s once, and one of them says so',
		async (kind) => {
			const { open, path } = KINDS[kind];
			const run = open(customer);
			const next = oneNode(BY_SCHEDULE);
			customer.sandbox.faults.add({ kind: 'delay', ms: 300, when: 'before', path, times: 1 });
			customer.sandbox.faults.add({ kind: 'code', code: -120, path, times: 1 });
			const said = (await Promise.all([run(next()), run(next())])).flatMap(records);
			expect(customer.requests(path)).toHaveLength(2);
			expect(customer.paid).toBe(1);
			expect(said.map(({ renewed }) => renewed).sort()).toEqual([false, true]);
			const passed = said.find(({ renewed }) => renewed === false);
			expect(passed?.reason).toMatch(
				/^This node bought it meanwhile, in another run|^The order has more than 3 days left/,
			);
			expect(passed).not.toHaveProperty('cost');
		},
	);

	it.each([
		['if due', WEEK],
		['always', WEEK_ALWAYS],
	])(
		'of which one is at work on an order that is renewed %s: the other one says until when',
		async (_when, renewal) => {
			const order = customer.tunnel(DAY);
			const next = oneNode(BY_SCHEDULE);
			customer.sandbox.faults.add({ kind: 'delay', ms: 30_000, path: API.reneworder, times: 1 });
			const fields = { ...renewal, options: { timeout: 60 } };
			const first = customer.renewByNumber(order, fields, next());
			await customer.asked(API.reneworder);
			await sleep(11_000);
			const second = await customer.renewByNumber(order, fields, next());
			expect(textOf(second)).toMatch(REFUSED);
			expect(textOf(second)).toMatch(/Until 20\d\d-.*, nothing replaces it\./);
			expect(records(await first)).toMatchObject([{ renewed: true }]);
			expect(customer.paid).toBe(1);
		},
	);

	it('each say what they were refused for, of which another node was refused right before', async () => {
		customer.account.balanceInFen = 0;
		const order = customer.tunnel(DAY);
		for (const _node of [1, 2, 3]) {
			const of = { settings: { id: uniqueName('node') }, ...scheduled() };
			const result = await customer.renewByNumber(order, WEEK, of);
			expect(textOf(result)).toContain('The account balance is too low for the renewal');
		}
	});
});

it('Of two retries of one unclear execution, on two workers, the second one buys where the first one was refused', async () => {
	const next = oneNode(BY_SCHEDULE);
	const { faults } = customer.sandbox;
	faults.add(missed(API.createorder));
	const of = next();
	const limited = { options: { minimumBalance: 100, expectedCost: 6 } };
	const { saved } = await customer.buy(limited, of);
	await sleep(12 * MINUTE);
	const retry = () => ({ ...next(), retryOf: saved, retriedExecutionId: of.executionId });
	faults.add({ kind: 'code', code: -61, path: API.createorder, times: 1 });
	expect(textOf(await customer.buy(limited, retry()))).toContain('No IPs are available');
	const { balanceInFen } = customer.account;
	customer.account.balanceInFen = 100_00;
	expect(textOf(await customer.buy(limited, retry()))).toContain("'Balance to Keep");
	customer.account.balanceInFen = balanceInFen;
	await sleep(15_000);
	expect(records(await customer.buy(limited, retry()))).toMatchObject([{ created: true }]);
	expect(customer.paid).toBe(1);
});

it('A retry whose answer is lost does not leave its order to the run of a schedule whose order shows first', async () => {
	const { faults, settings } = customer.sandbox;
	const next = oneNode();
	const { rootMode } = scheduled();
	faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 });
	const of = { ...next(), rootMode };
	const { saved } = await customer.buy({}, of);
	await sleep(30_000);
	settings.newOrderLagSeconds = 4;
	await untilWindowAge(1000);
	const schedule = customer.buy({}, { ...next(), rootMode });
	await customer.asked(API.createorder, 2);
	await sleep(2500);
	faults.add(lost(API.createorder));
	const retry = { ...next(), retryOf: saved, retriedExecutionId: of.executionId };
	const result = await customer.buy({}, retry);
	expect((await schedule).error).toBeUndefined();
	const numbers = customer.payments.map(({ orderId }) => orderId);
	expect(numbers).toHaveLength(2);
	expect(textOf(result)).toContain('The order may have been placed');
	expect(textOf(result)).toContain(numbers[1]);
});

describe('A worker that records a purchase', () => {
	it('leaves nothing behind where it is cancelled meanwhile', async () => {
		const next = oneNode();
		n8nRecords.queryMs = 500;
		await untilWindowAge(1000);
		await customer.buy({}, { ...next(), cancelWhen: sleep(700) });
		n8nRecords.queryMs = 5;
		expect(customer.requests(API.createorder)).toEqual([]);
		expect(records(await customer.buy({}, next()))[0].created).toBe(true);
		expect(customer.paid).toBe(1);
	});

	it('signs it in the next window where one ends meanwhile', async () => {
		n8nRecords.queryMs = 500;
		await untilWindowAge(9400);
		const nextWindow = (Math.floor(Date.now() / 10_000) + 1) * 10;
		const [record] = records(await customer.buy({}, oneNode()()));
		expect(record.created).toBe(true);
		const [{ parameters }] = customer.requests(API.createorder);
		expect(parameters.timestamp).toBe(String(nextWindow));
	});
});
