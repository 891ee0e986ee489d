import type { IDataObject } from 'n8n-workflow';

import { HOUR, MINUTE } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import type { CustomerRun } from '../support/customer.mts';
import { n8nRecords } from '../support/deduplication.mts';
import { missed } from '../support/faults.mts';
import { records, textOf } from '../support/results.mts';
import { scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { callsOfOneAnswer, toolCalls } from '../support/toolCalls.mts';
import { untilWindowAge } from '../support/windowAge.mts';
import { useWorkbench } from '../support/workbench.mts';
import { ONCE } from './purchaseKinds.mts';

/* "Create" with "Once per Key": a node buys once for each key of the user, whoever asks. */

const { bed, customer } = useWorkbench({ rateLimits: false, withRecords: true });

afterEach(() => {
	n8nRecords.isOut = false;
	n8nRecords.isLost = () => false;
});

const shopOrders = (...numbers: unknown[]): IDataObject[] =>
	numbers.map((shopOrder) => ({ shopOrder: shopOrder as string }));

/** Executions of one node that a webhook starts. */
function oneNode(settings: CustomerRun = {}) {
	const node = { id: uniqueName('node') };
	return (more: CustomerRun = {}): CustomerRun => ({
		settings: node,
		...scheduled(),
		...settings,
		...more,
	});
}

const another = () => ({ engine: bed().engine.anotherProcess() });
const buyFor = async (key: unknown, run: CustomerRun, fields: IDataObject = {}) =>
	await customer.buy({ ...ONCE, ...fields }, { items: shopOrders(key), ...run });

/** Two workers buy for one key, and neither finds in n8n's records what the other one has sent. */
async function byTwoAtOnce(next: ReturnType<typeof oneNode>) {
	n8nRecords.isLost = (text) => !text.includes(' paid ');
	const runs = [next(another()), next(another())];
	const both = runs.map(async (run) => await buyFor('A-1', run));
	await customer.asked(API.createorder, 2);
	n8nRecords.isLost = () => false;
	return { runs, results: await Promise.all(both) };
}

const UNCLEAR = /The order may have been placed/;
const USED = /nothing shows what came of it/;

describe('A webhook that is delivered again', () => {
	it('buys once where the items come in one execution, however few it may order', async () => {
		const items = shopOrders('A-1', 'A-1', 'A-1');
		const result = await customer.buy(ONCE, { ...oneNode()(), items });
		expect(records(result).map(({ created }) => created)).toEqual([true, false, false]);
		expect(new Set(records(result).map(({ orderid }) => orderid)).size).toBe(1);
		expect(customer.paid).toBe(1);
	});

	it.each([
		...[0, 20, 300, 3000].map((apart) => [apart, '']),
		[0, ', and n8n loses what one of them recorded'],
	])('to two workers, %i ms apart%s, buys once', async (apart, isLost) => {
		const next = oneNode();
		await untilWindowAge(3000);
		customer.sandbox.faults.add({ kind: 'delay', ms: 200, path: API.createorder });
		n8nRecords.isLost = (text) => isLost !== '' && !text.includes(' paid ');
		const first = buyFor('A-1', next(another()));
		await sleep(Number(apart));
		const both = await Promise.all([first, buyFor('A-1', next(another()))]);
		expect(customer.paid).toBe(1);
		expect(both.map(({ error }) => error)).toEqual([undefined, undefined]);
		const [{ orderId }] = customer.payments;
		expect(both.flatMap(records).map(({ created }) => created)).toEqual(
			expect.arrayContaining([true, false]),
		);
		expect(both.flatMap(records).map(({ orderid }) => orderid)).toEqual([orderId, orderId]);
	});

	it('buys again for another key, also by hand and at once', async () => {
		const next = oneNode({ rootMode: 'manual' });
		for (const key of ['A-1', 'A-2', 'A-3']) {
			expect(records(await buyFor(key, next(another())))[0].created).toBe(true);
		}
		expect(customer.paid).toBe(3);
	});
});

describe('The order of a key', () => {
	it.each(['the same process', 'another worker'])(
		'is not given for other goods, which are an error (%s)',
		async (where) => {
			const next = oneNode();
			const run = () => next(where === 'another worker' ? another() : {});
			await buyFor('A-1', run());
			const other = await buyFor('A-1', run(), { prepayTimeType: 'WEEK' });
			expect(textOf(other)).toContain("The key 'A-1' was used for another order");
			expect(textOf(other)).toContain('Each order needs a key of its own');
			expect(customer.paid).toBe(1);
		},
	);

	it('is one of each node', async () => {
		for (const _node of [1, 2]) expect((await buyFor('A-1', oneNode()())).error).toBeUndefined();
		expect(customer.paid).toBe(2);
	});

	it('is that of the key as it was typed, without spaces around it', async () => {
		const next = oneNode();
		for (const key of ['A-1', ' A-1 ', 'a-1', 1, '1']) await buyFor(key, next());
		expect(customer.paid).toBe(3);
	});
});

describe('A key that is none', () => {
	it.each([
		[''],
		['  '],
		[undefined],
		[null],
		[{ a: 1 }],
		[12345678901234567890],
		['x'.repeat(201)],
	])('is an error before anything is bought: %j', async (key) => {
		const items = [...shopOrders('A-1'), ...shopOrders(key)];
		const options = { maxOrdersPerRun: 5 };
		const result = await customer.buy({ ...ONCE, options }, { ...oneNode()(), items });
		expect(textOf(result)).toMatch(/'Key'/);
		expect(customer.requests(API.createorder)).toEqual([]);
	});
});

it('Items with keys need not be left out when they are run again', async () => {
	const next = oneNode();
	const items = shopOrders('A-1', 'A-2');
	const run = async () =>
		await customer.buy({ ...ONCE, options: { maxOrdersPerRun: 2 } }, { ...next(), items });
	void customer
		.asked(API.createorder)
		.then(() =>
			customer.sandbox.faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 }),
		);
	const failed = await run();
	expect(textOf(failed)).toContain(customer.payments[0].orderId);
	expect(textOf(failed)).not.toContain('bought again');
	expect(records(await run()).map(({ created }) => created)).toEqual([false, true]);
	expect(customer.paid).toBe(2);
});

