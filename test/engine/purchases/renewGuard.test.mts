import type { IDataObject } from 'n8n-workflow';

import type { Fault, Order } from '../../../sandbox/sandbox.mts';
import { DAY, HOUR } from '../../durations.mts';
import { Customer, EXPIRY, LIST, ORDER_INFO, RENEW, textOf } from '../support/customer.mts';
import type { RunResult, RunSettings } from '../support/engine.mts';
import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { sleep } from '../support/sleep.mts';
import type { TestBed } from '../support/testBed.mts';

/*
 * That a renewal is paid once, and only when it is wanted. What was paid is what the ledger of the
 * sandbox says.
 */

const ALWAYS: IDataObject = { renewWhen: 'always' };
const WEEK: IDataObject = { timeType: 'WEEK', timeNumber: 1 };
const PER_IP: IDataObject = { renewalOf: 'perIp', dpsIpCount: 1000 };
const RETRY: RunSettings['settings'] = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const CONTINUE: RunSettings['settings'] = { onError: 'continueRegularOutput' };
const UNCLEAR = 'The order may have been renewed: ';
const MISSED: Fault = { kind: 'cut', when: 'before', path: RENEW, times: 1 };
const LOST: Fault = { kind: 'cut', when: 'after', path: RENEW, times: 1 };

/** The moved clock of a sandbox must not make signatures too old. */
const ANY_TIME = { timestampToleranceSeconds: 1_000_000_000 };

function records({ items }: RunResult): IDataObject[] {
	return items.map(({ json }) => json);
}

function endOf({ expiresAt }: Order): number {
	return expiresAt?.getTime() ?? NaN;
}

/** Blocks what is asked after a renewal, and not what is asked before. */
async function blindAfterRenewal(customer: Customer): Promise<void> {
	await customer.asked(RENEW);
	customer.sandbox.faults.add({ kind: 'status', status: 503, path: EXPIRY });
}

const slowly: Fault = { kind: 'delay', ms: 300, path: RENEW };

