import type { IDataObject } from 'n8n-workflow';

import type { Fault, Order, Payment } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { many } from '../../many.mts';
import { uniqueName } from '../../uniqueName.mts';
import { moveDate, resetDate, until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer, FEWER, ORDER_KINDS, WEEK, WITHOUT_REPORT } from '../support/customer.mts';
import { lost, missed, slowly } from '../support/faults.mts';
import { records, textOf } from '../support/results.mts';
import { CONTINUE, elsewhere, RETRY, scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { itWithOwnBed, useWorkbench } from '../support/workbench.mts';
import { NO_LONGER_LATE_MS } from './guardedRenewals.mts';

/*
 * What the node says of an order whose answer was lost. What was really placed is what the ledger of
 * the sandbox says.
 */

const { bed } = useWorkbench();

const UNCLEAR = 'The order may have been placed: ';

/** The list before the first purchase succeeds while this one is not set yet. */
const BLIND: Fault = { kind: 'status', status: 500, path: API.getaccountorders };

const ids = (payments: readonly Payment[]): string[] => payments.map(({ orderId }) => orderId);

itWithOwnBed({
	async 'an order whose answer is lost is found, and paid once'(customer) {
		customer.tunnel(DAY);
		customer.tunnel(DAY);
		customer.sandbox.faults.add(lost(API.createorder));
		const result = await customer.buy(WITHOUT_REPORT, { settings: RETRY });
		expect(result.error).toBeUndefined();
		const [order] = customer.sandbox.store.ordersOf(customer.account).slice(-1);
		expect(records(result)).toEqual([
			{
				text: expect.stringContaining('Ordered 1 Tunnel Proxy order ('),
				orderid: ids(customer.payments)[0],
				...ORDER_KINDS.tunnel,
				created: true,
				verified: true,
				purchasedAt: expect.stringMatching(/\+08:00$/),
				expire_time: expect.any(String),
				expiresAt: expect.any(String),
				secondsLeft: expect.any(Number),
				daysLeft: expect.any(Number),
			},
		]);
		expect(Date.parse(String(records(result)[0].expiresAt))).toBe(
			Math.floor((order.expiresAt?.getTime() ?? 0) / 1000) * 1000,
		);
		// The last one is for the expiry
		expect(customer.calls).toEqual([
			API.getaccountorders,
			API.createorder,
			API.getaccountorders,
			API.getaccountorders,
		]);
		const statuses = customer
			.requests(API.getaccountorders)
			.map(({ parameters }) => parameters.status);
		expect(statuses).toEqual(['ALL', 'ALL', 'ALL']);
		expect(customer.paid).toBe(1);
	},

	async 'the list is read right before each purchase, and once for the expiry of all'(customer) {
		const result = await customer.buy(WITHOUT_REPORT, { items: [{}, {}, {}] });
		expect(customer.calls).toEqual([
			API.getaccountorders,
			API.createorder,
			API.getaccountorders,
			API.createorder,
			API.getaccountorders,
			API.createorder,
			API.getaccountorders,
		]);
		expect(records(result).some((record) => 'verified' in record)).toBe(false);
	},

	async 'each of several is found in turn, and none twice'(customer) {
		customer.sandbox.faults.add({ ...lost(API.createorder), times: 3 });
		const result = await customer.buy({}, { items: [{}, {}, {}] });
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ verified }) => verified)).toEqual([true, true, true]);
		expect(records(result).map(({ orderid }) => orderid)).toEqual(ids(customer.payments));
		expect(customer.requests(API.createorder)).toHaveLength(3);
		expect(customer.paid).toBe(3);
	},

	async 'an order whose answer is lost is told from the one before, which the list shows late as well'(
		customer,
	) {
		customer.sandbox.settings.newOrderLagSeconds = 4;
		const first = await customer.buy(WITHOUT_REPORT);
		customer.sandbox.faults.add(lost(API.createorder));
		const second = await customer.buy(WITHOUT_REPORT, { rootMode: 'trigger' });
		expect([first, second].flatMap(records).map(({ orderid }) => orderid)).toEqual(
			ids(customer.payments),
		);
		expect(records(second)).toEqual([expect.objectContaining({ verified: true })]);
		expect(customer.paid).toBe(2);
	},

	async 'a list that fails before keeps nothing from being bought, and nothing is claimed'(
		customer,
	) {
		customer.sandbox.faults.add(BLIND, lost(API.createorder));
		const running = customer.buy();
		await until(() => customer.paid === 1, 20_000);
		customer.sandbox.faults.clear();
		const result = await running;
		expect(textOf(result)).toContain(UNCLEAR);
		expect(result.error?.description).not.toContain('order list has');
		expect(customer.requests(API.createorder)).toHaveLength(1);
		expect(customer.paid).toBe(1);
	},

	async 'an order whose expiry cannot be read afterwards is a success without it, and paid once'(
		customer,
	) {
		customer.sandbox.faults.add({ kind: 'delay', ms: 500, path: API.createorder });
		const running = customer.buy(WITHOUT_REPORT, { settings: RETRY });
		await customer.asked(API.createorder);
		customer.sandbox.faults.add({ kind: 'code', code: -102, path: API.getaccountorders });
		const result = await running;
		expect(result.error).toBeUndefined();
		expect(records(result)).toEqual([
			{
				text: expect.stringContaining('Ordered 1 Tunnel Proxy order ('),
				orderid: ids(customer.payments)[0],
				...ORDER_KINDS.tunnel,
				created: true,
				purchasedAt: expect.stringMatching(/\+08:00$/),
			},
		]);
		expect(customer.calls).toEqual([API.getaccountorders, API.createorder, API.getaccountorders]);
		expect(customer.paid).toBe(1);
	},

	async 'one that comes late is not taken for a later item of the same run'(customer) {
		customer.sandbox.faults.add(missed(API.createorder), lost(API.createorder));
		const result = await customer.buy({}, { items: [{}, {}, {}], settings: CONTINUE });
		const [lostOrder, last] = ids(customer.payments);
		expect(records(result)).toMatchObject([
			{ error: expect.stringContaining('found no new order like this') },
			// It is the order of this item, which cannot be told from a late one of the item before
			{ error: expect.stringContaining(`what may be this order (${lostOrder})`) },
			{ orderid: last, created: true },
		]);
		expect(customer.paid).toBe(2);
		expect(customer.requests(API.createorder)).toHaveLength(3);
	},
});

