import type { IDataObject } from 'n8n-workflow';

import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import {
	BALANCE,
	CREATE,
	Customer,
	elsewhere,
	FEWER,
	LIST,
	ORDER_KINDS,
	records,
	RENEW,
	textOf,
	WEEK,
} from '../support/customer.mts';
import { CONTINUE, RETRY } from '../support/nodeSettings.mts';
import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';
import { LOST, MISSED } from './guardedRenewals.mts';

/* Purchases that are made only where something is missing, or not at all. */

const bed = useTestBed();

let customer: Customer;
beforeEach(() => {
	customer = new Customer(bed());
});

describe('Only If Fewer Active Orders Than', () => {
	it('orders once, however often the workflow runs', async () => {
		const [first, second] = [await customer.buy(FEWER), await customer.buy(FEWER)];
		const [{ orderId }] = customer.payments;
		expect(records(first)[0]).toMatchObject({ orderid: orderId, created: true });
		expect(records(second)[0]).toMatchObject({ orderid: orderId, created: false });
		expect(records(second)[0].reason).toContain('has 1 active order of this kind');
		expect(customer.paid).toBe(1);
	});

	it('orders once for all items of a run', async () => {
		const fields = { ...FEWER, fewerThan: 2, options: { maxOrdersPerRun: 3 } };
		const result = await customer.buy(fields, { items: [{}, {}, {}] });
		expect(records(result).map(({ created }) => created)).toEqual([true, true, false]);
		expect(customer.paid).toBe(2);
	});

	it('counts orders of its own that the list does not show yet, in the run and in later ones', async () => {
		const listed = customer.tunnel(30 * DAY).orderId;
		customer.sandbox.faults.add({ kind: 'cache', path: LIST });
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
		customer.sandbox.faults.add({ kind: 'cache', path: LIST });
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
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: CREATE, times: 1 });
		const body = JSON.stringify({ code: 0, msg: '', data: [] });
		customer.sandbox.faults.add({ kind: 'raw', path: LIST, body });
		const fields = { ...FEWER, prepayTimeNumber: '={{ $json.days }}' };
		const items = [{ days: 1 }, { days: 2 }];
		const result = await customer.buy(fields, { items, settings: CONTINUE });
		for (const { error } of records(result)) {
			expect(error).toContain('The order may have been placed');
		}
		expect(customer.requests(CREATE)).toHaveLength(1);
	});
});

it('an order without a product is refused before anything is sent', async () => {
	const result = await bed().engine.run({
		credentialId: bed().addCredential(customer.account.keys, { keyType: 'account' }),
		parameters: { resource: 'order', operation: 'create' },
	});
	expect(result.error?.message).toContain("'Product' is empty");
	expect(customer.calls).toEqual([]);
});

