import {
	mainTo,
	newWorkflow,
	nodeUnderTest,
	runManually,
	START,
	startNode,
} from '../../../harness/engine/workflow.mts';
import { DAY, HOUR } from '../../durations.mts';
import { shareOf } from '../../fullMatrices.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { type CustomerRun, NEW_TUNNEL, WEEK, WEEK_ALWAYS } from '../support/customer.mts';
import { n8nRecords } from '../support/deduplication.mts';
import type { Engine, RunSettings } from '../support/engine.mts';
import { lost, missed } from '../support/faults.mts';
import { records, textOf } from '../support/results.mts';
import { RETRY, scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { untilWindowAge } from '../support/windowAge.mts';
import { useWorkbench } from '../support/workbench.mts';

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

	it("buy a day's and a week's order at the same moment, on two workers", async () => {
		const next = oneNode({ executionId: uniqueName('execution') });
		const runs = Object.values(TERMS).map(
			async (prepayTimeType) => await customer.buy({ prepayTimeType }, next()),
		);
		const bought = (await Promise.all(runs)).flatMap(records);
		expect(new Set(bought.map(({ orderid }) => orderid)).size).toBe(2);
		expect(customer.paid).toBe(2);
	});
});

describe('Two clicks on two workers', () => {
	it('at the same moment send the same signed request, of which the service carries out one', async () => {
		const next = oneNode();
		customer.sandbox.faults.add({ kind: 'delay', ms: 500, path: API.createorder });
		await Promise.all([customer.buy({}, next()), customer.buy({}, next())]);
		expect(new Set(nonces(API.createorder)).size).toBe(1);
		expect(customer.paid).toBe(1);
	});

	const AFTERWARDS = ['Retry On Fail', 'a retry twelve minutes later'];

	it.each(AFTERWARDS.flatMap((how) => ['new orders', 'renewals'].map((kind) => ({ how, kind }))))(
		'of $kind, of which the second leaves an item to the first, and is refused for its next: $how buys that alone',
		async ({ how, kind }) => {
			const isAtOnce = how === 'Retry On Fail';
			const next = oneNode();
			const second = next();
			const path = kind === 'renewals' ? API.reneworder : API.createorder;
			const orders = [customer.tunnel(2 * DAY), customer.tunnel(3 * DAY)];
			const run = async (count: number, settings: CustomerRun) => {
				if (kind === 'renewals') {
					return await customer.renewEach(orders.slice(0, count), WEEK_ALWAYS, settings);
				}
				const items = [{ term: 'WEEK' }, { term: 'DAY' }];
				const fields = { prepayTimeType: '={{ $json.term }}' };
				return await customer.buy(fields, { items: items.slice(0, count), ...settings });
			};
			await untilWindowAge(1000);
			customer.sandbox.faults.add({ kind: 'delay', ms: 500, path, times: 2 });
			const click = run(1, next());
			const settings = { ...second.settings, ...(isAtOnce && RETRY) };
			const running = run(2, { ...second, settings });
			await customer.asked(path, 2);
			customer.sandbox.faults.add({ kind: 'code', code: -5, path, times: 1 });
			let result = await running;
			if (!isAtOnce) {
				expect(result.error).toBeDefined();
				await sleep(12 * 60_000);
				const retried = { retryOf: result.saved, retriedExecutionId: second.executionId };
				result = await run(2, { ...next(), engine: second.engine, ...retried });
			}
			const [{ orderid }] = records(await click);
			const bought = records(result);
			expect(bought[0].orderid).toBe(orderid);
			expect(bought.map(({ created, renewed }) => created ?? renewed)).toEqual([false, true]);
			expect(customer.paid).toBe(2);
		},
	);

	it.each(['new orders', 'renewals', 'top-ups'])(
		'of which the second bought what the first one was refused: a third, on the first again, buys none (%s)',
		async (kind) => {
			const next = oneNode();
			const [first, second] = [next().engine, next().engine];
			const order = kind === 'top-ups' ? customer.perIp(50) : customer.tunnel(DAY);
			const IPS = { renewalOf: 'perIp', dpsIpCount: 1000, renewWhen: 'always' };
			const fields = kind === 'top-ups' ? IPS : WEEK_ALWAYS;
			const items = [{ name: 'refused' }, { name: 'not tried' }];
			const click = async (engine: Engine) => {
				const run = { ...next(), engine };
				return kind === 'new orders'
					? await customer.buy({}, { items, ...run })
					: await customer.renewByNumber(order, fields, run);
			};
			const path = kind === 'new orders' ? API.createorder : API.reneworder;
			customer.sandbox.faults.add({ kind: 'code', code: -5, path, times: 1 });
			expect((await click(first)).error).toBeDefined();
			await sleep(60_000);
			const bought = await click(second);
			await sleep(60_000);
			const again = await click(first);
			const placed = records(bought).map(({ orderid }) => orderid);
			expect(customer.payments.map(({ orderId }) => orderId)).toEqual(placed);
			expect(textOf(again)).toMatch(REFUSED);
		},
	);

	it.each([0, 40, 100])(
		'of which the first one bought eleven minutes ago place one order (%i s after a slot began)',
		async (age) => {
			const next = oneNode();
			const [one, two] = [next().engine, next().engine];
			const slotMs = 120_000;
			await sleep(slotMs - (Date.now() % slotMs) + age * 1000);
			await customer.buy({}, { ...next(), engine: one });
			await sleep(11.5 * 60_000);
			await customer.buy({}, { ...next(), engine: two });
			await sleep(15_000);
			await customer.buy({}, { ...next(), engine: one });
			expect(customer.paid).toBe(2);
		},
	);

	it("renew nothing after a schedule's run on another one, with the key pair of the order", async () => {
		const order = customer.tunnel(2 * DAY);
		const next = oneNode();
		await customer.renew(order, WEEK_ALWAYS, { ...next(), ...scheduled() });
		const click = await customer.renew(order, WEEK_ALWAYS, next());
		expect(customer.paid).toBe(1);
		expect(textOf(click)).toMatch(REFUSED);
	});

	it('place one order where one of them reads for longer, until the signature is another one', async () => {
		const next = oneNode();
		const windowMs = 10_000;
		await sleep(windowMs - (Date.now() % windowMs) + 8500);
		customer.sandbox.faults.add({ kind: 'delay', ms: 3000, path: API.getaccountorders, times: 1 });
		const fields = { options: { reportCost: false } };
		const results = await Promise.all([customer.buy(fields, next()), customer.buy(fields, next())]);
		expect(results.flatMap(records).filter(({ created }) => created)).toHaveLength(1);
		expect(customer.paid).toBe(1);
	});

	it('whose sub-workflow buys for two equal items place two orders, and the repetition none', async () => {
		const settings = { id: uniqueName('node') };
		const click = async () => {
			const engine = bed().engine.anotherProcess();
			const parentExecutionId = uniqueName('execution');
			const results = [];
			for (const _item of [1, 2]) {
				const executionId = uniqueName('execution');
				const of = {
					settings,
					engine,
					executionId,
					rootMode: 'manual' as const,
					parentExecutionId,
				};
				results.push(await customer.buy({}, of));
			}
			return results;
		};
		for (const result of await click()) expect(records(result)[0].created).toBe(true);
		for (const result of await click()) expect(textOf(result)).toMatch(REFUSED);
		expect(customer.paid).toBe(2);
	});

	it('of a schedule sign their requests each in their own way, and place an order each', async () => {
		const next = oneNode({ rootMode: scheduled().rootMode });
		const results = await Promise.all([customer.buy({}, next()), customer.buy({}, next())]);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(new Set(nonces(API.createorder)).size).toBe(2);
		expect(customer.paid).toBe(2);
	});
});

