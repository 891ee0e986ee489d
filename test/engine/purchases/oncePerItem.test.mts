import type { IDataObject } from 'n8n-workflow';

import type { Fault } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { many } from '../../many.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { Customer, FEWER, picked, typed, WEEK, WEEK_ALWAYS } from '../support/customer.mts';
import { recordedTexts, useDeduplicationRecords } from '../support/deduplication.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { hintsOf, records, renewed, textOf } from '../support/results.mts';
import { RETRY, scheduled } from '../support/runSettings.mts';
import { toolCalls } from '../support/toolCalls.mts';
import { useWorkbench } from '../support/workbench.mts';

/* What every purchase goes by: see "One way" in the development docs. */

const { bed, customer } = useWorkbench({ rateLimits: false });

describe.each([
	['a new order', API.createorder],
	['a renewal', API.reneworder],
])('%s', (_what, path) => {
	const buy = async (customer: Customer, settings = {}) =>
		path === API.createorder
			? await customer.buy({}, settings)
			: await customer.renewByNumber(customer.tunnel(DAY), WEEK_ALWAYS, settings);

	it.each([-120, -112])('is sent four times at most where every answer is %i', async (code) => {
		customer.sandbox.faults.add({ kind: 'code', code, path });
		const result = await buy(customer);
		expect(result.error).toBeDefined();
		expect(customer.requests(path).length).toBeLessThanOrEqual(4);
		expect(textOf(result)).not.toContain('may have been');
		expect(customer.paid).toBe(0);
	});

	it.each([-120, -112, -999, -114, -109, -4, -5, -6, -61])(
		'that was done but answered with %i is paid once, and counts',
		async (code) => {
			customer.sandbox.faults.add({ kind: 'code', code, when: 'after', path, times: 1 });
			const [record] = records(await buy(customer));
			const { amountInFen, orderId } = customer.payments[0];
			expect(record).toMatchObject({ orderid: orderId, verified: true, cost: amountInFen / 100 });
			expect(record.purchasedAt).toMatch(/^\d{4}-.*\+08:00$/);
			expect(customer.requests(path)).toHaveLength(1);
			expect(customer.paid).toBe(1);
		},
	);

	it.each([-999, -4])('that is refused with %i, and changed nothing, is refused', async (code) => {
		customer.sandbox.faults.add({ kind: 'code', code, path, times: 1 });
		const result = await buy(customer);
		expect(textOf(result)).toContain(`${code}`);
		expect(textOf(result)).not.toContain('may have been');
		expect(customer.requests(path)).toHaveLength(1);
		expect((await buy(customer, { ...scheduled() })).error).toBeUndefined();
		expect(customer.paid).toBe(1);
	});
});

it('An IP order that is in use while it is renewed is renewed, whatever the answer reads', async () => {
	const order = customer.perIp(90);
	const data = { orderid: order.orderId, expire_time: '2027-01-01 00:00:00', ip_balance: 80 };
	const body = JSON.stringify({ code: 0, msg: '', data });
	customer.sandbox.faults.add({ kind: 'raw', body, when: 'after', path: API.reneworder, times: 1 });
	const fields = { renewalOf: 'perIp', dpsIpCount: 1000, renewWhen: 'always' };
	const result = await customer.renewByNumber(order, fields);
	expect(result.error).toBeUndefined();
	expect(records(result)[0]).toMatchObject({ orderid: order.orderId, renewed: true });
	expect(customer.paid).toBe(1);
});

describe('Two processes at once', () => {
	it('look again after one has waited for its turn', async () => {
		const [first, order] = [customer.tunnel(DAY), customer.tunnel(DAY)];
		const { secretId } = first.keys;
		customer.sandbox.faults.add({
			kind: 'delay',
			ms: 5000,
			path: API.reneworder,
			secretId,
			times: 1,
		});
		// Purchases of an account that read its balance wait for each other
		const slow = customer.renewByNumber(first, WEEK, scheduled());
		await customer.asked(API.reneworder);
		const waiting = customer.renewByNumber(order, WEEK, scheduled());
		await customer.asked(API.getorderexpiretime, 2);
		const engine = bed().engine.anotherProcess();
		await customer.renewByNumber(order, WEEK, { engine, ...scheduled() });
		const results = await Promise.all([slow, waiting]);
		expect(results.flatMap(records).map(({ renewed }) => renewed)).toEqual([true, false]);
		expect(customer.paid).toBe(2);
	});

	it('that both lose their answers claim nothing that is not theirs', async () => {
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: API.createorder, times: 2 });
		const engines = [bed().engine, bed().engine.anotherProcess()];
		const results = await Promise.all(
			engines.map(async (engine) => await customer.buy({}, { engine, ...scheduled() })),
		);
		const verified = results.flatMap(records).filter((record) => record.verified === true);
		expect(new Set(verified.map(({ orderid }) => orderid)).size).toBe(verified.length);
		expect(customer.paid).toBe(2);
	});
});

