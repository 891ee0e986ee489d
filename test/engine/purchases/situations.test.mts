import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY, HOUR } from '../../durations.mts';
import {
	CREATE,
	Customer,
	EXPIRY,
	LIST,
	records,
	RENEW,
	textOf,
	WEEK,
	WEEK_ALWAYS,
} from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { CONTINUE, CONTINUE_WITH_ERRORS, RETRY } from '../support/nodeSettings.mts';
import { sleep } from '../support/sleep.mts';
import { toolCalls } from '../support/toolCalls.mts';
import { uniqueName, useTestBed } from '../support/testBed.mts';

/* What a review has found somebody could run into, one after the other. */

const bed = useTestBed({ rateLimits: false });

afterEach(() => {
	bed().sandbox.settings.newOrderLagSeconds = 0;
});

const FEWER = { createWhen: 'fewerThan', fewerThan: 1 };
const scheduled = () => ({ executionId: uniqueName('execution'), rootMode: 'trigger' as const });
const hintsOf = ({ hints }: RunResult) => hints.map(({ message }) => message).join('\n');
const many = <T,>(count: number, make: (n: number) => T): T[] =>
	Array.from({ length: count }, (_, n) => make(n));
const renewed = (result: RunResult) => records(result).map((record) => record.renewed);

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
		const customer = new Customer(bed());
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
			const customer = new Customer(bed());
			const [{ orderid }] = records(await customer.buy(FEWER, scheduled()));
			customer.sandbox.store.orderNumbered(String(orderid)).written = written;
			await sleep(HOUR);
			const again = await customer.buy(FEWER, scheduled());
			expect(records(again)[0]).toMatchObject({ orderid, created: false });
			expect(customer.paid).toBe(1);
		},
	);

	it('buys nothing where the orders that are known suffice', async () => {
		const customer = new Customer(bed());
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
		const customer = new Customer(bed());
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
	it('fails the item of an order of unknown pay type with a day left, and renews the others', async () => {
		const customer = new Customer(bed());
		const [unknown, good] = [customer.tunnel(DAY), customer.tunnel(DAY)];
		unknown.written = { pay_type: 'PRE_PAID' };
		const result = await customer.renewEach([unknown, good], WEEK, { settings: CONTINUE });
		expect(records(result)[0].error).toContain(unknown.orderId);
		expect(records(result)[0].error).toContain('PRE_PAID');
		expect(records(result)[1].renewed).toBe(true);
		expect(customer.paid).toBe(1);
	});

	it.each(['RENEWING', 'valid', 'Valid'])('renews an order with the status %s', async (status) => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		order.written = { status };
		expect(renewed(await customer.renewEach([order], WEEK, scheduled()))).toEqual([true]);
	});

	it('passes a status in lower case that says the order has ended', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		order.written = { status: 'closed' };
		expect(renewed(await customer.renewEach([order], WEEK, scheduled()))).toEqual([false]);
		expect(customer.paid).toBe(0);
	});
});