describe('Two retries of one unclear execution, on two workers', () => {
	const late = { kind: 'cache', path: API.getaccountorders } as const;

	it('place one order, however late the list shows it', async () => {
		const next = oneNode({ rootMode: scheduled().rootMode });
		customer.sandbox.faults.add(missed(API.createorder));
		const of = next();
		const { saved } = await customer.buy({}, of);
		await sleep(12 * 60_000);
		customer.sandbox.faults.add(late);
		const retry = () => ({ ...next(), retryOf: saved, retriedExecutionId: of.executionId });
		expect(records(await customer.buy({}, retry()))).toMatchObject([{ created: true }]);
		await sleep(20_000);
		expect(textOf(await customer.buy({}, retry()))).toMatch(REFUSED);
		expect(customer.paid).toBe(1);
	});

	it('place it where the first one was refused', async () => {
		const next = oneNode({ rootMode: scheduled().rootMode });
		const { faults } = customer.sandbox;
		faults.add(missed(API.createorder));
		const of = next();
		const limited = { options: { minimumBalance: 100, expectedCost: 6 } };
		const { saved } = await customer.buy(limited, of);
		await sleep(12 * 60_000);
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

describe('Two workers that record a purchase at the same moment', () => {
	afterEach(() => {
		n8nRecords.queryMs = 5;
	});

	const LOW_IPS = { renewalOf: 'perIp', balanceBelow: 100, dpsIpCount: 1000 };
	const MISSING = { createWhen: 'fewerThan', fewerThan: 1 };
	const MOMENTS = [
		{ queryMs: 5, apart: 0 },
		{ queryMs: 5, apart: 10 },
		// A window of signatures ends while the first one records
		...[0, 300, 700, 2000].map((apart) => ({ queryMs: 500, apart })),
	];
	const CASES = ['click', 'renewal', 'top-up', 'missing order'].flatMap((kind, row) =>
		shareOf(MOMENTS, 2, row).map((moment) => ({ kind, ...moment })),
	);

	it.each(CASES)(
		'pay for one $kind, $apart ms apart, where each query takes $queryMs ms',
		async ({ apart, kind, queryMs }) => {
			const next = oneNode(kind === 'click' ? {} : { rootMode: scheduled().rootMode });
			const order = kind === 'top-up' ? customer.perIp(50) : customer.tunnel(DAY);
			if (kind === 'missing order') order.expiresAt = customer.inDays(-1);
			const run = async () => {
				if (kind === 'renewal') return await customer.renewByNumber(order, WEEK, next());
				if (kind === 'top-up') return await customer.renewByNumber(order, LOW_IPS, next());
				return await customer.buy(kind === 'missing order' ? MISSING : {}, next());
			};
			n8nRecords.queryMs = queryMs;
			await untilWindowAge(9400);
			const first = run();
			await sleep(apart);
			const results = await Promise.all([first, run()]);
			// Where both took a while to record it, each may leave it to the other one, and says so
			const isRefused = results.every((result) => REFUSED.test(textOf(result)));
			expect(customer.paid).toBe(isRefused ? 0 : 1);
			expect(isRefused && queryMs === 5).toBe(false);
		},
	);

	it('leave nothing behind where one of them is cancelled meanwhile', async () => {
		const next = oneNode();
		n8nRecords.queryMs = 500;
		await untilWindowAge(1000);
		await customer.buy({}, { ...next(), cancelWhen: sleep(700) });
		n8nRecords.queryMs = 5;
		expect(customer.requests(API.createorder)).toEqual([]);
		expect(records(await customer.buy({}, next()))[0].created).toBe(true);
		expect(customer.paid).toBe(1);
	});

	it('sign it in the next window where one ends meanwhile', async () => {
		n8nRecords.queryMs = 500;
		await untilWindowAge(9400);
		const nextWindow = (Math.floor(Date.now() / 10_000) + 1) * 10;
		const [record] = records(await customer.buy({}, oneNode()()));
		expect(record.created).toBe(true);
		const [{ parameters }] = customer.requests(API.createorder);
		expect(parameters.timestamp).toBe(String(nextWindow));
	});
});

describe('A prepaid order never has the same end twice', () => {
	it.each([WEEK, WEEK_ALWAYS])(
		'where three workers renew it, and the new end shows 20 minutes late: %j',
		async (fields) => {
			const order = customer.tunnel(2 * DAY);
			const next = oneNode({ rootMode: scheduled().rootMode });
			customer.sandbox.faults.add(
				{ kind: 'cache', path: API.getorderexpiretime },
				{ kind: 'cache', path: API.getaccountorders },
			);
			const results = [];
			for (const _ of [1, 2, 3]) {
				results.push(await customer.renewByNumber(order, fields, next()));
				await sleep(6 * 60_000);
			}
			expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
			expect(results.flatMap(records).map(({ renewed }) => renewed)).toEqual([true, false, false]);
			expect(customer.paid).toBe(1);
		},
	);

	it('which fails the run of another worker where the old end shows, and is within a day', async () => {
		const order = customer.tunnel(20 * HOUR);
		const next = oneNode({ rootMode: scheduled().rootMode });
		customer.sandbox.faults.add(
			{ kind: 'cache', path: API.getorderexpiretime },
			{ kind: 'cache', path: API.getaccountorders },
		);
		await customer.renewByNumber(order, WEEK, next());
		const second = await customer.renewByNumber(order, WEEK, next());
		expect(textOf(second)).toContain(`Order ${order.orderId} was renewed, and still ends at `);
		expect(customer.paid).toBe(1);
	});

	it('where two workers renew it 100 ms apart', async () => {
		const order = customer.tunnel(DAY);
		const next = oneNode({ rootMode: scheduled().rootMode });
		customer.sandbox.faults.add({ kind: 'delay', ms: 400, path: API.reneworder });
		const first = customer.renewByNumber(order, WEEK, next());
		await sleep(100);
		const results = await Promise.all([first, customer.renewByNumber(order, WEEK, next())]);
		// At the beginning of a window, both wait
		const renewed = results.flatMap(records).map((record) => record.renewed);
		expect(renewed.sort()).toEqual([false, true]);
		expect(customer.paid).toBe(1);
	});

	it('where another node renews it at the same moment', async () => {
		const order = customer.tunnel(DAY);
		customer.sandbox.faults.add({ kind: 'delay', ms: 400, path: API.reneworder });
		const renew = async () =>
			await customer.renewByNumber(order, WEEK, oneNode({ rootMode: scheduled().rootMode })());
		const results = await Promise.all([renew(), renew()]);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(customer.paid).toBe(1);
	});

	it('and says what it was refused for where another node was refused right before', async () => {
		customer.account.balanceInFen = 0;
		const order = customer.tunnel(DAY);
		for (const _node of [1, 2, 3]) {
			const of = { settings: { id: uniqueName('node') }, ...scheduled() };
			const result = await customer.renewByNumber(order, WEEK, of);
			expect(textOf(result)).toContain('The account balance is too low for the renewal');
		}
	});

	it('where a lost renewal is retried after another one was paid, and the new end shows late', async () => {
		const order = customer.tunnel(2 * DAY);
		const next = oneNode({ rootMode: scheduled().rootMode });
		const { faults } = customer.sandbox;
		faults.add(
			{ kind: 'cache', path: API.getorderexpiretime },
			{ kind: 'cache', path: API.getaccountorders },
		);
		faults.add({ kind: 'cut', when: 'before', path: API.reneworder, times: 1 });
		const of = next();
		const { saved } = await customer.renewByNumber(order, WEEK_ALWAYS, of);
		await sleep(12 * 60_000);
		const [paid] = records(await customer.renewByNumber(order, WEEK_ALWAYS, next()));
		expect(paid.renewed).toBe(true);
		const retry = { ...next(), retryOf: saved, retriedExecutionId: of.executionId };
		const [again] = records(await customer.renewByNumber(order, WEEK_ALWAYS, retry));
		expect(again.renewed).toBe(false);
		expect(customer.paid).toBe(1);
	});

	it('but is renewed where another worker was refused, or lost its answer twelve minutes ago', async () => {
		const order = customer.tunnel(DAY);
		const next = oneNode({ rootMode: scheduled().rootMode });
		customer.sandbox.faults.add({ kind: 'code', code: -5, path: API.reneworder, times: 1 });
		await customer.renewByNumber(order, WEEK, next());
		customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: API.reneworder, times: 1 });
		expect((await customer.renewByNumber(order, WEEK, next())).error).toBeDefined();
		const soon = await customer.renewByNumber(order, WEEK, next());
		expect(textOf(soon)).toMatch(REFUSED);
		expect(customer.paid).toBe(0);
		await sleep(12 * 60_000);
		const [record] = records(await customer.renewByNumber(order, WEEK, next()));
		expect(record.renewed).toBe(true);
		expect(customer.paid).toBe(1);
	});
	it('but is renewed twelve minutes after a lost answer, however often other workers look until then', async () => {
		const order = customer.tunnel(2 * DAY);
		const next = oneNode({ rootMode: scheduled().rootMode });
		customer.sandbox.faults.add(missed(API.reneworder));
		const results = [];
		for (let run = 0; run < 4; run++) {
			results.push(await customer.renewByNumber(order, WEEK, next()));
			await sleep(6 * 60_000);
		}
		expect(customer.paid).toBe(1);
		expect(results.map(({ error }) => error === undefined)).toEqual([false, false, true, true]);
	});

	const RETRIED_ON = ['the same worker', 'another worker'];

	it.each([WEEK, WEEK_ALWAYS].flatMap((fields) => RETRIED_ON.map((where) => ({ where, fields }))))(
		'and two retries on $where of a lost renewal do not claim what another run has paid since, or add to it: $fields',
		async ({ where, fields }) => {
			const order = customer.tunnel(2 * DAY);
			const next = oneNode({ rootMode: scheduled().rootMode });
			customer.sandbox.faults.add(missed(API.reneworder));
			const of = next();
			const { saved } = await customer.renewByNumber(order, fields, of);
			await sleep(12 * 60_000);
			const [paid] = records(await customer.renewByNumber(order, fields, next()));
			expect(paid.renewed).toBe(true);
			const retried = { retryOf: saved, retriedExecutionId: of.executionId };
			for (const _retry of [1, 2]) {
				const engine = where === 'the same worker' ? of.engine : next().engine;
				const retry = { ...next(), ...retried, engine };
				const result = await customer.renewByNumber(order, fields, retry);
				expect(records(result)).toMatchObject([{ renewed: false }]);
				await sleep(12 * 60_000);
			}
			expect(customer.paid).toBe(1);
		},
	);
});