describe('Attempts to make it pay twice, go beyond a limit, lose what was paid, or tell a secret', () => {
	beforeAll(useDeduplicationRecords);

	const paidOrders = (customer: Customer) => customer.payments.map(({ orderId }) => orderId);

	it('Twenty executions of one node at once place one order where one is enough, though some answers get lost', async () => {
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: API.createorder, times: 3 });
		const results = await Promise.all(many(20, async () => await customer.buy(FEWER, scheduled())));
		const created = results.flatMap(records).filter((record) => record.created === true);
		expect(created).toHaveLength(1);
		expect(customer.paid).toBe(1);
	});

	describe('An agent that calls the tool five times at once', () => {
		it.each<[string, IDataObject, number]>([
			["is held by 'Max Orders'", { options: {} }, 1],
			["is held by a higher 'Max Orders'", { options: { maxOrdersPerRun: 3 } }, 3],
			[
				'is held by a budget',
				{ options: { maxOrdersPerRun: 50, maxCostPerRun: 12, expectedCost: 6 } },
				2,
			],
			['is held by a condition', { ...FEWER, options: { maxOrdersPerRun: 50 } }, 1],
		])('%s', async (_what, fields, paid) => {
			const outputs: string[] = [];
			await customer.buy(fields, { ...scheduled(), agent: toolCalls(5, outputs, 'atOnce') });
			expect(customer.paid).toBe(paid);
			for (const orderId of paidOrders(customer)) expect(outputs.join('\n')).toContain(orderId);
		});

		it('renews one order once', async () => {
			const order = customer.tunnel(DAY);
			const outputs: string[] = [];
			const agent = toolCalls(5, outputs, 'atOnce');
			await customer.renewByNumber(order, WEEK_ALWAYS, { ...scheduled(), agent });
			expect(customer.paid).toBe(1);
		});
	});

	it.each([null, 'abc', '', -5, 0.5, '1e3', [], {}, true, 'NaN'])(
		'An expression that gives %j is never an order without a condition',
		async (value) => {
			const given = `={{ ${value === null ? undefined : JSON.stringify(value)} }}`;
			for (const fields of [{ fewerThan: given }, { createWhen: given }]) {
				const result = await customer.buy({ ...FEWER, ...fields }, scheduled());
				expect(result.error).toBeDefined();
				expect(customer.paid).toBe(0);
			}
		},
	);

	const raw = (data: unknown): Fault => ({
		kind: 'raw',
		when: 'after',
		body: JSON.stringify({ code: 0, msg: '', data }),
	});

	it.each<[string, Fault]>([
		['names no order', raw({})],
		['has null in place of the order', raw({ orderid: null })],
		['has no data', raw('')],
		['has a list', raw([])],
		['has a number that lost its digits', raw({ orderid: { toString: 'x' } })],
		['is empty', { kind: 'raw', when: 'after', body: '' }],
		['comes after 8 seconds', { kind: 'delay', ms: 8000, when: 'after' }],
		['comes after the work began late, by 8 seconds', { kind: 'delay', ms: 8000 }],
		['comes after the work began late, by 14 seconds', { kind: 'delay', ms: 14_000 }],
		['comes byte by byte', { kind: 'drip', ms: 300, bytes: 4 }],
	])('An answer that %s leaves one payment, and its order is told', async (_what, fault) => {
		const order = customer.tunnel(DAY);
		const { faults } = customer.sandbox;
		faults.add(
			{ ...fault, path: API.createorder, times: 1 },
			{ ...fault, path: API.reneworder, times: 1 },
		);
		const options = { timeout: 5, maxOrdersPerRun: 2 };
		const settings = RETRY;
		const created = await customer.buy({ options }, { ...scheduled(), settings });
		const fields = { ...WEEK_ALWAYS, options };
		const renewed = await customer.renewByNumber(order, fields, { ...scheduled(), settings });
		expect([created.error, renewed.error]).toEqual([undefined, undefined]);
		expect(records(created)[0].orderid).toBe(
			customer.payments.find(({ kind }) => kind === 'create')?.orderId,
		);
		expect(records(renewed)[0]).toMatchObject({ orderid: order.orderId, renewed: true });
		expect(customer.payments.map(({ kind }) => kind).sort()).toEqual(['create', 'renew']);
	});

	it('Each purchase is in the log as soon as it is paid, for whoever kills the worker', async () => {
		const info = jest.spyOn(n8nLogger, 'info').mockReturnValue();
		const executionId = uniqueName('execution');
		await customer.renewEach([customer.tunnel(DAY)], WEEK_ALWAYS, { executionId });
		const logged = info.mock.calls.map(([message]) => message);
		info.mockRestore();
		const [orderId] = paidOrders(customer);
		expect(logged).toEqual([
			expect.stringMatching(
				new RegExp(
					`in execution ${executionId} paid for renewal of order ${orderId} \\(item 0\\)$`,
				),
			),
		]);
	});

	it('No secret stands in what n8n saves, logs, or records of purchases that go wrong', async () => {
		const { secretId, secretKey } = customer.account.keys;
		const order = customer.tunnel(DAY);
		const levels = ['error', 'warn', 'info', 'debug'] as const;
		const spies = levels.map((level) => jest.spyOn(n8nLogger, level).mockReturnValue());
		const { faults } = customer.sandbox;
		const saved: string[] = [];
		/** A run can hide only the keys that it has. */
		const echoes = (said: string): Fault[] => [
			{ kind: 'code', code: -999, msg: said },
			{ kind: 'code', code: -999, msg: said, when: 'after' },
			{ kind: 'raw', body: said },
			{ kind: 'status', status: 502, body: said },
			{ kind: 'html', body: `<b>${said}</b>`, when: 'after' },
		];
		const runs = [
			[API.createorder, secretKey, async (own: object) => await customer.buy({}, own)],
			[
				API.reneworder,
				`${secretKey} ${order.keys.secretKey}`,
				async (own: object) => await customer.renewByNumber(order, WEEK_ALWAYS, own),
			],
			[
				API.reneworder,
				order.keys.secretKey,
				async (own: object) => await customer.renew(order, WEEK_ALWAYS, own),
			],
		] as const;
		for (const [path, said, run] of runs) {
			for (const echo of echoes(said)) {
				for (const signType of ['hmacsha1', 'token']) {
					faults.add({ ...echo, path, times: 1 });
					const result = await run({ ...scheduled(), credential: { signType } });
					saved.push(result.saved, textOf(result));
				}
			}
		}
		const logged = spies.map((spy) => JSON.stringify(spy.mock.calls));
		for (const spy of spies) spy.mockRestore();
		const everything = [...saved, ...logged, ...recordedTexts()].join('\n');
		const tokens = customer
			.requests()
			.flatMap(({ parameters }) =>
				parameters.sign_type === 'token' ? [parameters.signature] : [],
			);
		const secrets = [secretKey, order.keys.secretKey, ...tokens];
		expect(secrets.filter((secret) => everything.includes(secret))).toEqual([]);
		expect(recordedTexts().join().includes(secretId)).toBe(false);
	});
});