describe('A key whose purchase is unclear', () => {
	it('that was paid is found by Retry, and told to others from then on', async () => {
		const next = oneNode();
		customer.sandbox.settings.newOrderLagSeconds = 60;
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: API.createorder, times: 1 });
		const lost = next(another());
		const { saved, error } = await buyFor('A-1', lost);
		expect(error?.message).toMatch(UNCLEAR);
		await sleep(2 * MINUTE);
		expect(textOf(await buyFor('A-1', next(another())))).toMatch(USED);
		const retry = { ...next(another()), retryOf: saved, retriedExecutionId: lost.executionId };
		expect(records(await buyFor('A-1', retry))).toMatchObject([{ created: true, verified: true }]);
		const [{ orderId }] = customer.payments;
		expect(records(await buyFor('A-1', next(another())))).toMatchObject([
			{ created: false, orderid: orderId },
		]);
		expect(customer.paid).toBe(1);
	});

	it.each([4, 60])(
		'for two workers at once (list %i s late): it is claimed by one, and by none of their retries again',
		async (newOrderLagSeconds) => {
			const next = oneNode();
			Object.assign(customer.sandbox.settings, { newOrderLagSeconds });
			await untilWindowAge(3000);
			// The second one gets -114, and looks before the first one knows
			const { faults } = customer.sandbox;
			faults.add({ kind: 'delay', ms: 20_000, when: 'after', path: API.createorder, times: 1 });
			const { runs, results } = await byTwoAtOnce(next);
			expect(results.flatMap(records).map(({ created }) => created)).toEqual([true]);
			await sleep(12 * MINUTE);
			const lost = results.findIndex(({ error }) => error !== undefined);
			expect(textOf(results[lost])).toMatch(UNCLEAR);
			const retry = { retryOf: results[lost].saved, retriedExecutionId: runs[lost].executionId };
			const [again] = records(await buyFor('A-1', { ...next(another()), ...retry }));
			expect(again.created).toBe(false);
			expect(customer.paid).toBe(1);
		},
	);

	it('for two workers at once is bought by one of their retries', async () => {
		const next = oneNode();
		await untilWindowAge(3000);
		customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: API.createorder, times: 2 });
		const { runs, results } = await byTwoAtOnce(next);
		expect(customer.paid).toBe(0);
		await sleep(12 * MINUTE);
		customer.sandbox.faults.add({ kind: 'delay', ms: 5000, path: API.createorder });
		const retries = results.map(async ({ saved }, index) => {
			await sleep(index * 1000);
			const retry = { retryOf: saved, retriedExecutionId: runs[index].executionId };
			return await buyFor('A-1', { ...next(another()), ...retry });
		});
		await Promise.all(retries);
		expect(customer.paid).toBe(1);
	});

	it('leaves other keys alone', async () => {
		const next = oneNode();
		customer.sandbox.faults.add(missed(API.createorder));
		expect((await buyFor('A-1', next())).error).toBeDefined();
		expect(records(await buyFor('A-2', next()))[0].created).toBe(true);
		expect(customer.paid).toBe(1);
	});
});