describe('several executions at once', () => {
	const MIXES: Readonly<Record<string, Fault[]>> = {
		'nothing placed at all': [{ ...missed(API.createorder), times: 4 }],
		'the first one not placed': [missed(API.createorder)],
		'the first one not placed, the second one lost': [
			missed(API.createorder),
			lost(API.createorder),
		],
		'slow answers, the first one not placed, the second one lost': [
			{ ...slowly(API.createorder), ms: 1200, when: 'after' },
			missed(API.createorder),
			lost(API.createorder),
		],
		'no list for anybody': [lost(API.createorder), missed(API.createorder), BLIND],
	};

	const claimOnlyTheirOwn = (faults: Fault[]) => async (customer: Customer) => {
		customer.sandbox.faults.add(...faults);
		// Each wants a tunnel of its own, by which its order is known
		const wanted = many(4, (n) => n + 5);
		const results = await Promise.all(
			wanted.map(async (tpsMaxRps) => await customer.buy({ tpsMaxRps }, { settings: RETRY })),
		);
		const sent = customer.requests(API.createorder).map(({ parameters }) => parameters);
		expect(sent).toHaveLength(4);
		const placedFor = (tpsMaxRps: number) => {
			const own = sent.find((parameters) => Number(parameters['tps.max_rps']) === tpsMaxRps);
			return customer.payments.find(({ nonce }) => nonce === own?.nonce)?.orderId;
		};
		for (const [index, result] of results.entries()) {
			const claimed = records(result).map(({ orderid }) => orderid);
			if (claimed.length > 0) expect(claimed).toEqual([placedFor(wanted[index])]);
			else expect(textOf(result)).toContain(UNCLEAR);
		}
	};

	itWithOwnBed(
		Object.fromEntries(
			Object.entries(MIXES).map(([name, faults]) => [
				`claim only what they placed: ${name}`,
				claimOnlyTheirOwn(faults),
			]),
		),
	);
});

