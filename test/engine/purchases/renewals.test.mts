import { DAY, HOUR } from '../../durations.mts';
import { moveDate } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer, ORDER_KINDS, WEEK, WITHOUT_REPORT } from '../support/customer.mts';
import { lost, missed, slowly } from '../support/faults.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { records, textOf } from '../support/results.mts';
import { RETRY } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { itWithOwnBed } from '../support/workbench.mts';
import { ALWAYS, ANY_TIME, endOf, NO_LONGER_LATE_MS, UNCLEAR } from './guardedRenewals.mts';

itWithOwnBed(
	{
		async 'an order with more than 3 days left passes at no cost'(customer) {
			const order = customer.tunnel(3 * DAY + HOUR);
			const result = await customer.renew(order);
			expect(result.error).toBeUndefined();
			expect(records(result)).toEqual([
				{
					orderid: order.orderId,
					...ORDER_KINDS.tunnel,
					renewed: false,
					reason: 'The order has more than 3 days left, so nothing was bought',
					text: `Tunnel Proxy order ${order.orderId} was not renewed: The order has more than 3 days left, so nothing was bought`,
					expire_time: expect.any(String),
					expiresAt: expect.any(String),
					secondsLeft: expect.any(Number),
					daysLeft: 3,
				},
			]);
			const [{ expiresAt, secondsLeft }] = records(result);
			expect(Date.parse(String(expiresAt))).toBe(endOf(order));
			expect(Number(secondsLeft) / 3600).toBeCloseTo(73, 1);
			expect(result.hints.map(({ message }) => message)).toEqual([
				'The order has more than 3 days left, so nothing was bought.',
			]);
			expect(customer.calls).toEqual([API.getorderinfo, API.getorderexpiretime]);
			expect(customer.paid).toBe(0);
		},

		async 'an order with less is renewed, and the renewal is no longer looked for'(customer) {
			const order = customer.tunnel(3 * DAY - HOUR);
			const before = endOf(order);
			const result = await customer.renew(order, WEEK);
			expect(records(result)).toEqual([
				expect.objectContaining({ orderid: order.orderId, renewed: true }),
			]);
			expect(records(result)[0]).not.toHaveProperty('verified');
			expect(endOf(order)).toBe(before + 7 * DAY);
			expect(customer.calls).toEqual([API.getorderinfo, API.getorderexpiretime, API.reneworder]);
			expect(customer.paid).toBe(1);
		},

		async 'the window may be in hours'(customer) {
			const fields = { expiringWithin: 5, expiringWithinUnit: 'hours' };
			const [later, sooner] = [customer.tunnel(6 * HOUR), customer.tunnel(4 * HOUR)];
			const passed = await customer.renew(later, fields);
			expect(records(passed)[0].reason).toContain('more than 5 hours left');
			expect(records(await customer.renew(sooner, fields))[0].renewed).toBe(true);
			expect(customer.payments.map(({ orderId }) => orderId)).toEqual([sooner.orderId]);
		},

		async 'always renews each time'(customer) {
			const order = customer.tunnel(30 * DAY);
			await customer.renew(order, ALWAYS);
			await customer.renew(order, ALWAYS);
			expect(customer.paid).toBe(2);
		},

		async 'a renewal that is no longer than the window is refused before any request'(customer) {
			const order = customer.tunnel(DAY);
			for (const [timeType, timeNumber, expiringWithin] of [
				['DAY', 2, 3],
				// An order that has ended would have three days left at most, and be renewed again
				['DAY', 3, 3],
				// The shortest month
				['MONTH', 1, 28],
			] as const) {
				const fields = { timeType, timeNumber, expiringWithin };
				const result = await customer.renew(order, fields);
				expect(result.error?.message).toContain(
					`'Expiring Within' can't be "${expiringWithin} days"`,
				);
				expect(result.error?.description).not.toContain('Always');
			}
			expect(customer.calls).toEqual([]);
			const short = { timeType: 'DAY', timeNumber: 2 };
			await customer.renew(order, { ...short, ...ALWAYS });
			expect(customer.paid).toBe(1);
			const month = { timeType: 'MONTH', timeNumber: 1, expiringWithin: 27 };
			expect(records(await customer.renew(customer.tunnel(DAY), month))[0].renewed).toBe(true);
			expect(customer.paid).toBe(2);
		},

		async 'an order that does not end is refused, and nothing is bought'(customer) {
			const order = customer.tunnel(DAY, { payType: 'POST_PAY' });
			for (const path of [API.getorderinfo, API.getaccountorders]) {
				customer.sandbox.faults.add({ kind: 'status', status: 503, path });
			}
			const result = await customer.renewByNumber(order, { renewalOf: 'prepaid' });
			expect(result.error?.message).toContain('has no expiry time');
			expect(result.error?.description).toContain('Nothing was bought for this item.');
			expect(customer.requests(API.reneworder)).toEqual([]);
		},

		async 'a failed look buys nothing and says so; always does without it'(customer) {
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({ kind: 'status', status: 502, path: API.getorderexpiretime });
			const result = await customer.renew(order);
			expect(result.error?.message).not.toContain('may have been');
			expect(result.error?.description).toContain('nothing was bought for this item.');
			expect(customer.requests(API.reneworder)).toEqual([]);
			expect(records(await customer.renew(order, ALWAYS))[0].renewed).toBe(true);
			expect(customer.paid).toBe(1);
		},
	},
	ANY_TIME,
);

