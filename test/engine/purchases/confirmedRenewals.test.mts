import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { WEEK, WEEK_ALWAYS, type CustomerRun } from '../support/customer.mts';
import { hintsOf, records, textOf } from '../support/results.mts';
import { RETRY, scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { useWorkbench } from '../support/workbench.mts';

/* Renewals that Kuaidaili confirms with the end that the order had, as a cache on the way would. */

const { bed, customer } = useWorkbench({ rateLimits: false, withRecords: true });

function inChina(date: Date | undefined): string {
	return new Date((date?.getTime() ?? 0) + 8 * HOUR).toISOString().slice(0, 19).replace('T', ' ');
}

/** The next renewal is confirmed with the present end; the work is done or not. */
function confirmOldEnd({ orderId, expiresAt }: Order, when: 'before' | 'after'): void {
	const data = { orderid: orderId, expire_time: inChina(expiresAt) };
	const body = JSON.stringify({ code: 0, msg: 'renew order success', data });
	customer.sandbox.faults.add({ kind: 'raw', when, path: API.reneworder, body, times: 1 });
}

function oneNode() {
	const settings = { id: uniqueName('node') };
	return (more: CustomerRun = {}): CustomerRun => ({ ...scheduled(), settings, ...more });
}

it('an order whose end moves all the same is verified', async () => {
	const order = customer.tunnel(12 * HOUR);
	confirmOldEnd(order, 'after');
	const result = await customer.renewByNumber(order, WEEK, scheduled());
	expect(result.error).toBeUndefined();
	expect(records(result)).toMatchObject([{ renewed: true, verified: true }]);
	expect(customer.paid).toBe(1);
});

it('an order whose end has not moved is not verified, which a hint says, and is not paid again', async () => {
	const order = customer.tunnel(2 * DAY);
	const next = oneNode();
	confirmOldEnd(order, 'before');
	const result = await customer.renewByNumber(order, WEEK, next());
	expect(result.error).toBeUndefined();
	expect(records(result)).toMatchObject([{ renewed: true, verified: false }]);
	const hint = `1 order was renewed and still ends as before (${order.orderId}).`;
	expect(hintsOf(result)).toContain(hint);

	for (const pauseMs of [MINUTE, HOUR]) {
		await sleep(pauseMs);
		const [record] = records(await customer.renewByNumber(order, WEEK, next()));
		expect(record).toMatchObject({ renewed: false });
	}
	expect(customer.requests(API.reneworder)).toHaveLength(1);
});

it('an order at which nobody can look afterwards is not verified', async () => {
	const order = customer.tunnel(2 * DAY);
	confirmOldEnd(order, 'before');
	void customer.asked(API.reneworder, 1).then(() => {
		for (const path of [API.getorderexpiretime, API.getaccountorders]) {
			customer.sandbox.faults.add({ kind: 'status', status: 503, path });
		}
	});
	const result = await customer.renewByNumber(order, WEEK, scheduled());
	expect(result.error).toBeUndefined();
	expect(records(result)).toMatchObject([{ renewed: true, verified: false }]);
});

it.each([
	['in the same process', false],
	['on another worker', true],
])(
	'an order whose end has not moved, and that ends within a day, fails the run, and the next one %s',
	async (_where, isElsewhere) => {
		const order = customer.tunnel(20 * HOUR);
		const next = oneNode();
		confirmOldEnd(order, 'before');
		const said = `Order ${order.orderId} was renewed, and still ends at `;
		const first = await customer.renewByNumber(order, WEEK, next());
		expect(first.status).toBe('error');
		expect(textOf(first)).toContain(said);
		expect(textOf(first)).toContain('this node does not pay a second time');
		await sleep(HOUR);
		const engine = isElsewhere ? bed().engine.anotherProcess() : bed().engine;
		const later = await customer.renewByNumber(order, WEEK, next({ engine }));
		expect(textOf(later)).toContain(said);
		expect(customer.requests(API.reneworder)).toHaveLength(1);
	},
);

describe.each([WEEK, WEEK_ALWAYS])(
	'An order that ends within a day and has not moved: %j',
	(fields) => {
		it("fails the run also where 'Retry On Fail' repeats it, and is sent once", async () => {
			const order = customer.tunnel(20 * HOUR);
			confirmOldEnd(order, 'before');
			const settings = { id: uniqueName('node'), ...RETRY };
			const result = await customer.renewByNumber(order, fields, { ...scheduled(), settings });
			expect(result.status).toBe('error');
			expect(textOf(result)).toContain(`Order ${order.orderId} was renewed, and still ends at `);
			expect(customer.requests(API.reneworder)).toHaveLength(1);
		});

		it.each([false, true])(
			"fails a 'Retry', unless its end has moved since (%s)",
			async (isMoved) => {
				const order = customer.tunnel(20 * HOUR);
				const next = oneNode();
				const lost = next({ executionId: uniqueName('execution') });
				confirmOldEnd(order, 'before');
				const { saved } = await customer.renewByNumber(order, fields, lost);
				if (isMoved) order.expiresAt = customer.inDays(20 / 24 + 7);
				const retry = next({ retryOf: saved, retriedExecutionId: lost.executionId });
				const result = await customer.renewByNumber(order, fields, retry);
				expect(result.status).toBe(isMoved ? 'success' : 'error');
				const verified = [expect.objectContaining({ renewed: true, verified: true })];
				expect(records(result)).toEqual(isMoved ? verified : []);
				expect(customer.requests(API.reneworder)).toHaveLength(1);
			},
		);

		it.each([false, true])(
			'fails a second click a minute later, unless its end has moved since (%s)',
			async (isMoved) => {
				const order = customer.tunnel(20 * HOUR);
				const settings = { id: uniqueName('node') };
				confirmOldEnd(order, 'before');
				await customer.renewByNumber(order, fields, { settings });
				if (isMoved) order.expiresAt = customer.inDays(20 / 24 + 7);
				await sleep(MINUTE);
				const executionId = uniqueName('execution');
				const again = await customer.renewByNumber(order, fields, { settings, executionId });
				expect(again.status).toBe(isMoved ? 'success' : 'error');
				// With a condition, it is not due, which says enough
				const known =
					fields === WEEK_ALWAYS ? { renewed: false, verified: true } : { renewed: false };
				expect(records(again)).toEqual(isMoved ? [expect.objectContaining(known)] : []);
				expect(customer.requests(API.reneworder)).toHaveLength(1);
			},
		);
	},
);

it('the other orders are renewed', async () => {
	const orders = [10, 11, 12].map((hours) => customer.tunnel(hours * HOUR));
	confirmOldEnd(orders[0], 'before');
	const result = await customer.renewEach(orders, WEEK_ALWAYS, scheduled());
	expect(customer.paid).toBe(2);
	expect(textOf(result)).toContain(`Order ${orders[0].orderId} was renewed, and still ends at `);
	for (const { orderId } of orders) expect(textOf(result)).toContain(orderId);
});