describe('Dry Run', () => {
	const DRY = { options: { dryRun: true, maxOrdersPerRun: 2 } };

	it('counts what earlier items would buy', async () => {
		const due = { orderid: customer.tunnel(DAY).orderId };
		const orderid = { __rl: true, mode: 'code', value: '={{ $json.orderid }}' };
		const twice = { items: [due, due] };
		const fields = { orderid, ...WEEK };
		const dry = records(await customer.renewAll({ ...fields, ...DRY }, twice));
		expect(dry).toMatchObject([{ wouldRenew: true }, { ...due, wouldRenew: false }]);
		expect(dry[1].reason).toContain('Item 0 of this execution renewed the order');
		const real = records(await customer.renewAll(fields, twice));
		expect(real.map(({ renewed }) => renewed)).toEqual(dry.map(({ wouldRenew }) => wouldRenew));

		const other = new Customer(bed());
		const missing = { ...FEWER, fewerThan: 2 };
		const three = { items: [{}, {}, {}] };
		const options = { dryRun: true, maxOrdersPerRun: 3 };
		const orders = records(await other.buy({ ...missing, options }, three));
		expect(orders.map(({ wouldCreate }) => wouldCreate)).toEqual([true, true, false]);
		expect(other.paid).toBe(0);
	});

	it('says that a manual run would not buy the same again', async () => {
		const settings = { id: uniqueName('node') };
		await customer.buy({}, { settings, executionId: uniqueName('execution') });
		const dry = await customer.buy(DRY, { settings, executionId: uniqueName('execution') });
		expect(records(dry)[0]).toMatchObject({ wouldCreate: false });
		expect(records(dry)[0].reason).toContain('This node bought it');
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
		expect(customer.requests(BALANCE)).toEqual([]);
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
		customer.sandbox.faults.add(LOST);
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
		expect(customer.requests(RENEW)).toHaveLength(1);
		expect(customer.paid).toBe(1);
	});

	it('that were not bought are unclear, with the number of the order and what is left', async () => {
		const order = newOrder(customer, 50);
		customer.sandbox.faults.add(MISSED);
		const result = await customer.renew(order, below(100), { settings: RETRY });
		expect(textOf(result)).toContain(kind.unclear);
		expect(textOf(result)).toContain(`for order ${order.orderId}`);
		expect(textOf(result)).toMatch(/found 50 \w+ left, as before/);
		expect(customer.requests(RENEW)).toHaveLength(1);
		expect(customer.paid).toBe(0);
	});

	it('are not bought where nobody says how much is left', async () => {
		customer.sandbox.faults.add({ kind: 'code', code: -109, path });
		const result = await customer.renew(newOrder(customer, 5), below(100));
		expect(textOf(result)).toContain('nothing was bought for this item');
		expect(customer.requests(RENEW)).toEqual([]);
	});
});

it('traffic is not bought for an order by time, which has no limit', async () => {
	const order = customer.overseas(0);
	order.flowInGb = undefined;
	const result = await customer.renew(order, { ...KINDS.traffic.fields, balanceBelow: 100 });
	expect(records(result)).toMatchObject([{ renewed: false }]);
	expect(records(result)[0].reason).toContain('This is a prepaid order');
	expect(customer.requests(RENEW)).toEqual([]);
});

it.each([
	['minutes', 1500],
	['minutes', 1_001_000],
	['hours', 150],
	['hours', 100_100],
])('the number of IPs is checked by their lifetime: %s, %i', async (proxyLifetime, dpsIpCount) => {
	const fields = { renewalOf: 'perIp', renewWhen: 'always', proxyLifetime, dpsIpCount };
	const { error } = await customer.renew(customer.tunnel(DAY), fields);
	expect(error?.message).toContain(`'IPs to Add' can't be ${dpsIpCount}`);
	expect(customer.requests(RENEW)).toEqual([]);
});

it.each([1, 6, 10, 35, 110, 200, 500, 1000])('%i GB of traffic are sent', async (fpsFlow) => {
	const fields = { renewalOf: 'traffic', renewWhen: 'always', fpsFlow };
	await customer.renew(customer.overseas(5), fields);
	expect(customer.requests(RENEW)).toMatchObject([{ parameters: { 'fps.flow': String(fpsFlow) } }]);
});

describe('auto-renewal', () => {
	it.each([
		['is left alone by itself', undefined, undefined],
		['is turned on', true, '1'],
		['is turned off', false, '0'],
	])('%s', async (_what, isAutoRenew, sent) => {
		const order = customer.tunnel(DAY);
		await customer.renew(order, {
			timeType: 'WEEK',
			...(isAutoRenew === undefined ? {} : { isAutoRenew }),
		});
		const [{ parameters }] = customer.requests(RENEW);
		expect(parameters.is_auto_renew).toBe(sent);
		expect(parameters.auto_renew_unit).toBe(isAutoRenew === true ? 'MONTH' : undefined);
	});
});

it('a refusal names the order, also with the key pair of the order', async () => {
	const order = customer.tunnel(DAY);
	customer.sandbox.faults.add({ kind: 'code', code: -5, path: RENEW });
	for (const run of [
		await customer.renew(order, { timeType: 'WEEK' }),
		await customer.renewByNumber(order, { timeType: 'WEEK' }),
	]) {
		expect(textOf(run)).toContain(`order ${order.orderId}`);
		expect(run.error).toMatchObject({ httpCode: '-5' });
	}
});
