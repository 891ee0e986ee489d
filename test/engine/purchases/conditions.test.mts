import type { IDataObject } from 'n8n-workflow';

import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY, HOUR } from '../../durations.mts';
import { API } from '../support/api.mts';
import { Customer, FEWER, ORDER_KINDS, typed, WEEK, WEEK_ALWAYS } from '../support/customer.mts';
import { lost, missed } from '../support/faults.mts';
import { hintsOf, records, renewed, textOf } from '../support/results.mts';
import { CONTINUE, elsewhere, RETRY, scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { useWorkbench } from '../support/workbench.mts';

/* Purchases that are made only where something is missing, or not at all. */

const { bed, customer } = useWorkbench();

describe('Only If Fewer Active Orders Than', () => {
	it('orders once, however often the workflow runs', async () => {
		const [first, second] = [await customer.buy(FEWER), await customer.buy(FEWER)];
		const [{ orderId }] = customer.payments;
		expect(records(first)[0]).toMatchObject({ orderid: orderId, created: true });
		expect(records(second)[0]).toMatchObject({ orderid: orderId, created: false });
		expect(records(second)[0].reason).toContain('has 1 active order of this kind');
		expect(customer.paid).toBe(1);
	});

	it('counts orders of its own that the list does not show yet, in the run and in later ones', async () => {
		const listed = customer.tunnel(30 * DAY).orderId;
		customer.sandbox.faults.add({ kind: 'cache', path: API.getaccountorders });
		const fields = { ...FEWER, fewerThan: 2, options: { maxOrdersPerRun: 3 } };
		const [first, second] = records(await customer.buy(fields, { items: [{}, {}] }));
		const [{ orderId }] = customer.payments;
		expect(first).toMatchObject({ orderid: orderId, created: true });
		expect(second).toMatchObject({ orderid: listed, created: false });
		expect(second.reason).toMatch(
			/^The account has 2 active orders of this kind, not fewer than 2, /,
		);
		const later = async (more = {}) =>
			records(await customer.buy({ ...fields, ...more }, elsewhere()));
		expect(await later()).toMatchObject([{ created: false }]);
		expect(await later({ options: { dryRun: true } })).toMatchObject([{ wouldCreate: false }]);
		expect(customer.paid).toBe(1);

		const three = { fewerThan: 3, options: { dryRun: true, maxOrdersPerRun: 3 } };
		const dry = await customer.buy({ ...fields, ...three }, { items: [{}, {}] });
		expect(records(dry).map(({ wouldCreate }) => wouldCreate)).toEqual([true, false]);
		expect(await later({ fewerThan: 3 })).toMatchObject([{ created: true }]);
		expect(customer.paid).toBe(2);
	});

	it('names its own order where the list shows none, however late that is', async () => {
		customer.sandbox.faults.add({ kind: 'cache', path: API.getaccountorders });
		const buy = async () => records(await customer.buy(FEWER, elsewhere()))[0];
		const { orderid } = await buy();
		expect(await buy()).toMatchObject({ orderid, created: false, product: 'TPS' });
		await sleep(1_200_000);
		expect(await buy()).toMatchObject({ orderid, created: false });
		expect(customer.paid).toBe(1);
	});

	it('counts no order of another product or pay type, nor one that has ended', async () => {
		customer.perIp(5);
		customer.tunnel(-DAY, { status: 'EXPIRED' });
		expect(records(await customer.buy(FEWER))[0].created).toBe(true);
		expect(customer.paid).toBe(1);
	});

	it('orders nothing more after an unclear order of the kind, whatever its duration', async () => {
		customer.sandbox.faults.add(lost(API.createorder));
		const body = JSON.stringify({ code: 0, msg: '', data: [] });
		customer.sandbox.faults.add({ kind: 'raw', path: API.getaccountorders, body });
		const fields = { ...FEWER, prepayTimeNumber: '={{ $json.days }}' };
		const items = [{ days: 1 }, { days: 2 }];
		const result = await customer.buy(fields, { items, settings: CONTINUE });
		for (const { error } of records(result)) {
			expect(error).toContain('The order may have been placed');
		}
		expect(customer.requests(API.createorder)).toHaveLength(1);
	});
});

/* Renewals that add IPs or traffic. What was paid is what the ledger of the sandbox says. */

interface Kind {
	readonly fields: IDataObject;
	/** The name of the rest in the output, and what one renewal adds. */
	readonly rest: string;
	readonly adds: number;
	readonly added: string;
	readonly label: string;
	/** An order with so much left. */
	order(customer: Customer, left: number): Order;
	/** The endpoint that tells how much is left. */
	readonly path: string;
	readonly unclear: string;
}

const KINDS: Readonly<Record<string, Kind>> = {
	IPs: {
		fields: { renewalOf: 'perIp', proxyLifetime: 'minutes', dpsIpCount: 1000 },
		rest: 'ip_balance',
		adds: 1000,
		added: '1,000 IPs',
		label: 'IP Balance Below',
		order: (customer, left) => customer.perIp(left),
		path: '/api/getipbalance',
		unclear: 'The IPs may have been bought: ',
	},
	traffic: {
		fields: { renewalOf: 'traffic', fpsFlow: 1 },
		rest: 'flow_left',
		adds: 1024,
		added: '1 GB',
		label: 'Traffic Below (MB)',
		order: (customer, left) => customer.overseas(left),
		path: '/api/getfpsflow',
		unclear: 'The traffic may have been bought: ',
	},
};

describe.each(Object.entries(KINDS))('more %s', (_what, kind) => {
	const { fields, rest, adds, order: newOrder, path } = kind;
	const named = fields.renewalOf === 'perIp' ? ORDER_KINDS.perIp : ORDER_KINDS.traffic;
	const below = (balanceBelow: number) => ({ ...fields, balanceBelow });

	it('are bought once by a workflow that runs twice, by what the editor offers at first', async () => {
		const order = newOrder(customer, 99);
		const [first, second] = [
			await customer.renewByNumber(order, below(100)),
			await customer.renewByNumber(order, below(100)),
		];
		expect(records(first)).toEqual([
			expect.objectContaining({ orderid: order.orderId, renewed: true }),
		]);
		expect(records(second)).toEqual([
			{
				orderid: order.orderId,
				...named,
				renewed: false,
				reason: expect.stringContaining('so nothing was bought'),
				text: expect.stringContaining(`order ${order.orderId} was not renewed: The order has `),
				[rest]: 99 + adds,
				expire_time: expect.any(String),
				expiresAt: expect.any(String),
				secondsLeft: expect.any(Number),
				daysLeft: expect.any(Number),
			},
		]);
		expect(customer.paid).toBe(1);
	});

	it('are not bought for an order that has as much as the limit, and nothing else is asked', async () => {
		const order = newOrder(customer, 100);
		const options = { minimumBalance: 1, expectedCost: 100 };
		const result = await customer.renewByNumber(order, { ...below(100), options });
		expect(records(result)[0]).toMatchObject({ renewed: false, [rest]: 100 });
		expect(customer.requests(API.getaccountbalance)).toEqual([]);
		expect(customer.paid).toBe(0);
	});

	it('are refused where they would not reach the limit, before any request', async () => {
		const result = await customer.renew(newOrder(customer, 5), below(adds + 1));
		expect(result.error?.message).toContain(`'${kind.label}' can't be ${adds + 1}`);
		expect(result.error?.description).toContain('a second run could renew again');
		expect(customer.calls).toEqual([]);
	});

	it('are bought where they just reach the limit', async () => {
		await customer.renew(newOrder(customer, 5), below(adds));
		expect(customer.paid).toBe(1);
	});

	it.each(['expiring', 'Always', '', 'never'])(
		'are refused where the choice is %j, before any request',
		async (renewWhen) => {
			const result = await customer.renew(newOrder(customer, 5), {
				...below(100),
				renewWhen: `={{ ${JSON.stringify(renewWhen)} }}`,
			});
			expect(result.error?.message).toMatch(/'Renew' (?:is empty|can't be )/);
			expect(customer.calls).toEqual([]);
		},
	);

	it('whose answer is lost are found, by what is left', async () => {
		const order = newOrder(customer, 50);
		customer.sandbox.faults.add(lost(API.reneworder));
		const result = await customer.renew(order, below(100), { settings: RETRY });
		expect(records(result)).toEqual([
			{
				orderid: order.orderId,
				...named,
				[rest]: 50 + adds,
				renewed: true,
				verified: true,
				purchasedAt: expect.any(String),
				text: `Renewed ${named.productName} order ${order.orderId} by ${kind.added}`,
			},
		]);
		expect(customer.requests(API.reneworder)).toHaveLength(1);
		expect(customer.paid).toBe(1);
	});

	it('that were not bought are unclear, with the number of the order and what is left', async () => {
		const order = newOrder(customer, 50);
		customer.sandbox.faults.add(missed(API.reneworder));
		const result = await customer.renew(order, below(100), { settings: RETRY });
		expect(textOf(result)).toContain(kind.unclear);
		expect(textOf(result)).toContain(`for order ${order.orderId}`);
		expect(textOf(result)).toMatch(/found 50 \w+ left, as before/);
		expect(customer.requests(API.reneworder)).toHaveLength(1);
		expect(customer.paid).toBe(0);
	});

	it('are not bought where nobody says how much is left', async () => {
		customer.sandbox.faults.add({ kind: 'code', code: -109, path });
		const result = await customer.renew(newOrder(customer, 5), below(100));
		expect(textOf(result)).toContain('nothing was bought for this item');
		expect(customer.requests(API.reneworder)).toEqual([]);
	});
});

it.each([1, 6, 10, 35, 110, 200, 500, 1000])('%i GB of traffic are sent', async (fpsFlow) => {
	const fields = { renewalOf: 'traffic', renewWhen: 'always', fpsFlow };
	await customer.renew(customer.overseas(5), fields);
	expect(customer.requests(API.reneworder)).toMatchObject([
		{ parameters: { 'fps.flow': String(fpsFlow) } },
	]);
});

describe('Only If Fewer Active Orders Than, by what the list says', () => {
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
		expect(customer.requests(API.createorder)).toEqual([]);
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
		expect(textOf(await customer.buy(two, scheduled()))).toMatch(
			/can't tell .* of order \w+ is unknown.*Look it up in/s,
		);
		active(customer, { product: 'TPS_VIP' });
		const three = { ...FEWER, fewerThan: 3 };
		expect(textOf(await customer.buy(three, scheduled()))).toMatch(
			/can't tell .* of orders \w+, \w+ is unknown.*Look them up in/s,
		);
		const four = { ...FEWER, fewerThan: 4 };
		expect(records(await customer.buy(four, scheduled()))[0].created).toBe(true);
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

	it('never counts what has ended, whatever its status is called', async () => {
		const order = customer.tunnel(-5 * DAY, { status: 'EXPIRED' });
		order.written = { status: 'LAPSED' };
		expect(records(await customer.buy(FEWER, scheduled()))[0].created).toBe(true);
	});

	it('counts an order with an unknown status, and says so', async () => {
		const order = customer.tunnel(30 * DAY);
		order.written = { status: 'RENEWING' };
		const result = await customer.buy(FEWER, scheduled());
		expect(records(result)[0]).toMatchObject({ created: false, orderid: order.orderId });
		expect(hintsOf(result)).toContain("the status 'RENEWING', which this node doesn't know");
	});
});

describe("'Order Type: Automatic', by the status of an order", () => {
	it.each(['RENEWING', 'valid', 'Valid'])('renews an order with the status %s', async (status) => {
		const order = customer.tunnel(DAY);
		order.written = { status };
		expect(renewed(await customer.renewEach([order], WEEK, scheduled()))).toEqual([true]);
	});

	it('renews orders with a status that it does not know, and warns once', async () => {
		const orders = [customer.tunnel(DAY), customer.tunnel(DAY)];
		for (const order of orders) order.written = { status: 'REFUNDED' };
		const result = await customer.renewEach(orders, WEEK, scheduled());
		expect(renewed(result)).toEqual([true, true]);
		const warnings = result.hints.filter(({ message }) => message.includes("'REFUNDED'"));
		expect(warnings).toHaveLength(1);
	});

	it('passes a status in lower case that says the order has ended', async () => {
		const order = customer.tunnel(DAY);
		order.written = { status: 'closed' };
		expect(renewed(await customer.renewEach([order], WEEK, scheduled()))).toEqual([false]);
		expect(customer.paid).toBe(0);
	});
});

it('an item with test: true that is no test event of the trigger: its order is renewed', async () => {
	const { orderId: order } = customer.tunnel(DAY);
	const orderid = typed('={{ $json.order }}');
	const items = [{ order, test: true }];
	expect(renewed(await customer.renewAll({ orderid, ...WEEK }, { items }))).toEqual([true]);
});

it('An overseas order by traffic that passes anyway needs no traffic', async () => {
	const order = customer.overseas(100);
	customer.sandbox.faults.add({ kind: 'status', status: 403, path: API.getfpsflow });
	const result = await customer.renewEach([order], WEEK, scheduled());
	expect(result.error).toBeUndefined();
	expect(renewed(result)).toEqual([false]);
	expect(customer.requests(API.getfpsflow)).toEqual([]);
});

describe('A long execution', () => {
	it('tops an order up again by its condition after ten minutes, and not before', async () => {
		const order = customer.perIp(50);
		const fields = { renewalOf: 'perIp', dpsIpCount: 1000, balanceBelow: 100 };
		const { orderId } = order;
		const orderid = typed(orderId);
		let paid = 0;
		// Used up between two runs of a loop with Wait
		const used = setInterval(() => {
			if (customer.paid > paid) order.ipBalance = 40;
			paid = customer.paid;
		}, 30_000);
		customer.sandbox.faults.add({ kind: 'delay', ms: 150_000, path: API.getaccountorders });
		const options = { timeout: 600, maxOrdersPerRun: 10 };
		const result = await customer.renewAll(
			{ orderid, ...fields, options },
			{ ...scheduled(), runs: 6 },
		);
		clearInterval(used);
		const renewed = result.itemsOfRuns.map(([{ json }]) => json.renewed);
		expect(renewed[0]).toBe(true);
		expect(renewed[1]).toBe(false);
		expect(renewed.slice(2)).toContain(true);
		expect(customer.paid).toBe(2);
	});
});