itWithOwnBed(
	{
		async 'an order with more than 3 days left passes at no cost'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(3 * DAY + HOUR);
			const result = await customer.renew(order);
			expect(result.error).toBeUndefined();
			expect(records(result)).toEqual([
				{
					renewed: false,
					reason: 'The order has more than 3 days left, so nothing was bought',
					expire_time: expect.any(String),
					expiresAt: expect.any(String),
					secondsLeft: expect.any(Number),
				},
			]);
			const [{ expiresAt, secondsLeft }] = records(result);
			expect(Date.parse(String(expiresAt))).toBe(endOf(order));
			expect(Number(secondsLeft) / 3600).toBeCloseTo(73, 1);
			expect(result.hints).toEqual([]);
			expect(customer.calls).toEqual([EXPIRY, ORDER_INFO]);
			expect(customer.paid).toBe(0);
		},

		async 'an order that another process renews at the same time is not renewed twice'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			// The service accepts one renewal per second, so the second one is refused
			customer.sandbox.faults.add({ kind: 'code', code: -120, path: RENEW, times: 1 });
			const [result] = await Promise.all([
				customer.renew(order, WEEK),
				customer.asked(RENEW).then(() => {
					order.expiresAt = new Date(endOf(order) + 7 * DAY);
				}),
			]);
			expect(records(result)).toEqual([expect.objectContaining({ renewed: false })]);
			expect(customer.calls).toEqual([EXPIRY, RENEW, EXPIRY, ORDER_INFO]);
			expect(customer.paid).toBe(0);
		},

		async 'a refused renewal that nobody else makes is sent again, and not asked for as lost'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({ kind: 'code', code: -120, path: RENEW, times: 1 });
			const result = await customer.renew(order, WEEK);
			expect(records(result)).toEqual([expect.objectContaining({ renewed: true })]);
			expect(customer.calls).toEqual([EXPIRY, RENEW, EXPIRY, RENEW]);
			expect(customer.paid).toBe(1);
		},

		async 'where nothing can be asked after a refusal for the pace, it is unclear'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({ kind: 'code', code: -120, path: RENEW, times: 1 });
			const [result] = await Promise.all([
				customer.renew(order, WEEK),
				customer
					.asked(RENEW)
					.then(() => customer.sandbox.faults.add({ kind: 'status', status: 503, path: EXPIRY })),
			]);
			// The refused delivery may be the second one of a gateway that brings requests twice
			expect(textOf(result)).toContain(UNCLEAR);
			expect(customer.requests(RENEW)).toHaveLength(1);
		},

		async 'an order with less is renewed, and the renewal is no longer looked for'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(3 * DAY - HOUR);
			const before = endOf(order);
			const result = await customer.renew(order, WEEK);
			expect(records(result)).toEqual([
				expect.objectContaining({ orderid: order.orderId, renewed: true }),
			]);
			expect(records(result)[0]).not.toHaveProperty('verified');
			expect(endOf(order)).toBe(before + 7 * DAY);
			expect(customer.calls).toEqual([EXPIRY, RENEW]);
			expect(customer.paid).toBe(1);
		},

		async 'the window may be in hours'(bed) {
			const customer = new Customer(bed);
			const fields = { expiringWithin: 5, expiringWithinUnit: 'hours' };
			const [later, sooner] = [customer.tunnel(6 * HOUR), customer.tunnel(4 * HOUR)];
			const passed = await customer.renew(later, fields);
			expect(records(passed)[0].reason).toContain('more than 5 hours left');
			expect(records(await customer.renew(sooner, fields))[0].renewed).toBe(true);
			expect(customer.payments.map(({ orderId }) => orderId)).toEqual([sooner.orderId]);
		},

		async 'a chosen order passes with its number, for the key pair of the account'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(10 * DAY);
			const result = await customer.renewByNumber(order);
			expect(records(result)).toEqual([
				expect.objectContaining({ orderid: order.orderId, renewed: false }),
			]);
			expect(customer.calls).toEqual([LIST]);
			expect(customer.paid).toBe(0);
		},

		async 'a schedule that runs twice renews once'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			const runs = [await customer.renew(order), await customer.renew(order)];
			expect(runs.flatMap(records).map(({ renewed }) => renewed)).toEqual([true, false]);
			expect(customer.paid).toBe(1);
		},

		async 'executions that overlap renew once, whichever key pair they have'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			// So slow that all could look before the first one is renewed
			customer.sandbox.faults.add({ ...slowly, ms: 1000 });
			const runs = await Promise.all([
				customer.renew(order),
				customer.renew(order),
				customer.renewByNumber(order),
				customer.renewByNumber(order, {}, { credential: { signType: 'token' } }),
			]);
			expect(runs.flatMap(records).filter(({ renewed }) => renewed === true)).toHaveLength(1);
			expect(runs.flatMap(records).filter(({ renewed }) => renewed === false)).toHaveLength(3);
			expect(customer.requests(RENEW)).toHaveLength(1);
			expect(customer.paid).toBe(1);
		},

		async 'one that is cancelled while it waits for another lets the next one through'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({ ...slowly, ms: 1500 });
			const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
			const first = customer.renew(order);
			await customer.asked(RENEW);
			const second = customer.renew(order, {}, { cancelWhen: sleep(100) });
			const third = customer.renew(order);
			const [one, two, three] = await Promise.all([first, second, third]);
			log.mockRestore();
			expect(records(one)[0].renewed).toBe(true);
			expect(two.status).not.toBe('success');
			expect(records(three)[0].renewed).toBe(false);
			expect(customer.requests(EXPIRY)).toHaveLength(2);
			expect(customer.paid).toBe(1);
		},

		async 'a failed look gives the turn to the next one'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({ kind: 'status', status: 500, path: EXPIRY, times: 1 });
			const runs = await Promise.all([customer.renew(order), customer.renew(order)]);
			expect(runs.filter(({ error }) => error !== undefined)).toHaveLength(1);
			expect(customer.paid).toBe(1);
		},

		async 'two items with the same order renew it once'(bed) {
			const customer = new Customer(bed);
			const { orderId } = customer.tunnel(DAY);
			const other = customer.tunnel(DAY);
			const orderid = { __rl: true, mode: 'code', value: '={{ $json.id }}' };
			const result = await customer.renewByNumber(
				other,
				{ orderid },
				{ items: [{ id: orderId }, { id: other.orderId }, { id: orderId }] },
			);
			expect(result.error).toBeUndefined();
			expect(records(result).map(({ orderid: id, renewed }) => [id, renewed])).toEqual([
				[orderId, true],
				[other.orderId, true],
				[orderId, false],
			]);
			expect(customer.payments.map((each) => each.orderId)).toEqual([orderId, other.orderId]);
		},

		async 'always renews each time'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(30 * DAY);
			await customer.renew(order, ALWAYS);
			await customer.renew(order, ALWAYS);
			expect(customer.paid).toBe(2);
		},

		async 'a renewal that is no longer than the window is refused before any request'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			for (const timeNumber of [2, 3]) {
				const result = await customer.renew(order, { timeType: 'DAY', timeNumber });
				expect(result.error?.message).toContain(`'Expiring Within' is "3 days"`);
				expect(result.error?.description).toContain("set 'Renew' to 'Always'");
			}
			expect(customer.calls).toEqual([]);
			const short = { timeType: 'DAY', timeNumber: 2 };
			await customer.renew(order, { ...short, ...ALWAYS });
			expect(customer.paid).toBe(1);
			const skipped = { ...short, expiringWithin: 20, options: { skipLocalChecks: true } };
			const result = await customer.renew(order, skipped);
			expect(records(result)[0].renewed).toBe(true);
			expect(customer.paid).toBe(2);
		},

		async 'an order that does not end is refused, and nothing is bought'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY, { payType: 'POST_PAY' });
			customer.sandbox.faults.add({ kind: 'status', status: 503, path: ORDER_INFO });
			const result = await customer.renew(order);
			expect(result.error?.message).toContain('has no expiry time');
			expect(result.error?.description).toContain('Nothing was bought for this item.');
			expect(customer.requests(RENEW)).toEqual([]);
		},

		async 'a failed look buys nothing and says so; always does without it'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({ kind: 'status', status: 502, path: EXPIRY });
			const result = await customer.renew(order);
			expect(result.error?.message).not.toContain('may have been');
			expect(result.error?.description).toContain('nothing was bought for this item.');
			expect(customer.requests(RENEW)).toEqual([]);
			expect(records(await customer.renew(order, ALWAYS))[0].renewed).toBe(true);
			expect(customer.paid).toBe(1);
		},

		async 'a failed look is repeated by Retry On Fail, and the order renewed once'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({ kind: 'status', status: 500, path: EXPIRY, times: 1 });
			const result = await customer.renew(order, {}, { settings: RETRY });
			expect(records(result)[0].renewed).toBe(true);
			expect(customer.paid).toBe(1);
		},

		async 'with Continue On Fail one failed look keeps no other order from being renewed'(bed) {
			const customer = new Customer(bed);
			customer.sandbox.faults.add({ kind: 'status', status: 500, path: EXPIRY, times: 1 });
			const orders = [customer.tunnel(DAY), customer.tunnel(DAY)];
			const orderid = { __rl: true, mode: 'code', value: '={{ $json.id }}' };
			const result = await customer.renewByNumber(
				orders[0],
				{ orderid },
				{ items: orders.map(({ orderId }) => ({ id: orderId })), settings: CONTINUE },
			);
			expect(records(result)).toEqual([
				{ error: expect.stringContaining('nothing was bought for this item.') },
				expect.objectContaining({ orderid: orders[1].orderId, renewed: true }),
			]);
			expect(customer.payments.map(({ orderId }) => orderId)).toEqual([orders[1].orderId]);
		},
	},
	ANY_TIME,
);

