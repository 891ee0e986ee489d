import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY, HOUR } from '../../durations.mts';
import { moveDate, resetDate } from '../../virtualTime.mts';
import {
	CREATE,
	Customer,
	EXPIRY,
	FEWER,
	hintsOf,
	LIST,
	records,
	RENEW,
	scheduled,
	textOf,
	WEEK,
	WEEK_ALWAYS,
} from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { CONTINUE, CONTINUE_WITH_ERRORS, RETRY } from '../support/nodeSettings.mts';
import { sleep } from '../support/sleep.mts';
import { uniqueName, useTestBed } from '../support/testBed.mts';

/* What a review has found somebody could run into, one after the other. */

const bed = useTestBed({ rateLimits: false });

let customer: Customer;
beforeEach(() => {
	customer = new Customer(bed());
});

afterEach(() => {
	bed().sandbox.settings.newOrderLagSeconds = 0;
	resetDate();
});

const many = <T,>(count: number, make: (n: number) => T): T[] =>
	Array.from({ length: count }, (_, n) => make(n));
const renewed = (result: RunResult) => records(result).map((record) => record.renewed);

/** For good, with an undocumented code. */
function refuse(customer: Customer, orders: readonly Order[]): void {
	for (const { keys } of orders) {
		const { secretId } = keys;
		customer.sandbox.faults.add({ kind: 'code', code: -999, path: RENEW, secretId });
	}
}

describe('Only If Fewer', () => {
	const active = (customer: Customer, written: Order['written']) => {
		const order = customer.tunnel(30 * DAY);
		order.written = written;
		return order;
	};

	it.each<[string, NonNullable<Order['written']>]>([
		['names by an unknown product', { product: 'TPS_VIP' }],
		['has with an unknown pay type', { pay_type: 'PRE_PAID' }],
		['has without a product', { product: '' }],
	])('buys nothing beside an order that the list %s, and names it', async (_what, written) => {
		const { orderId } = active(customer, written);
		const result = await customer.buy(FEWER, scheduled());
		expect(textOf(result)).toContain(orderId);
		expect(textOf(result)).toContain('Nothing was bought');
		const dry = await customer.buy({ ...FEWER, options: { dryRun: true } }, scheduled());
		expect(textOf(dry)).toContain(orderId);
		expect(customer.requests(CREATE)).toEqual([]);
	});

	it.each<[string, NonNullable<Order['written']>]>([
		['another product', { product: 'TPS_VIP' }],
		['an unknown pay type', { pay_type: 'PRE_PAID' }],
		['an unknown status', { status: 'RENEWING' }],
		['lower case', { product: 'tps', pay_type: 'pre_pay', status: 'valid' }],
	])(
		'counts an order that was placed from here, whatever the list calls it: %s',
		async (_, written) => {
			const [{ orderid }] = records(await customer.buy(FEWER, scheduled()));
			customer.sandbox.store.orderNumbered(String(orderid)).written = written;
			await sleep(HOUR);
			const again = await customer.buy(FEWER, scheduled());
			expect(records(again)[0]).toMatchObject({ orderid, created: false });
			expect(customer.paid).toBe(1);
		},
	);

	it('buys nothing where the orders that are known suffice', async () => {
		customer.tunnel(30 * DAY);
		active(customer, { product: 'TPS_VIP' });
		expect(records(await customer.buy(FEWER, scheduled()))[0].created).toBe(false);
		const two = { ...FEWER, fewerThan: 2 };
		expect(textOf(await customer.buy(two, scheduled()))).toContain("can't tell");
		const three = { ...FEWER, fewerThan: 3 };
		expect(records(await customer.buy(three, scheduled()))[0].created).toBe(true);
		expect(customer.paid).toBe(1);
	});

	it('buys nothing after an order that was renewed, while the list lags', async () => {
		bed().sandbox.settings.newOrderLagSeconds = 400;
		const [{ orderid }] = records(await customer.buy(FEWER, scheduled()));
		const order = customer.sandbox.store.orderNumbered(String(orderid));
		expect((await customer.renewByNumber(order, WEEK_ALWAYS, scheduled())).error).toBeUndefined();
		await sleep(60_000);
		const again = await customer.buy(FEWER, scheduled());
		expect(records(again)[0]).toMatchObject({ orderid, created: false });
		expect(customer.payments.map(({ kind }) => kind)).toEqual(['create', 'renew']);
	});
});