describe('as time passes', () => {
	itWithOwnBed({
		async 'an order that has ended is refused, and nothing is bought'(customer) {
			const order = customer.tunnel(DAY);
			moveDate(6 * DAY);
			const result = await customer.renew(order, WEEK, { settings: RETRY });
			expect(result.error).toMatchObject({ httpCode: '-102' });
			expect(result.error?.message).toContain('has expired');
			expect(result.error?.description).toContain('nothing was bought for this item.');
			expect(customer.requests(API.reneworder)).toEqual([]);
			expect(customer.paid).toBe(0);
		},
	});
});

describe('a clock of the service that is days off', () => {
	const withClockOff = (leftDays: number, offDays: number, isDue: boolean) =>
		async function (customer: Customer): Promise<void> {
			const orders = [leftDays, leftDays].map((days) => customer.tunnel(days * DAY));
			customer.sandbox.clock.advance(offDays * DAY);
			const [own] = records(await customer.renew(orders[0], WEEK));
			const [listed] = records(await customer.renewByNumber(orders[1], WEEK));
			expect([own.renewed, listed.renewed]).toEqual([isDue, isDue]);
			expect(customer.paid).toBe(isDue ? 2 : 0);
		};

	itWithOwnBed(
		{
			'does not make an order due that is not': withClockOff(9, 8, false),
			'does not hide that an order is due': withClockOff(1, -10, true),
		},
		ANY_TIME,
	);
});