describe('by the clock of the service', () => {
	itWithOwnBed(
		{
			async 'an order comes into the window'(bed) {
				const customer = new Customer(bed);
				const order = customer.tunnel(30 * DAY);
				expect(records(await customer.renew(order))[0].renewed).toBe(false);
				customer.sandbox.clock.advance(28 * DAY);
				const end = endOf(order);
				const [record] = records(await customer.renew(order, WEEK));
				expect(record.renewed).toBe(true);
				expect(endOf(order)).toBe(end + 7 * DAY);
				expect(Number(record.secondsLeft) / 86_400).toBeCloseTo(9, 1);
				expect(customer.paid).toBe(1);
			},

			async 'an order that only ends by the clock of this machine passes'(bed) {
				const customer = new Customer(bed);
				const order = customer.tunnel(DAY);
				customer.sandbox.clock.advance(-20 * DAY);
				const [record] = records(await customer.renew(order));
				expect(record.renewed).toBe(false);
				expect(Number(record.secondsLeft) / 86_400).toBeCloseTo(21, 1);
				expect(customer.paid).toBe(0);
			},

			async 'an order that has ended is refused, and nothing is bought'(bed) {
				const customer = new Customer(bed);
				const order = customer.tunnel(DAY);
				customer.sandbox.clock.advance(6 * DAY);
				const result = await customer.renew(order, WEEK, { settings: RETRY });
				expect(result.error).toMatchObject({ httpCode: '-102' });
				expect(result.error?.message).toContain('has expired');
				expect(result.error?.description).toContain('nothing was bought for this item.');
				expect(customer.requests(RENEW)).toEqual([]);
				expect(customer.paid).toBe(0);
			},

			async 'an order that has ended is told with its number and end, for the account'(bed) {
				const customer = new Customer(bed);
				const order = customer.tunnel(DAY);
				customer.sandbox.clock.advance(6 * DAY);
				const result = await customer.renewByNumber(order, WEEK);
				expect(result.error?.description).toContain('Nothing was bought for this item.');
				expect(result.error?.message).toMatch(
					new RegExp(`Order ${order.orderId} ended at \\d{4}-\\S+ \\S+ \\(China time\\)`),
				);
				expect(customer.paid).toBe(0);
			},
		},
		ANY_TIME,
	);
});