describe('Automatic', () => {
	it.each(['RENEWING', 'valid', 'Valid'])('renews an order with the status %s', async (status) => {
		const order = customer.tunnel(DAY);
		order.written = { status };
		expect(renewed(await customer.renewEach([order], WEEK, scheduled()))).toEqual([true]);
	});

	it('passes an order with a status that it does not know and Kuaidaili does not list as active', async () => {
		const order = customer.tunnel(DAY);
		order.status = 'FORBIDDEN';
		order.written = { status: 'REFUNDED' };
		const result = await customer.renewEach([order], WEEK, scheduled());
		expect(records(result)[0]).toMatchObject({
			renewed: false,
			reason: expect.stringContaining("isn't active, by Kuaidaili's own list"),
		});
		expect(hintsOf(result)).toContain("has the status 'REFUNDED', which this node doesn't know");
		expect(customer.requests(RENEW)).toEqual([]);
	});

	it('passes a status in lower case that says the order has ended', async () => {
		const order = customer.tunnel(DAY);
		order.written = { status: 'closed' };
		expect(renewed(await customer.renewEach([order], WEEK, scheduled()))).toEqual([false]);
		expect(customer.paid).toBe(0);
	});
});

describe('Orders that are refused for good', () => {
	it('the first of them: the others are renewed, and the node fails at the end, the next morning too', async () => {
		const orders = many(4, (n) => customer.tunnel((n + 1) * HOUR));
		refuse(customer, orders.slice(0, 1));
		const night = await customer.renewEach(orders, WEEK, scheduled());
		const check = (result: RunResult, paid: number) => {
			expect(result.status).toBe('error');
			expect(textOf(result)).toContain(orders[0].orderId);
			expect(customer.paid).toBe(paid);
		};
		check(night, 3);
		for (const { orderId } of orders.slice(1)) expect(textOf(night)).toContain(orderId);
		await sleep(30 * 60_000);
		for (const order of orders.slice(1)) order.expiresAt = new Date(Date.now() + HOUR);
		check(await customer.renewEach(orders, WEEK, scheduled()), 6);
	});
});

it('A window shorter than the schedule: a hint says that the order will lapse before the next run', async () => {
	const order = customer.tunnel(20 * HOUR);
	const fields = { ...WEEK, expiringWithin: 12, expiringWithinUnit: 'hours' };
	const result = await customer.renewEach([order], fields, scheduled());
	expect(renewed(result)).toEqual([false]);
	expect(hintsOf(result)).toContain(order.orderId);
	expect(hintsOf(result)).toContain("raise 'Expiring Within'");
});

describe('A colleague who places the same kind of order in between', () => {
	it('causes no warning, and the limits count own ones only', async () => {
		void customer.asked(CREATE).then(() => {
			customer.tunnel(DAY);
			customer.account.balanceInFen -= 5_50;
		});
		const result = await customer.buy(
			{ options: { maxOrdersPerRun: 3 } },
			{ items: many(3, () => ({})), ...scheduled() },
		);
		expect(result.error).toBeUndefined();
		expect(hintsOf(result)).not.toMatch(/twice|second|double|another order/i);
		expect(customer.requests(CREATE)).toHaveLength(3);
		expect(new Set(records(result).map(({ orderid }) => orderid)).size).toBe(3);
	});

	it('does not get in the way of two lost answers for different products', async () => {
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: CREATE, times: 2 });
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
});

describe('An item with test: true', () => {
	it('that is no test event of the trigger: its order is renewed', async () => {
		const { orderId: order } = customer.tunnel(DAY);
		const orderid = { __rl: true, mode: 'code', value: '={{ $json.order }}' };
		const items = [{ order, test: true }];
		expect(renewed(await customer.renewAll({ orderid, ...WEEK }, { items }))).toEqual([true]);
	});
});