describe('Orders that are refused for good', () => {
	const refuse = (customer: Customer, orders: readonly Order[]) => {
		for (const { keys } of orders) {
			const { secretId } = keys;
			customer.sandbox.faults.add({ kind: 'code', code: -999, path: RENEW, secretId });
		}
	};

	it('with an undocumented code, ten of them: two good ones are renewed', async () => {
		const customer = new Customer(bed());
		const orders = many(12, (n) => customer.tunnel((n + 1) * HOUR));
		refuse(customer, orders.slice(0, 10));
		const result = await customer.renewEach(orders, WEEK, scheduled());
		expect(result.error).toBeDefined();
		expect(customer.payments.map(({ orderId }) => orderId)).toEqual(
			orders.slice(10).map(({ orderId }) => orderId),
		);
		expect(textOf(result)).toContain('2 renewed');
		expect(textOf(result)).toContain('10 failed');
	});

	it('the first of them: the others are renewed, and the node fails at the end, the next morning too', async () => {
		const customer = new Customer(bed());
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

	it('are not taken for unclear, so that a retry renews nothing twice', async () => {
		const customer = new Customer(bed());
		const orders = many(3, (n) => customer.tunnel((n + 1) * HOUR));
		refuse(customer, orders.slice(1, 2));
		const result = await customer.renewEach(orders, WEEK, { ...scheduled(), settings: RETRY });
		expect(textOf(result)).not.toContain('may have been');
		expect(customer.paid).toBe(2);
	});
});

it('Twelve numbers from a sheet with Max Orders 10: the ten that end soonest are renewed, a hint names the two', async () => {
	const customer = new Customer(bed());
	const ends = [12, 3, 7, 1, 9, 4, 11, 2, 8, 5, 10, 6];
	const orders = ends.map((hours) => customer.tunnel(hours * HOUR));
	const result = await customer.renewEach(orders, WEEK, scheduled());
	expect(renewed(result)).toEqual(ends.map((hours) => hours <= 10));
	expect(customer.paid).toBe(10);
	for (const hours of [11, 12]) {
		expect(hintsOf(result)).toContain(orders[ends.indexOf(hours)].orderId);
	}
	expect(hintsOf(result)).toContain(`Order ${orders[ends.indexOf(11)].orderId} ends at `);
});

it('A window shorter than the schedule: a hint says that the order will lapse before the next run', async () => {
	const customer = new Customer(bed());
	const order = customer.tunnel(20 * HOUR);
	const fields = { ...WEEK, expiringWithin: 12, expiringWithinUnit: 'hours' };
	const result = await customer.renewEach([order], fields, scheduled());
	expect(renewed(result)).toEqual([false]);
	expect(hintsOf(result)).toContain(order.orderId);
	expect(hintsOf(result)).toContain("raise 'Expiring Within'");
});

describe('A colleague who places the same kind of order in between', () => {
	it('causes no warning, and the limits count own ones only', async () => {
		const customer = new Customer(bed());
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
		const customer = new Customer(bed());
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

describe('Clocks', () => {
	it('one -112 through a gateway with a wrong Date: later calls work', async () => {
		const customer = new Customer(bed());
		const { faults } = customer.sandbox;
		faults.add({ kind: 'code', code: -112, path: CREATE, times: 1 });
		faults.add({ kind: 'dateOffset', seconds: 10 * 24 * 3600, path: CREATE, times: 1 });
		await customer.buy({}, scheduled());
		const later = await customer.buy({}, scheduled());
		expect(later.error).toBeUndefined();
		expect(records(later)[0]).toMatchObject({ created: true });
		expect(customer.sandbox.log.entries(CREATE).at(-1)).toMatchObject({ code: 0 });
	});

	it('a machine 20 hours behind: orders that are due are not passed over in silence', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(21 * HOUR);
		customer.sandbox.clock.advance(20 * HOUR);
		const fields = { ...WEEK, expiringWithin: 12, expiringWithinUnit: 'hours' };
		for (const signType of ['hmacsha1', 'token']) {
			const result = await customer.renewEach([order], fields, {
				...scheduled(),
				credential: { signType },
			});
			const isSaid = result.error !== undefined || hintsOf(result) !== '';
			expect(renewed(result)[0] === true || isSaid || customer.paid > 0).toBe(true);
		}
	});
});

describe('An agent', () => {
	it('gets created: false of its second call with Only If Fewer and Max Orders 1', async () => {
		const customer = new Customer(bed());
		const outputs: string[] = [];
		const fields = { ...FEWER, options: {} };
		await customer.buy(fields, { ...scheduled(), agent: toolCalls(2, outputs, 'oneByOne') });
		expect(customer.paid).toBe(1);
		expect(outputs[0]).toContain('"created":true');
		expect(outputs[1]).toContain('"created":false');
	});
});

describe('An item with test: true', () => {
	it('that is no test event of the trigger: its order is renewed', async () => {
		const customer = new Customer(bed());
		const { orderId: order } = customer.tunnel(DAY);
		const orderid = { __rl: true, mode: 'code', value: '={{ $json.order }}' };
		const items = [{ order, test: true }];
		expect(renewed(await customer.renewAll({ orderid, ...WEEK }, { items }))).toEqual([true]);
	});
});

it('An order whose closing got lost, and that is refused then, is never said to be one that cannot be closed', async () => {
	const customer = new Customer(bed());
	const order = customer.tunnel(DAY, { payType: 'POST_PAY' });
	const path = '/api/closeorder';
	customer.sandbox.faults.add({ kind: 'cut', when: 'after', path, times: 1 });
	const result = await bed().engine.run({
		credentialId: bed().addCredential(customer.account.keys, { keyType: 'account' }),
		parameters: {
			resource: 'order',
			operation: 'close',
			orderid: { __rl: true, mode: 'code', value: order.orderId },
		},
	});
	expect(customer.sandbox.store.orderNumbered(order.orderId).status).toBe('CLOSED');
	expect(textOf(result)).not.toMatch(/can(?:no|')t be closed/);
	if (result.error === undefined) expect(records(result)[0].closed).toBe(true);
});

it('An order that the list has twice is one', async () => {
	const customer = new Customer(bed());
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
	const customer = new Customer(bed());
	const order = customer.overseas(100);
	customer.sandbox.faults.add({ kind: 'status', status: 403, path: '/api/getfpsflow' });
	const result = await customer.renewEach([order], WEEK, scheduled());
	expect(result.error).toBeUndefined();
	expect(renewed(result)).toEqual([false]);
	expect(customer.requests('/api/getfpsflow')).toEqual([]);
});

it('n8n cancels after its workflow timeout with 5 paid: the next run and the log tell what was paid', async () => {
	const customer = new Customer(bed());
	const orders = many(8, (n) => customer.tunnel((n + 1) * HOUR));
	const warn = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
	const settings = { id: uniqueName('node') };
	const cancelWhen = customer.asked(RENEW, 6);
	const result = await customer.renewEach(orders, WEEK, { ...scheduled(), settings, cancelWhen });
	expect(result.status).toBe('canceled');
	const logged = warn.mock.calls.map(([message]) => message).join('\n');
	warn.mockRestore();
	const next = await customer.renewEach(orders, WEEK, { ...scheduled(), settings });
	const paidFirst = orders.slice(0, 5).map(({ orderId }) => orderId);
	for (const orderId of paidFirst) {
		expect(logged).toContain(orderId);
		expect(hintsOf(next)).toContain(orderId);
	}
	expect(customer.paid).toBe(8);
});

describe('The same order twice in a run', () => {
	it('is renewed once, 20 items with one fixed order and Always', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		const fields = { ...WEEK_ALWAYS, options: { maxOrdersPerRun: 50 } };
		for (const options of [{ maxOrdersPerRun: 50, dryRun: true }, { maxOrdersPerRun: 50 }]) {
			const result = await customer.renewEach(
				many(20, () => order),
				{ ...fields, options },
				scheduled(),
			);
			const done = records(result).map((record) => record.renewed ?? record.wouldRenew);
			expect(done).toEqual(many(20, (n) => n === 0));
			expect(records(result)[1].reason).toContain('Item 0 of this execution');
			expect(records(result)[1].orderid).toBe(order.orderId);
		}
		expect(customer.paid).toBe(1);
	});

	it('is told where the items have orders of their own, which an empty field is told to use', async () => {
		const customer = new Customer(bed());
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
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		const result = await customer.renewByNumber(order, WEEK_ALWAYS, { ...scheduled(), runs: 5 });
		expect(result.error).toBeUndefined();
		expect(customer.paid).toBe(1);
	});

	it.each([EXPIRY, RENEW])(
		'is renewed once although its key pair changes before %s',
		async (path) => {
			const customer = new Customer(bed());
			const order = customer.tunnel(DAY);
			customer.sandbox.faults.add({ kind: 'changedKeyPair', code: -102, path, times: 1 });
			const result = await customer.renewEach([order, order], WEEK_ALWAYS, scheduled());
			expect(renewed(result)).toEqual([true, false]);
			expect(customer.paid).toBe(1);
		},
	);

	it('is sent once while it is unclear, although its key pair has changed', async () => {
		const customer = new Customer(bed());
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
		const customer = new Customer(bed());
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
	const customer = new Customer(bed());
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
	const customer = new Customer(bed());
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
	const customer = new Customer(bed());
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
	it('never says to leave items out that a condition would pass', async () => {
		const customer = new Customer(bed());
		const orders = many(3, () => customer.tunnel(DAY));
		const { secretId } = orders[1].keys;
		customer.sandbox.faults.add({ kind: 'code', code: -999, path: RENEW, secretId });
		const result = await customer.renewEach(orders, WEEK, scheduled());
		expect(textOf(result)).not.toContain('bought again');
	});

	it('of new orders says which items to leave out', async () => {
		const customer = new Customer(bed());
		void customer.asked(CREATE).then(() => {
			customer.account.balanceInFen = 0;
		});
		const items = many(2, () => ({}));
		const result = await customer.buy({}, { items, ...scheduled() });
		expect(textOf(result)).toContain(customer.payments[0].orderId);
		expect(textOf(result)).toContain('Leave the items that were bought out');
		expect(textOf(result)).not.toContain('Max Orders');
	});

	it('of renewals without a condition says it too', async () => {
		const customer = new Customer(bed());
		const orders = many(2, () => customer.tunnel(DAY));
		const { secretId } = orders[1].keys;
		customer.sandbox.faults.add({ kind: 'code', code: -999, path: RENEW, secretId });
		const result = await customer.renewEach(orders, WEEK_ALWAYS, scheduled());
		expect(textOf(result)).toContain('Leave the items that were bought out');
	});

	it('of new orders with a condition says nothing of the kind', async () => {
		const customer = new Customer(bed());
		void customer.asked(CREATE).then(() => {
			customer.account.balanceInFen = 0;
		});
		const items = many(2, () => ({}));
		const result = await customer.buy({ ...FEWER, fewerThan: 5 }, { items, ...scheduled() });
		expect(result.error).toBeDefined();
		expect(textOf(result)).not.toContain('bought again');
	});
});

it.each([1, 2])(
	'a city whose expression finds nothing is no wish for any city, in series %i',
	async (kpsSerie) => {
		const customer = new Customer(bed());
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
