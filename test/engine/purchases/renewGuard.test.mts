import { DAY, HOUR } from '../../durations.mts';
import { moveDate } from '../../virtualTime.mts';
import {
	Customer,
	EXPIRY,
	ORDER_INFO,
	ORDER_KINDS,
	records,
	RENEW,
	textOf,
	WEEK,
} from '../support/customer.mts';
import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { RETRY } from '../support/nodeSettings.mts';
import type { TestBed } from '../support/testBed.mts';
import { ALWAYS, ANY_TIME, endOf, UNCLEAR } from './guardedRenewals.mts';

itWithOwnBed(
	{
		async 'an order with more than 3 days left passes at no cost'(bed) {
			const customer = new Customer(bed);
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
			expect(result.hints).toEqual([]);
			expect(customer.calls).toEqual([ORDER_INFO, EXPIRY]);
			expect(customer.paid).toBe(0);
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
			expect(customer.calls).toEqual([ORDER_INFO, EXPIRY, RENEW]);
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
			const skipped = { ...short, expiringWithin: 20, options: { skipLocalChecks: true } };
			const result = await customer.renew(customer.tunnel(DAY), skipped);
			expect(records(result)[0].renewed).toBe(true);
			const month = { timeType: 'MONTH', timeNumber: 1, expiringWithin: 27 };
			expect(records(await customer.renew(customer.tunnel(DAY), month))[0].renewed).toBe(true);
			expect(customer.paid).toBe(3);
		},

		async 'an order that does not end is refused, and nothing is bought'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY, { payType: 'POST_PAY' });
			customer.sandbox.faults.add({ kind: 'status', status: 503, path: ORDER_INFO });
			const result = await customer.renew(order, { renewalOf: 'prepaid' });
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
	},
	ANY_TIME,
);

describe('as time passes', () => {
	itWithOwnBed({
		async 'an order that has ended is refused, and nothing is bought'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			moveDate(6 * DAY);
			const result = await customer.renew(order, WEEK, { settings: RETRY });
			expect(result.error).toMatchObject({ httpCode: '-102' });
			expect(result.error?.message).toContain('has expired');
			expect(result.error?.description).toContain('nothing was bought for this item.');
			expect(customer.requests(RENEW)).toEqual([]);
			expect(customer.paid).toBe(0);
		},

		async 'an order that has ended passes with its number and end, for the account'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			moveDate(6 * DAY);
			const [record] = records(await customer.renewByNumber(order, WEEK));
			expect(record).toMatchObject({ orderid: order.orderId, renewed: false });
			expect(record.reason).toMatch(
				/^The order ended at \d{4}-\S+ \S+ \(\S+; \d{4}-\S+ \S+ in China\)/,
			);
			expect(customer.paid).toBe(0);
		},
	});
});

describe('a clock of the service that is days off', () => {
	const OFF: Record<string, [leftDays: number, offDays: number, isDue: boolean]> = {
		'would make an order due that is not': [9, 8, false],
		'would hide that an order is due': [1, -10, true],
	};

	itWithOwnBed(
		Object.fromEntries(
			Object.entries(OFF).map(([name, [leftDays, offDays, isDue]]) => [
				`${name}, which HMAC prevents: Kuaidaili accepted the time of this machine`,
				async (bed: TestBed) => {
					const customer = new Customer(bed);
					const orders = [leftDays, leftDays].map((days) => customer.tunnel(days * DAY));
					customer.sandbox.clock.advance(offDays * DAY);
					const [own] = records(await customer.renew(orders[0], WEEK));
					const [listed] = records(await customer.renewByNumber(orders[1], WEEK));
					expect([own.renewed, listed.renewed]).toEqual([isDue, isDue]);
					expect(customer.paid).toBe(isDue ? 2 : 0);
				},
			]),
		),
		ANY_TIME,
	);

	itWithOwnBed(
		Object.fromEntries(
			Object.entries(OFF).map(([name, [leftDays, offDays]]) => [
				`${name}: with a token, nothing is decided, which an error says`,
				async (bed: TestBed) => {
					const customer = new Customer(bed);
					const orders = [leftDays, leftDays].map((days) => customer.tunnel(days * DAY));
					const credential = { signType: 'token' };
					customer.sandbox.clock.advance(offDays * DAY);
					for (const text of [
						textOf(await customer.renew(orders[0], WEEK, { credential })),
						textOf(await customer.renewByNumber(orders[1], WEEK, { credential })),
					]) {
						expect(text).toMatch(/^The clock of this machine is (8|10) days (behind|ahead of)/);
						expect(text).toContain('Nothing was decided by either clock, and nothing was bought');
					}
					expect(customer.requests(RENEW)).toEqual([]);
				},
			]),
		),
	);
});