/*
 * The service may show late what was bought, or carry a request out long after the node has given it up. A
 * purchase that depends on what the service shows must not be made again meanwhile.
 */

interface Kind {
	readonly fields: IDataObject;
	order(customer: Customer): Order;
}

const PREPAID: Kind = { fields: WEEK, order: (customer) => customer.tunnel(DAY) };
const PER_IP: Kind = {
	fields: { renewalOf: 'perIp', dpsIpCount: 1000 },
	order: (customer) => customer.perIp(20),
};
const TRAFFIC: Kind = {
	fields: { renewalOf: 'traffic', fpsFlow: 6 },
	order: (customer) => customer.overseas(100),
};

const KEY_PAIRS = ['order', 'account'] as const;

/** A new order, and how it is renewed elsewhere with one key pair or the other. */
function setUp({ fields, order: orderOf }: Kind) {
	const customer = new Customer(bed());
	const order = orderOf(customer);
	const renew = async (keyPair: (typeof KEY_PAIRS)[number], more: IDataObject = {}) =>
		await customer[keyPair === 'order' ? 'renew' : 'renewByNumber'](
			order,
			{ ...fields, ...more },
			elsewhere(),
		);
	return { customer, renew };
}

describe.each<[string, Kind]>([
	['a prepaid order', PREPAID],
	['a pay-per-IP order', PER_IP],
	['an overseas order by traffic', TRAFFIC],
])('%s', (_kind, kind) => {
	it.each(KEY_PAIRS)(
		'is not renewed again while it may have been, with the key pair of the %s',
		async (keyPair) => {
			const { customer, renew } = setUp(kind);
			customer.sandbox.faults.add(missed(API.reneworder));
			expect(textOf(await renew(keyPair))).toMatch(/ may have been (?:renewed|bought): /);
			for (const options of [{}, { dryRun: true }]) {
				const again = await renew(keyPair === 'order' ? 'account' : 'order', { options });
				expect(again.error?.message).toMatch(
					/ may have been (?:renewed|bought): .+\. Nothing was bought this time$/,
				);
				expect(again.error?.description).toMatch(/Until .+, it may still show up/);
			}
			expect(customer.requests(API.reneworder)).toHaveLength(1);

			await sleep(NO_LONGER_LATE_MS);
			expect(records(await renew(keyPair))).toMatchObject([{ renewed: true }]);
			expect(customer.paid).toBe(1);
		},
	);
});

it.each(KEY_PAIRS.flatMap((first) => KEY_PAIRS.map((then) => [first, then] as const)))(
	'a prepaid order is renewed once while Kuaidaili shows it late, first with the key pair of the %s, then of the %s',
	async (first, then) => {
		const { customer, renew } = setUp(PREPAID);
		customer.sandbox.faults.add(
			{ kind: 'cache', path: API.getorderexpiretime },
			{ kind: 'cache', path: API.getaccountorders },
		);
		await customer.list();
		expect(records(await renew(first))).toMatchObject([{ renewed: true }]);
		const reason = expect.stringContaining('was renewed less than 10 minutes ago');
		expect(records(await renew(then))).toMatchObject([{ renewed: false, reason }]);
		const dry = { options: { dryRun: true } };
		expect(records(await renew(then, dry))).toMatchObject([{ wouldRenew: false, reason }]);

		await sleep(2 * NO_LONGER_LATE_MS);
		const again = expect.stringContaining('This node renewed the order from this end already, at ');
		for (const fields of [{}, { renewWhen: 'always' }]) {
			expect(records(await renew(then, fields))).toMatchObject([{ renewed: false, reason: again }]);
		}
		expect(customer.paid).toBe(1);
		customer.sandbox.faults.clear();
	},
);

it('a renewal that the service carries out after the node has given it up is not made again', async () => {
	const customer = new Customer(bed());
	const order = customer.tunnel(DAY);
	customer.sandbox.faults.add({
		kind: 'delay',
		ms: 20_000,
		when: 'before',
		path: API.reneworder,
		times: 1,
	});
	const fields = { ...WEEK, options: { timeout: 3 } };
	const renew = async () => await customer.renew(order, fields, elsewhere());
	expect(textOf(await renew())).toContain('The order may have been renewed: ');
	expect(textOf(await renew())).toContain('Nothing was bought this time');
	await sleep(20_000);
	expect(records(await renew())).toMatchObject([{ renewed: false }]);
	expect(customer.paid).toBe(1);
});

