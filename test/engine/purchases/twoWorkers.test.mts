import { DAY } from '../../durations.mts';
import { shareOf } from '../../fullMatrices.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { Customer, WEEK, WEEK_ALWAYS } from '../support/customer.mts';
import type { RunResult, RunSettings } from '../support/engine.mts';
import { records, textOf } from '../support/results.mts';
import { scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { untilWindowAge } from '../support/windowAge.mts';
import { useWorkbench } from '../support/workbench.mts';

/* What two workers may do at most: the plain promises P5 and P6. */

const { bed, customer } = useWorkbench({ rateLimits: false, withRecords: true });

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

/** One says that it bought it; the other one says so as well, or refuses. */
function expectHonest(results: readonly RunResult[]): void {
	const bought = results.flatMap(records).filter(({ created, renewed }) => created ?? renewed);
	expect(bought).toHaveLength(1);
	for (const result of results) {
		if (result.error === undefined) expect(records(result)).toHaveLength(1);
		else expect(textOf(result)).toMatch(REFUSED);
	}
}

describe('Two clicks on two workers', () => {
	it.each([0, 10, 50, 300, 3000, 9000, 60_000, 500_000])(
		'%i ms apart place one order',
		async (apart) => {
			const next = oneNode();
			const first = customer.buy({}, next());
			await sleep(apart);
			const results = await Promise.all([first, customer.buy({}, next())]);
			expect(customer.paid).toBe(1);
			expectHonest(results);
		},
	);

	it.each([0, 50, 3000, 60_000])('%i ms apart renew once', async (apart) => {
		const order = customer.tunnel(30 * DAY);
		const next = oneNode();
		const first = customer.renewByNumber(order, WEEK_ALWAYS, next());
		await sleep(apart);
		const results = await Promise.all([first, customer.renewByNumber(order, WEEK_ALWAYS, next())]);
		expect(customer.paid).toBe(1);
		expectHonest(results);
	});

	it.each([0, 900, 1500, 1990, 5000, 9700, 9900, 9950, 9980, 9995].map((age, row) => [age, row]))(
		'%i ms after a window of signatures began, or over its end, place one order (%i)',
		async (age, row) => {
			for (const apart of shareOf([0, 7, 30], 3, row)) {
				const bought = new Customer(bed());
				const next = oneNode();
				await untilWindowAge(age);
				const first = bought.buy({}, next());
				await sleep(apart);
				const results = await Promise.all([first, bought.buy({}, next())]);
				expect([age, apart, bought.paid]).toEqual([age, apart, 1]);
				expectHonest(results);
			}
		},
	);

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

	it('that are refused leave nothing behind: a click eleven minutes later buys', async () => {
		const next = oneNode();
		const { balanceInFen } = customer.account;
		customer.account.balanceInFen = 0;
		await Promise.all([customer.buy({}, next()), customer.buy({}, next())]);
		customer.account.balanceInFen = balanceInFen;
		await sleep(13 * 60_000);
		expect(records(await customer.buy({}, next()))[0].created).toBe(true);
		expect(customer.paid).toBe(1);
	});

	it('with more items buy them all once', async () => {
		const next = oneNode();
		const items = ['a', 'b', 'c'].map((name) => ({ name }));
		const both = [customer.buy({}, { items, ...next() }), customer.buy({}, { items, ...next() })];
		await Promise.all(both);
		expect(customer.paid).toBe(3);
	});

	it.each([
		['the same item', {}],
		['another item with the same goods', { items: [{ name: 'b' }] }],
	])('of which the second, for %s, is refused until when', async (_which, more) => {
		const next = oneNode();
		await customer.buy({}, next());
		const second = await customer.buy({}, { ...next(), ...more });
		expect(textOf(second)).toMatch(REFUSED);
		expect(textOf(second)).toMatch(
			/Nothing was bought this time, because this run may be a repetition of that one\..* run it again after 20\d\d-/,
		);
		const until = / run it again after (\S+ \S+) /.exec(textOf(second))?.[1];
		expect(until).toBeDefined();
		expect(customer.paid).toBe(1);
	});

	it('of which one follows a schedule: the click is refused, the schedule never is', async () => {
		const next = oneNode();
		const schedule = { rootMode: scheduled().rootMode };
		await customer.buy({}, { ...next(), ...schedule });
		expect(textOf(await customer.buy({}, next()))).toMatch(REFUSED);
		expect(records(await customer.buy({}, { ...next(), ...schedule }))[0].created).toBe(true);
		expect(customer.paid).toBe(2);
	});

	it('are two purchases after twelve minutes', async () => {
		const next = oneNode();
		await customer.buy({}, next());
		await sleep(12 * 60_000 + 1);
		expect(records(await customer.buy({}, next()))[0].created).toBe(true);
		expect(customer.paid).toBe(2);
	});
});

describe('A retry after a click that bought the same', () => {
	const items = [{ name: 'a' }];

	it.each([
		['by hand', {}],
		['by a schedule', { rootMode: scheduled().rootMode }],
	])('of an execution that was started %s is refused on another worker', async (_how, mode) => {
		const next = oneNode();
		customer.sandbox.faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 });
		const failed = { ...next(), ...mode, items };
		const { saved, error } = await customer.buy({}, failed);
		expect(error).toBeDefined();
		// In the same window of signatures, Kuaidaili would take it for the request that was refused
		await sleep(10_000);
		expect(records(await customer.buy({}, { ...next(), items }))[0].created).toBe(true);
		const retry = { retryOf: saved, retriedExecutionId: failed.executionId };
		expect(textOf(await customer.buy({}, { ...next(), ...retry }))).toMatch(REFUSED);
		expect(customer.paid).toBe(1);
		await sleep(12 * 60_000);
		const later = await customer.buy({}, { ...next(), ...retry });
		expect(records(later)[0].created).toBe(true);
		expect(customer.paid).toBe(2);
	});

	it('is none where a schedule bought the same: two executions with equal items buy for each', async () => {
		const next = oneNode();
		const mode = { rootMode: scheduled().rootMode };
		customer.sandbox.faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 });
		const failed = { ...next(), ...mode, items };
		const { saved } = await customer.buy({}, failed);
		await sleep(10_000);
		await customer.buy({}, { ...next(), ...mode, items });
		const retry = { retryOf: saved, retriedExecutionId: failed.executionId };
		expect(records(await customer.buy({}, { ...next(), ...retry }))[0].created).toBe(true);
		expect(customer.paid).toBe(2);
	});

	it('within ten seconds of a refusal waits until Kuaidaili can take it for no duplicate, and buys', async () => {
		const next = oneNode();
		await untilWindowAge(3000);
		customer.sandbox.faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 });
		await customer.buy({}, { ...next(), items });
		const [record] = records(await customer.buy({}, { ...next(), items }));
		expect(record.created).toBe(true);
		expect(customer.paid).toBe(1);
	});

	it('of an execution that left nothing is refused whatever bought the same', async () => {
		const next = oneNode();
		await customer.buy({}, { ...next(), rootMode: scheduled().rootMode });
		const retry = { killedExecutionId: uniqueName('execution') };
		const result = await customer.buy({}, { ...next(), ...retry });
		expect(textOf(result)).toContain('n8n kept nothing of the execution that this one retries');
		expect(customer.paid).toBe(1);
	});
});