it('An order that the list has twice is one', async () => {
	const { orderId: orderid } = customer.tunnel(30 * DAY);
	const order = { orderid, product: 'TPS', pay_type: 'PRE_PAY', status: 'VALID' };
	const listed = { ...order, expire_time: '2027-01-30 12:00:00' };
	const body = JSON.stringify({ code: 0, msg: '', data: [listed, listed] });
	customer.sandbox.faults.add({ kind: 'raw', path: LIST, body, times: 1 });
	const { error, items } = await customer.buy({ ...FEWER, fewerThan: 2 }, scheduled());
	expect(error).toBeUndefined();
	expect(items[0].json).toMatchObject({ created: true });
});

it('An overseas order by traffic that passes anyway needs no traffic', async () => {
	const order = customer.overseas(100);
	customer.sandbox.faults.add({ kind: 'status', status: 403, path: '/api/getfpsflow' });
	const result = await customer.renewEach([order], WEEK, scheduled());
	expect(result.error).toBeUndefined();
	expect(renewed(result)).toEqual([false]);
	expect(customer.requests('/api/getfpsflow')).toEqual([]);
});

it('n8n cancels after its workflow timeout with 5 paid: the log tells what was paid', async () => {
	const orders = many(8, (n) => customer.tunnel((n + 1) * HOUR));
	const warn = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
	const settings = { id: uniqueName('node') };
	const cancelWhen = customer.asked(RENEW, 6);
	const result = await customer.renewEach(orders, WEEK, { ...scheduled(), settings, cancelWhen });
	expect(result.status).toBe('canceled');
	const logged = warn.mock.calls.map(([message]) => message).join('\n');
	warn.mockRestore();
	const paidFirst = orders.slice(0, 5).map(({ orderId }) => orderId);
	for (const orderId of paidFirst) expect(logged).toContain(orderId);
	await customer.renewEach(orders, WEEK, { ...scheduled(), settings });
	expect(customer.paid).toBe(8);
});

