import type { IDataObject } from 'n8n-workflow';

import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import {
	Customer,
	EXPIRY,
	ORDER_KINDS,
	records,
	RENEW,
	textOf,
	WEEK,
	WITHOUT_REPORT,
} from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { RETRY } from '../support/nodeSettings.mts';
import { sleep } from '../support/sleep.mts';
import type { TestBed } from '../support/testBed.mts';
import {
	ALWAYS,
	LOST,
	MISSED,
	NO_LONGER_LATE_MS,
	SLOWLY,
	UNCLEAR,
	endOf,
} from './guardedRenewals.mts';

/** Blocks what is asked after a renewal, and not what is asked before. */
async function blindAfterRenewal(customer: Customer): Promise<void> {
	await customer.asked(RENEW);
	customer.sandbox.faults.add({ kind: 'status', status: 503, path: EXPIRY });
}

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
			const result = await way(customer, order, { ...WEEK, ...WITHOUT_REPORT, ...fields });
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
			customer.sandbox.faults.add(LOST, { ...SLOWLY, when: 'after' });
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
				/checked again afterwards: the order now ends at \d{4}-\S+ \S+ \(\S+; \d{4}-\S+ \S+ in China\), as before/,
			);
			expect(result.items).toEqual([]);
			expect(customer.requests(EXPIRY)).toHaveLength(3);
			expect(customer.requests(RENEW)).toHaveLength(1);
			expect(customer.paid).toBe(0);
		},

		async 'is unclear where the expiry moved by something else'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(MISSED, SLOWLY);
			const running = customer.renew(order, WEEK);
			await customer.asked(RENEW);
			order.expiresAt = new Date(endOf(order) + 30 * DAY);
			const result = await running;
			expect(textOf(result)).toContain(UNCLEAR);
			expect(result.error?.description).toContain('not what this renewal would change');
			expect(customer.paid).toBe(0);
		},

		async 'is unclear where nothing can be asked afterwards; a repeated run does no harm'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add(LOST, SLOWLY);
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
			await sleep(NO_LONGER_LATE_MS);
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
			customer.sandbox.faults.add(MISSED, SLOWLY);
			const running = customer.renew(order, fields);
			await customer.asked(RENEW, 2);
			order.expiresAt = new Date(endOf(order) + 7 * DAY);
			const result = await running;
			expect(textOf(result)).toContain(UNCLEAR);
			expect(result.error?.description).toContain('may also come from another purchase');
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
			const [order, other] = [customer.tunnel(DAY), customer.tunnel(2 * DAY)];
			customer.sandbox.faults.add(LOST);
			const [result] = await Promise.all([
				customer.renewAll(
					{
						...ALWAYS,
						...WEEK,
						orderid: { __rl: true, mode: 'code', value: '={{ $json.order }}' },
					},
					{
						items: [{ order: order.orderId }, { order: other.orderId }],
						settings: { ...RETRY, maxTries: 2 },
					},
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
	});
});