itWithOwnBed(
	{
		async 'an order that another process renews at the same time is not renewed twice'(customer) {
			const order = customer.tunnel(DAY);
			// The service accepts one renewal per second, so the second one is refused
			customer.sandbox.faults.add({ kind: 'code', code: -120, path: API.reneworder, times: 1 });
			const [result] = await Promise.all([
				customer.renew(order, WEEK),
				customer.asked(API.reneworder).then(() => {
					order.expiresAt = new Date(endOf(order) + 7 * DAY);
				}),
			]);
			// What the order shows is as after this renewal
			expect(records(result)).toMatchObject([{ renewed: true, verified: true }]);
			expect(customer.calls).toEqual([
				API.getorderinfo,
				API.getorderexpiretime,
				API.reneworder,
				API.getorderexpiretime,
			]);
			expect(customer.paid).toBe(0);
		},

		async 'executions that overlap renew once, whichever key pair they have'(customer) {
			const order = customer.tunnel(DAY);
			// So slow that all could look before the first one is renewed
			customer.sandbox.faults.add({ ...slowly(API.reneworder), ms: 1000 });
			const runs = await Promise.all([
				customer.renew(order),
				customer.renew(order),
				customer.renewByNumber(order),
				customer.renewByNumber(order, {}, { credential: { signType: 'token' } }),
			]);
			expect(runs.flatMap(records).filter(({ renewed }) => renewed === true)).toHaveLength(1);
			expect(runs.flatMap(records).filter(({ renewed }) => renewed === false)).toHaveLength(3);
			expect(customer.requests(API.reneworder)).toHaveLength(1);
			expect(customer.paid).toBe(1);
		},

		async 'one that is cancelled while it waits for another lets the next one through'(customer) {
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({ ...slowly(API.reneworder), ms: 1500 });
			const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
			const first = customer.renew(order);
			await customer.asked(API.reneworder);
			const second = customer.renew(order, {}, { cancelWhen: sleep(100) });
			const third = customer.renew(order);
			const [one, two, three] = await Promise.all([first, second, third]);
			log.mockRestore();
			expect(records(one)[0].renewed).toBe(true);
			expect(two.status).not.toBe('success');
			expect(records(three)[0].renewed).toBe(false);
			expect(customer.requests(API.getorderexpiretime)).toHaveLength(2);
			expect(customer.paid).toBe(1);
		},

		async 'a dry run with the key pair of the order tells the same end as the renewal'(customer) {
			const order = customer.tunnel(10 * DAY);
			const fields = { ...WEEK, ...ALWAYS };
			const dry = await customer.renew(order, { ...fields, options: { dryRun: true } });
			const [{ wouldEndAt, text }] = records(dry);
			const [{ expiresAt }] = records(await customer.renew(order, fields));
			expect(Date.parse(String(wouldEndAt))).toBeCloseTo(Date.parse(String(expiresAt)), -4);
			expect(text).toContain('expires in 10 days and would be renewed by 1 week');
		},
	},
	ANY_TIME,
);

/** Blocks what is asked after a renewal, and not what is asked before. */
async function blindAfterRenewal(customer: Customer): Promise<void> {
	await customer.asked(API.reneworder);
	customer.sandbox.faults.add({ kind: 'status', status: 503, path: API.getorderexpiretime });
}

