import type { IDataObject } from 'n8n-workflow';

import { DAY } from '../../durations.mts';
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
import { n8nLogger } from '../support/n8nLogger.mts';
import { CONTINUE, RETRY } from '../support/nodeSettings.mts';
import { sleep } from '../support/sleep.mts';
import {
	ANY_TIME,
	FAILED_LOOK,
	LOST,
	MISSED,
	NO_LONGER_LATE_MS,
	SLOWLY,
	UNCLEAR,
	endOf,
} from './guardedRenewals.mts';

const PER_IP: IDataObject = { renewalOf: 'perIp', dpsIpCount: 1000 };

itWithOwnBed(
	{
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
			// What the order shows is as after this renewal
			expect(records(result)).toMatchObject([{ renewed: true, verified: true }]);
			expect(customer.calls).toEqual([ORDER_INFO, EXPIRY, RENEW, EXPIRY]);
			expect(customer.paid).toBe(0);
		},

		async 'executions that overlap renew once, whichever key pair they have'(bed) {
			const customer = new Customer(bed);
			const order = customer.tunnel(DAY);
			// So slow that all could look before the first one is renewed
			customer.sandbox.faults.add({ ...SLOWLY, ms: 1000 });
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
			customer.sandbox.faults.add({ ...SLOWLY, ms: 1500 });
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
			customer.sandbox.faults.add(FAILED_LOOK);
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
	},
	ANY_TIME,
);

describe('a renewal whose answer is lost', () => {
	itWithOwnBed({
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
				expect.objectContaining({
					error: expect.stringContaining(UNCLEAR),
					orderid: orders[1].orderId,
				}),
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
			// And the order is free for the next one, once the renewal can no longer show up
			await sleep(NO_LONGER_LATE_MS);
			expect(records(await customer.renew(order, WEEK))[0].renewed).toBe(true);
		},

		async 'is found where IPs are added, by the IPs that are left'(bed) {
			const customer = new Customer(bed);
			const order = customer.perIp(50);
			customer.sandbox.faults.add(LOST);
			const result = await customer.renew(order, PER_IP);
			expect(records(result)).toEqual([
				{
					orderid: order.orderId,
					...ORDER_KINDS.perIp,
					ip_balance: 1050,
					renewed: true,
					verified: true,
					purchasedAt: expect.any(String),
					text: `Renewed Private Proxy order ${order.orderId} by 1,000 IPs`,
				},
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
			expect(textOf(result)).toContain('has 50 IPs left, as before');
			expect(customer.requests(RENEW)).toHaveLength(1);
			expect(customer.paid).toBe(0);
		},
	});
});