describe('Two schedules on two workers', () => {
	it.each([
		['if due', WEEK],
		['always', WEEK_ALWAYS],
	])(
		'of which one is at work on an order that is renewed %s: the other one says until when',
		async (_when, renewal) => {
			const order = customer.tunnel(DAY);
			const next = oneNode({ rootMode: scheduled().rootMode });
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

	const TOP_UP = { renewalOf: 'perIp', dpsIpCount: 1000, renewWhen: 'always' };
	const RENEWALS = [
		{ kind: 'renew if due', fields: WEEK },
		{ kind: 'renew always', fields: WEEK_ALWAYS },
		{ kind: 'top up always', fields: TOP_UP },
	];
	const PAIRS = RENEWALS.flatMap((renewal) =>
		['one node', 'two nodes'].flatMap((nodes, row) =>
			shareOf([0, 20, 100, 500], 2, row).map((apart) => ({ ...renewal, nodes, apart })),
		),
	);

	it.each(PAIRS)('of $nodes, $apart ms apart, $kind: one order once', async (pair) => {
		const order = pair.fields === TOP_UP ? customer.perIp(50) : customer.tunnel(DAY);
		customer.sandbox.faults.add({ kind: 'delay', ms: 800, path: API.reneworder });
		const same = oneNode({ rootMode: scheduled().rootMode });
		const other = pair.nodes === 'one node' ? same : oneNode({ rootMode: scheduled().rootMode });
		// Over the end of a window, two nodes sign in two ways
		await untilWindowAge(1000);
		const first = customer.renewByNumber(order, pair.fields, same());
		await sleep(pair.apart);
		const both = await Promise.all([first, customer.renewByNumber(order, pair.fields, other())]);
		expect(customer.paid).toBe(1);
		const said = both.flatMap(records).filter(({ renewed }) => renewed === true);
		// Another node, and whoever tops up at the same instant, can't tell whose request was carried out
		const isTold = pair.nodes === 'one node' && pair.fields !== TOP_UP;
		expect(said.length).toBeLessThanOrEqual(isTold ? 1 : 2);
	});

	it('some seconds apart, with Always, renew it in each run', async () => {
		const order = customer.tunnel(DAY);
		const next = oneNode({ rootMode: scheduled().rootMode });
		for (const _ of [1, 2]) {
			await customer.renewByNumber(order, WEEK_ALWAYS, next());
			await sleep(1000);
		}
		expect(customer.paid).toBe(2);
	});

	it('of which one lost its answer: the order is renewed twelve minutes later, whoever comes', async () => {
		const order = customer.tunnel(2 * DAY);
		const next = oneNode({ rootMode: scheduled().rootMode });
		customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: API.reneworder, times: 1 });
		expect((await customer.renewByNumber(order, WEEK, next())).error).toBeDefined();
		expect((await customer.renewByNumber(order, WEEK, next())).error).toBeDefined();
		expect(customer.paid).toBe(0);
		await sleep(12 * 60_000);
		const [record] = records(await customer.renewByNumber(order, WEEK, next()));
		expect(record.renewed).toBe(true);
		expect(customer.paid).toBe(1);
	});
});