describe('a renewal whose answer is lost', () => {
	const WAYS = {
		"with the order's key pair": async (customer: Customer, order: Order, fields: IDataObject) =>
			await customer.renew(order, fields),
		"with the account's key pair": async (customer: Customer, order: Order, fields: IDataObject) =>
			await customer.renewByNumber(order, fields),
		'with a token': async (customer: Customer, order: Order, fields: IDataObject) =>
			await customer.renewByNumber(order, fields, { credential: { signType: 'token' } }),
	};

	const found = (
		way: (customer: Customer, order: Order, fields: IDataObject) => Promise<RunResult>,
		fields: IDataObject,
	) =>
		async function (bed: TestBed): Promise<void> {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(LOST);
			const result = await way(customer, order, { ...WEEK, ...fields });
			expect(result.error).toBeUndefined();
			expect(records(result)).toEqual([
				{
					orderid: order.orderId,
					expire_time: expect.any(String),
					expiresAt: expect.any(String),
					secondsLeft: expect.any(Number),
					renewed: true,
					verified: true,
				},
			]);
			expect(Date.parse(String(records(result)[0].expiresAt))).toBe(endOf(order));
			expect(customer.requests(RENEW)).toHaveLength(1);
			expect(customer.requests(EXPIRY)).toHaveLength(2);
			expect(customer.paid).toBe(1);
		};

	itWithOwnBed({
		...Object.fromEntries(
			Object.entries(WAYS).flatMap(([name, way]) => [
				[`is found ${name}`, found(way, {})],
				[`is found ${name}, always`, found(way, ALWAYS)],
			]),
		),

		async 'is found as well where order numbers are numbers'(bed) {
			bed.sandbox.settings.orderNumbers = 'unsafe number';
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(LOST);
			expect(records(await customer.renew(order))[0]).toMatchObject({
				orderid: order.orderId,
				verified: true,
			});
		},

		async 'and comes late is found by the second look'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			const end = endOf(order);
			customer.sandbox.faults.add(LOST, { ...slowly, when: 'after' });
			const running = customer.renew(order, WEEK);
			await customer.asked(RENEW);
			await sleep(100);
			order.expiresAt = new Date(end);
			await customer.asked(EXPIRY, 2);
			await sleep(100);
			order.expiresAt = new Date(end + 7 * DAY);
			expect(records(await running)[0]).toMatchObject({ renewed: true, verified: true });
			expect(customer.requests(EXPIRY)).toHaveLength(3);
			expect(customer.paid).toBe(1);
		},

		async 'and was not made is unclear, and the text tells the expiry'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(MISSED);
			const result = await customer.renew(order, WEEK);
			expect(textOf(result)).toContain(UNCLEAR);
			expect(result.error?.description).toMatch(
				/looked again right afterwards: the order still ends at \d{4}-\S+ \S+ \(China time\)/,
			);
			expect(result.items).toEqual([]);
			expect(customer.requests(EXPIRY)).toHaveLength(3);
			expect(customer.requests(RENEW)).toHaveLength(1);
			expect(customer.paid).toBe(0);
		},

		async 'is unclear where the expiry moved by something else'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(MISSED, slowly);
			const running = customer.renew(order, WEEK);
			await customer.asked(RENEW);
			order.expiresAt = new Date(endOf(order) + 30 * DAY);
			const result = await running;
			expect(textOf(result)).toContain(UNCLEAR);
			expect(result.error?.description).toContain('which is not what this renewal would add');
			expect(customer.paid).toBe(0);
		},

		async 'is unclear where nothing can be asked afterwards; a repeated run does no harm'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(LOST, slowly);
			const [result] = await Promise.all([
				customer.renew(order, WEEK, { settings: RETRY }),
				blindAfterRenewal(customer),
			]);
			expect(textOf(result)).toContain(UNCLEAR);
			expect(customer.requests(RENEW)).toHaveLength(1);
			expect(customer.paid).toBe(1);

			customer.sandbox.faults.clear();
			const again = await customer.renew(order, WEEK);
			expect(records(again)).toEqual([expect.objectContaining({ renewed: false })]);
			expect(customer.paid).toBe(1);
		},

		async 'and was not made is made by a repeated run, once'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(MISSED);
			expect(textOf(await customer.renew(order, WEEK))).toContain(UNCLEAR);
			const again = [await customer.renew(order, WEEK), await customer.renew(order, WEEK)];
			expect(again.flatMap(records).map(({ renewed }) => renewed)).toEqual([true, false]);
			expect(customer.paid).toBe(1);
		},

		async 'and comes late is not taken for that of a later execution'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			const fields = { ...ALWAYS, ...WEEK };
			customer.sandbox.faults.add(MISSED);
			expect(textOf(await customer.renew(order, fields))).toContain(UNCLEAR);
			customer.sandbox.faults.add(MISSED, slowly);
			const running = customer.renew(order, fields);
			await customer.asked(RENEW, 2);
			order.expiresAt = new Date(endOf(order) + 7 * DAY);
			const result = await running;
			expect(textOf(result)).toContain(UNCLEAR);
			expect(result.error?.description).toContain('may also come from an earlier one');
			expect(result.items).toEqual([]);
		},

		async 'is not taken for another one that is made at the same time'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			const fields = { ...ALWAYS, ...WEEK };
			customer.sandbox.faults.add(MISSED);
			const runs = await Promise.all([
				customer.renew(order, fields),
				customer.renewByNumber(order, fields),
			]);
			const renewed = runs.flatMap(records).filter((record) => record.renewed === true);
			expect(renewed).toHaveLength(1);
			expect(runs.filter((run) => textOf(run).includes(UNCLEAR))).toHaveLength(1);
			expect(customer.requests(RENEW)).toHaveLength(2);
			expect(customer.paid).toBe(1);
		},

		async 'is found once for Retry On Fail, though a later item fails'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(LOST);
			const [result] = await Promise.all([
				customer.renew(
					order,
					{ ...ALWAYS, ...WEEK },
					{ items: [{}, {}], settings: { ...RETRY, maxTries: 2 } },
				),
				customer
					.asked(EXPIRY, 2)
					.then(() =>
						customer.sandbox.faults.add({ kind: 'code', code: -5, path: RENEW, times: 2 }),
					),
			]);
			expect(result.error?.description).toContain('(code -5)');
			expect(result.error?.description).toContain(`renewal of order ${order.orderId} (item 0)`);
			expect(customer.requests(RENEW)).toHaveLength(3);
			expect(customer.paid).toBe(1);
		},

		async 'is found with Continue On Fail beside one that was not made'(bed) {
			const customer = new Customer(bed);
			const orders = [customer.tunnel(DAY), customer.tunnel(DAY), customer.tunnel(DAY)];
			customer.sandbox.faults.add(LOST, MISSED);
			const orderid = { __rl: true, mode: 'code', value: '={{ $json.id }}' };
			const result = await customer.renewByNumber(
				orders[0],
				{ orderid },
				{ items: orders.map(({ orderId }) => ({ id: orderId })), settings: CONTINUE },
			);
			expect(records(result)).toEqual([
				expect.objectContaining({ orderid: orders[0].orderId, verified: true }),
				{ error: expect.stringContaining(UNCLEAR) },
				expect.objectContaining({ orderid: orders[2].orderId, renewed: true }),
			]);
			expect(customer.payments.map(({ orderId }) => orderId)).toEqual([
				orders[0].orderId,
				orders[2].orderId,
			]);
		},

		async 'and is cancelled while it is looked for stays unclear, and nothing more is sent'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(MISSED);
			const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
			let cancelledAt = NaN;
			const cancelWhen = customer
				.asked(EXPIRY, 2)
				.then(async () => await sleep(300))
				.then(() => (cancelledAt = performance.now()));
			const result = await customer.renew(order, WEEK, { cancelWhen });
			expect(performance.now() - cancelledAt).toBeLessThan(500);
			log.mockRestore();
			await sleep(2500);
			expect(result.saved).toContain(UNCLEAR);
			expect(customer.requests(EXPIRY)).toHaveLength(2);
			expect(customer.requests(RENEW)).toHaveLength(1);
			// And the order is free for the next one
			expect(records(await customer.renew(order, WEEK))[0].renewed).toBe(true);
		},

		async 'is found where IPs are added, by the IPs that are left'(bed) {
			const customer = new Customer(bed);
			const order = customer.perIp(50);
			customer.sandbox.faults.add(LOST);
			const result = await customer.renew(order, PER_IP);
			expect(records(result)).toEqual([
				{ orderid: order.orderId, ip_balance: 1050, renewed: true, verified: true },
			]);
			expect(customer.requests(RENEW)).toHaveLength(1);
			expect(customer.paid).toBe(1);
		},

		async 'and was not made is unclear where IPs are added, and the text tells how many are left'(
			bed,
		) {
			const customer = new Customer(bed);
			const order = customer.perIp(50);
			customer.sandbox.faults.add(MISSED);
			const result = await customer.renew(order, PER_IP, { settings: RETRY });
			expect(textOf(result)).toContain('The IPs may have been bought: ');
			expect(textOf(result)).toContain(`more IPs for order ${order.orderId}`);
			expect(textOf(result)).toContain('had 50 IPs before and has 50 now');
			expect(customer.requests(RENEW)).toHaveLength(1);
			expect(customer.paid).toBe(0);
		},
	});
});