describe('The same order twice in a run', () => {
	it('is told where the items have orders of their own, which an empty field is told to use', async () => {
		const orders = [customer.tunnel(DAY), customer.tunnel(DAY)];
		const items = orders.map(({ orderId: orderid }) => ({ orderid }));
		const DRAG = "drag 'orderid' from the input into 'Order'";
		const fixed = await customer.renewByNumber(orders[0], WEEK_ALWAYS, { items, ...scheduled() });
		expect(hintsOf(fixed)).toContain(DRAG);
		const orderid = typed('={{ $json.orderid }}');
		const each = await customer.renewAll({ ...WEEK, orderid }, { items, ...scheduled() });
		expect(hintsOf(each)).not.toContain(DRAG);
		const empty = picked('');
		const { error } = await customer.renewAll({ ...WEEK, orderid: empty }, { items });
		expect(error?.description).toContain('Drag'.concat(DRAG.slice(4)));
	});

	it('is renewed once in the runs of a loop', async () => {
		const order = customer.tunnel(DAY);
		const result = await customer.renewByNumber(order, WEEK_ALWAYS, { ...scheduled(), runs: 5 });
		expect(result.error).toBeUndefined();
		expect(customer.paid).toBe(1);
	});

	it.each([API.getorderexpiretime, API.reneworder])(
		'is renewed once although its key pair changes before %s',
		async (path) => {
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({ kind: 'changedKeyPair', code: -102, path, times: 1 });
			const fields = { ...WEEK_ALWAYS, timeNumber: '={{ $itemIndex + 1 }}' };
			const result = await customer.renewEach([order, order], fields, scheduled());
			expect(renewed(result)).toEqual([true, false]);
			expect(customer.paid).toBe(1);
		},
	);
});