describe('a renewal whose answer is lost', () => {
	const foundBy = (way: 'renew' | 'renewByNumber') =>
		async function (customer: Customer): Promise<void> {
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(lost(API.reneworder));
			const result = await customer[way](order, { ...WEEK, ...WITHOUT_REPORT });
			expect(result.error).toBeUndefined();
			expect(records(result)).toEqual([
				{
					orderid: order.orderId,
					...ORDER_KINDS.tunnel,
					expire_time: expect.any(String),
					expiresAt: expect.any(String),
					secondsLeft: expect.any(Number),
					daysLeft: expect.any(Number),
					renewed: true,
					verified: true,
					purchasedAt: expect.stringMatching(/\+08:00$/),
					text: expect.stringMatching(/^Renewed Tunnel Proxy order \d+ by 1 week, until \d{4}-/),
				},
			]);
			expect(Date.parse(String(records(result)[0].expiresAt))).toBe(endOf(order));
			expect(customer.requests(API.reneworder)).toHaveLength(1);
			expect(customer.requests(API.getorderexpiretime)).toHaveLength(2);
			expect(customer.paid).toBe(1);
		};

	itWithOwnBed({
		"is found with the order's key pair": foundBy('renew'),
		"is found with the account's key pair": foundBy('renewByNumber'),

		async 'and comes late is found by the second look'(customer) {
			const order = customer.tunnel(DAY);
			const end = endOf(order);
			customer.sandbox.faults.add(lost(API.reneworder), {
				...slowly(API.reneworder),
				when: 'after',
			});
			const running = customer.renew(order, WEEK);
			await customer.asked(API.reneworder);
			await sleep(100);
			order.expiresAt = new Date(end);
			await customer.asked(API.getorderexpiretime, 2);
			await sleep(100);
			order.expiresAt = new Date(end + 7 * DAY);
			expect(records(await running)[0]).toMatchObject({ renewed: true, verified: true });
			expect(customer.requests(API.getorderexpiretime)).toHaveLength(3);
			expect(customer.paid).toBe(1);
		},

		async 'and was not made is unclear, and the text tells the expiry'(customer) {
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(missed(API.reneworder));
			const result = await customer.renew(order, WEEK);
			expect(textOf(result)).toContain(UNCLEAR);
			expect(result.error?.description).toMatch(
				/checked again afterwards and found an end at \d{4}-\S+ \S+ \(\S+; \d{4}-\S+ \S+ in China\), as before/,
			);
			expect(result.items).toEqual([]);
			expect(customer.requests(API.getorderexpiretime)).toHaveLength(3);
			expect(customer.requests(API.reneworder)).toHaveLength(1);
			expect(customer.paid).toBe(0);
		},

		async 'is unclear where the expiry moved by something else'(customer) {
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(missed(API.reneworder), slowly(API.reneworder));
			const running = customer.renew(order, WEEK);
			await customer.asked(API.reneworder);
			order.expiresAt = new Date(endOf(order) + 30 * DAY);
			const result = await running;
			expect(textOf(result)).toContain(UNCLEAR);
			expect(result.error?.description).toContain('not what this renewal would change');
			expect(customer.paid).toBe(0);
		},

		async 'is unclear where nothing can be asked afterwards; a repeated run does no harm'(
			customer,
		) {
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(lost(API.reneworder), slowly(API.reneworder));
			const [result] = await Promise.all([
				customer.renew(order, WEEK, { settings: RETRY }),
				blindAfterRenewal(customer),
			]);
			expect(textOf(result)).toContain(UNCLEAR);
			expect(customer.requests(API.reneworder)).toHaveLength(1);
			expect(customer.paid).toBe(1);

			customer.sandbox.faults.clear();
			const again = await customer.renew(order, WEEK);
			expect(records(again)).toEqual([expect.objectContaining({ renewed: false })]);
			expect(customer.paid).toBe(1);
		},

		async 'is not made again by other executions meanwhile, without a condition either'(customer) {
			const order = customer.tunnel(DAY);
			const fields = { ...ALWAYS, ...WEEK };
			customer.sandbox.faults.add({ kind: 'delay', ms: 60_000, path: API.reneworder, times: 1 });
			const runs = await Promise.all([
				customer.renew(order, fields),
				customer.renewByNumber(order, fields),
			]);
			const texts = [...runs, await customer.renew(order, fields)].map(textOf);
			expect(texts).toEqual(texts.map(() => expect.stringContaining(UNCLEAR)));
			expect(texts.filter((text) => text.includes('Nothing was bought this time'))).toHaveLength(2);
			await sleep(60_000);
			expect(customer.paid).toBe(1);
		},

		async 'and is cancelled while it is looked for stays unclear, and nothing more is sent'(
			customer,
		) {
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(missed(API.reneworder));
			const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
			let cancelledAt = NaN;
			const cancelWhen = customer
				.asked(API.getorderexpiretime, 2)
				.then(async () => await sleep(300))
				.then(() => (cancelledAt = performance.now()));
			const result = await customer.renew(order, WEEK, { cancelWhen });
			expect(performance.now() - cancelledAt).toBeLessThan(500);
			log.mockRestore();
			await sleep(2500);
			expect(result.saved).toContain(UNCLEAR);
			expect(customer.requests(API.getorderexpiretime)).toHaveLength(2);
			expect(customer.requests(API.reneworder)).toHaveLength(1);
			// And the order is free for the next one, once the renewal can no longer show up
			await sleep(NO_LONGER_LATE_MS);
			expect(records(await customer.renew(order, WEEK))[0].renewed).toBe(true);
		},
	});
});