it('an order that may have been placed is not ordered again by a later execution for 10 minutes', async () => {
	const customer = new Customer(bed());
	customer.sandbox.faults.add(missed(API.createorder));
	const buy = async (fields: IDataObject = {}) =>
		await customer.buy({ ...FEWER, ...fields }, elsewhere());
	expect(textOf(await buy())).toContain(UNCLEAR);
	for (const options of [{}, { dryRun: true }]) {
		expect(textOf(await buy({ options }))).toContain('Nothing was bought this time');
	}
	expect(customer.requests(API.createorder)).toHaveLength(1);

	await sleep(NO_LONGER_LATE_MS);
	expect(records(await buy())).toMatchObject([{ created: true }]);
	expect(customer.paid).toBe(1);
});

describe('without a pace, and with the records of n8n', () => {
	const { customer } = useWorkbench({ rateLimits: false, withRecords: true });
	afterEach(resetDate);

	it('two lost answers for different products are found, each with its own order', async () => {
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: API.createorder, times: 2 });
		const [tunnel, open] = await Promise.all([
			customer.buy({}, scheduled()),
			customer.buy({ product: 'OPS' }, scheduled()),
		]);
		expect([tunnel.error, open.error]).toEqual([undefined, undefined]);
		const found = [...records(tunnel), ...records(open)];
		expect(found.map(({ verified, product }) => [verified, product])).toEqual([
			[true, 'TPS'],
			[true, 'OPS'],
		]);
		expect(found.map(({ orderid }) => orderid).sort()).toEqual(
			customer.payments.map(({ orderId }) => orderId).sort(),
		);
		expect(customer.paid).toBe(2);
	});

	it('An unclear renewal is made by the same execution a day later, where it shows that it was not', async () => {
		const order = customer.tunnel(2 * DAY);
		customer.sandbox.faults.add(missed(API.reneworder));
		void customer.asked(API.getaccountorders, 2).then(() => moveDate(DAY));
		const run = { ...scheduled(), settings: CONTINUE, runs: 2 };
		const { itemsOfRuns } = await customer.renewByNumber(order, WEEK, run);
		expect(itemsOfRuns.map(([{ json }]) => json.renewed)).toEqual([undefined, true]);
		expect(customer.paid).toBe(1);
	});

	it('An unclear new order ends the run, which names what was not tried; a retry buys that', async () => {
		const items = many(4, (n) => ({ n }));
		const run = { items, ...scheduled(), settings: { id: uniqueName('node') } };
		customer.sandbox.faults.add(missed(API.createorder));
		const failed = await customer.buy({}, run);
		expect(textOf(failed)).toContain('The order may have been placed: ');
		expect(textOf(failed)).toContain('Not tried: items 1, 2, 3.');
		expect(customer.requests(API.createorder)).toHaveLength(1);
		const retry = { executionId: uniqueName('execution'), retryOf: failed.saved };
		const retried = await customer.buy({}, { items, settings: run.settings, ...retry });
		expect(customer.paid).toBe(3);
		for (const { orderId } of customer.payments) expect(textOf(retried)).toContain(orderId);
	});

	it.each(
		[-120, -112, -999].flatMap((code) =>
			[API.createorder, API.reneworder].map((path) => [code, path] as const),
		),
	)(
		'A refusal (%i) that comes while the first delivery of %s is still at work: paid once, and told',
		async (code, path) => {
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({ kind: 'code', code, path, times: 1 });
			// The other delivery takes four seconds
			void customer.asked(path).then(async () => {
				await sleep(4000);
				if (path === API.createorder) customer.tunnel(DAY);
				else order.expiresAt = new Date((order.expiresAt?.getTime() ?? 0) + 7 * DAY);
			});
			const result =
				path === API.createorder
					? await customer.buy({}, scheduled())
					: await customer.renewByNumber(order, WEEK, scheduled());
			expect(customer.requests(path)).toHaveLength(1);
			expect(result.error).toBeUndefined();
			expect(records(result)[0]).toMatchObject({ verified: true });
		},
	);
});