it('Without records of n8n, nothing is bought for a key', async () => {
	n8nRecords.isOut = true;
	const result = await buyFor('A-1', oneNode()());
	expect(textOf(result)).toContain("n8n can't read for which keys this node has bought");
	expect(customer.requests(API.createorder)).toEqual([]);
});

it('A dry run takes no key', async () => {
	const next = oneNode();
	const options = { dryRun: true };
	const [dry] = records(await buyFor('A-1', next(another()), { options }));
	expect(dry.wouldCreate).toBe(true);
	expect(records(await buyFor('A-1', next(another())))[0].created).toBe(true);
	expect(customer.paid).toBe(1);
});

describe('As a tool of an agent', () => {
	const fields = { ...ONCE, onceKey: 'A-1', options: { maxOrdersPerRun: 5 } };

	it.each(['atOnce', 'oneByOne'] as const)(
		'called three times %s, in two executions on two workers, it buys once',
		async (how) => {
			const next = oneNode();
			const outputs: string[] = [];
			for (const _execution of [1, 2]) {
				const agent = toolCalls(3, outputs, how);
				await customer.buy(fields, { ...next(another()), agent });
				await sleep(HOUR);
			}
			expect(customer.paid).toBe(1);
			const [{ orderId }] = customer.payments;
			expect(outputs).toHaveLength(6);
			for (const output of outputs) expect(output).toContain(orderId);
			expect(outputs.filter((output) => /"created":\s*true/.test(output))).toHaveLength(1);
		},
	);

	it('keeps no key of a call that is refused before it is sent, beside another one', async () => {
		const next = oneNode();
		const said = { product: "={{ $fromAI('product') }}", onceKey: "={{ $fromAI('key') }}" };
		const size = { tpsMaxBandwidth: 5, tpsMaxRps: 5 };
		const calls = [
			{ product: 'TPS', key: 'A-1' },
			{ product: 'OPS', key: 'A-2' },
		];
		const call = async (which: readonly object[]) => {
			const outputs: string[] = [];
			const agent = callsOfOneAnswer(which, outputs);
			const options = { maxOrdersPerRun: 1 };
			await customer.buy({ ...ONCE, ...said, ...size, options }, { ...next(another()), agent });
			return outputs;
		};
		const outputs = await call(calls);
		expect(outputs.join()).toContain("'Max Orders per Execution' allows 1");
		expect(outputs.join()).toMatch(/"created":\s*true/);
		expect(customer.paid).toBe(1);
		// Asked for the same once more, the one gives what was bought, and the other one buys
		const again = await Promise.all(calls.map(async (one) => await call([one])));
		expect(again.flat().filter((text) => /"created":\s*true/.test(text))).toHaveLength(1);
		expect(customer.paid).toBe(2);
	});
});