describe('The same order twice in a run', () => {
	it('is told where the items have orders of their own, which an empty field is told to use', async () => {
		const orders = [customer.tunnel(DAY), customer.tunnel(DAY)];
		const items = orders.map(({ orderId: orderid }) => ({ orderid }));
		const DRAG = "drag 'orderid' from the input into 'Order'";
		const fixed = await customer.renewByNumber(orders[0], WEEK_ALWAYS, { items, ...scheduled() });
		expect(hintsOf(fixed)).toContain(DRAG);
		const orderid = { __rl: true, mode: 'code', value: '={{ $json.orderid }}' };
		const each = await customer.renewAll({ ...WEEK, orderid }, { items, ...scheduled() });
		expect(hintsOf(each)).not.toContain(DRAG);
		const empty = { __rl: true, mode: 'list', value: '' };
		const { error } = await customer.renewAll({ ...WEEK, orderid: empty }, { items });
		expect(error?.description).toContain('Drag'.concat(DRAG.slice(4)));
	});

	it('is renewed once in the runs of a loop', async () => {
		const order = customer.tunnel(DAY);
		const result = await customer.renewByNumber(order, WEEK_ALWAYS, { ...scheduled(), runs: 5 });
		expect(result.error).toBeUndefined();
		expect(customer.paid).toBe(1);
	});

	it.each([EXPIRY, RENEW])(
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

	it('is sent once while it is unclear, although its key pair has changed', async () => {
		const order = customer.tunnel(DAY);
		customer.sandbox.faults.add(
			{ kind: 'changedKeyPair', code: -102, path: EXPIRY, times: 1 },
			{ kind: 'hang', path: RENEW, times: 1 },
		);
		const settings = { ...scheduled(), settings: CONTINUE };
		const result = await customer.renewEach([order, order], WEEK_ALWAYS, settings);
		const unclear = expect.stringContaining('The order may have been renewed: ');
		expect(records(result).map(({ error }) => error)).toEqual([unclear, unclear]);
		expect(customer.sandbox.log.entries(RENEW)).toHaveLength(1);
	});
});

it("Create's dry run shows every value, the end, the balance and the probable cost", async () => {
	const customer = new Customer(bed(), { balanceInFen: 100_00 });
	const options = { dryRun: true, expectedCost: 12 };
	const [record] = records(await customer.buy({ options }, scheduled()));
	expect(record).toMatchObject({
		wouldCreate: true,
		product: 'TPS',
		parameters: {
			product: 'TPS',
			pay_type: 'PRE_PAY',
			'prepay.time_type': 'DAY',
			'prepay.time_number': '1',
		},
		balance: 100,
		probableCost: 12,
	});
	expect(record).not.toHaveProperty('created');
	expect(record.reason).toContain("'Dry Run' is on");
	expect(Object.keys(record.parameters as object)).toContain('tps.max_rps');
	expect(Math.abs(Date.parse(String(record.wouldEndAt)) - Date.now() - DAY)).toBeLessThan(60_000);
	expect(customer.requests(CREATE)).toEqual([]);
});

it.each([{}, CONTINUE, CONTINUE_WITH_ERRORS])(
	'Items that fail keep who they are: %j',
	async (settings) => {
		const orders = many(3, () => customer.tunnel(DAY));
		const { secretId } = orders[1].keys;
		customer.sandbox.faults.add({ kind: 'code', code: -999, path: RENEW, secretId });
		const result = await customer.renewEach(orders, WEEK, { ...scheduled(), settings });
		const who = { orderid: orders[1].orderId, productName: 'Tunnel Proxy', renewed: false };
		if (settings === CONTINUE) expect(records(result)[1]).toMatchObject(who);
		else if (settings === CONTINUE_WITH_ERRORS) {
			// n8n lets nothing stand beside an error there but what came in
			expect(result.errorItems[0].json).toMatchObject({ order: orders[1].orderId });
			expect(result.errorItems[0].json.error).toContain(`order ${orders[1].orderId}`);
		} else {
			expect(textOf(result)).toContain(orders[1].orderId);
		}
		expect(customer.paid).toBe(2);
	},
);

it('The hint counts what was renewed and for how much, what is not due, and what failed', async () => {
	const due = many(4, () => customer.tunnel(DAY));
	const late = many(3, () => customer.tunnel(20 * DAY));
	const broken = many(2, () => customer.tunnel(DAY));
	for (const { keys } of broken) {
		const { secretId } = keys;
		customer.sandbox.faults.add({ kind: 'code', code: -999, path: RENEW, secretId });
	}
	const settings = CONTINUE;
	const result = await customer.renewEach([...due, ...late, ...broken], WEEK, {
		...scheduled(),
		settings,
	});
	expect(hintsOf(result)).toContain('4 renewed (154 yuan), 3 not due, 2 failed.');
});

it('A dry run counts what it would renew and for how much, and what a limit would hold back', async () => {
	const orders = many(3, () => customer.tunnel(DAY));
	const late = customer.tunnel(20 * DAY);
	const options = { dryRun: true, expectedCost: 40, maxOrdersPerRun: 2 };
	const result = await customer.renewEach([...orders, late], { ...WEEK, options }, scheduled());
	expect(hintsOf(result)).toContain(
		'2 would be renewed (probably 80 yuan), 1 not due, 1 held back by a limit.',
	);
	expect(customer.paid).toBe(0);
});

it('Purchases say what they are in a sentence, and when they were made', async () => {
	const order = customer.tunnel(DAY);
	const [record] = records(await customer.renewEach([order], WEEK, scheduled()));
	expect(record.text).toMatch(
		new RegExp(
			`^Renewed Tunnel Proxy order ${order.orderId} by 1 week for 38.5 yuan, until \\d{4}-\\d\\d-\\d\\d$`,
		),
	);
	expect(record.purchasedAt).toMatch(/^\d{4}-\d\d-\d\dT.*\+08:00$/);
	const [created] = records(await customer.buy({}, scheduled()));
	expect(created.purchasedAt).toMatch(/^\d{4}-\d\d-\d\dT.*\+08:00$/);
	const [enough] = records(await customer.buy(FEWER, scheduled()));
	expect(enough.created).toBe(false);
	expect(String(enough.reason).split(' ').length).toBeLessThan(20);
});

describe('The advice of a refusal', () => {
	const LEAVE_OUT = 'Leave the items that were bought out';

	it.each([
		['with a condition, never says to leave items out that it would pass', WEEK, false],
		['without one, says which items to leave out', WEEK_ALWAYS, true],
	])('of renewals %s', async (_what, fields, isSaid) => {
		const orders = many(3, () => customer.tunnel(DAY));
		refuse(customer, orders.slice(1, 2));
		const text = textOf(await customer.renewEach(orders, fields, scheduled()));
		expect(text.includes(LEAVE_OUT)).toBe(isSaid);
		if (!isSaid) expect(text).not.toContain('bought again');
	});

	it.each([
		['with a condition, never says to leave items out that it would pass', true],
		['without one, says which items to leave out', false],
	])('of new orders %s', async (_what, hasCondition) => {
		void customer.asked(CREATE).then(() => {
			customer.account.balanceInFen = 0;
		});
		const fields = hasCondition ? { ...FEWER, fewerThan: 5 } : {};
		const text = textOf(await customer.buy(fields, { items: many(2, () => ({})), ...scheduled() }));
		expect(text).toContain(customer.payments[0].orderId);
		expect(text).not.toContain('Max Orders');
		expect(text.includes(LEAVE_OUT)).toBe(!hasCondition);
		if (hasCondition) expect(text).not.toContain('bought again');
	});
});

it.each([1, 2])(
	'a city whose expression finds nothing is no wish for any city, in series %i',
	async (kpsSerie) => {
		const kpsCity = { __rl: true, mode: 'code', value: '={{ $json.city }}' };
		const model = kpsSerie === 1 ? { kpsModel: 'STA' } : {};
		const { error } = await customer.buy(
			{ product: 'KPS', payType: 'PRE_PAY', kpsSerie, ...model, kpsCity, prepayTimeType: 'MONTH' },
			{ items: [{ City: '3301' }] },
		);
		expect(error?.message).toMatch(/^'City' /);
		expect(customer.paid).toBe(0);
	},
);

it('What was renewed before a retry has a text to send as well', async () => {
	const orders = [customer.tunnel(DAY), customer.tunnel(2 * DAY)];
	const { secretId } = orders[1].keys;
	customer.sandbox.faults.add({ kind: 'code', code: -999, path: RENEW, secretId, times: 1 });
	const settings = { id: uniqueName('node'), ...RETRY };
	const result = await customer.renewEach(orders, WEEK, { ...scheduled(), settings });
	expect(records(result).map(({ text }) => text)).toEqual(
		orders.map(({ orderId }) => expect.stringContaining(`Renewed Tunnel Proxy order ${orderId}`)),
	);
});

it('An unclear renewal is made by the same execution a day later, where it shows that it was not', async () => {
	const order = customer.tunnel(2 * DAY);
	customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: RENEW, times: 1 });
	void customer.asked(LIST, 2).then(() => moveDate(DAY));
	const run = { ...scheduled(), settings: CONTINUE, runs: 2 };
	const { itemsOfRuns } = await customer.renewByNumber(order, WEEK, run);
	expect(itemsOfRuns.map(([{ json }]) => json.renewed)).toEqual([undefined, true]);
	expect(customer.paid).toBe(1);
});

it('A key in the wrong field is not repeated', async () => {
	const orderid = { __rl: true, mode: 'code', value: 'u3x92sd8gh4kq0zb77mw1h5c' };
	const { items } = await customer.renewAll({ ...WEEK, orderid }, { settings: CONTINUE });
	expect(JSON.stringify(items)).not.toContain(orderid.value);
});
