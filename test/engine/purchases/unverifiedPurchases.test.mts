import { newOpenProxyOrder } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import {
	CREATE,
	Customer,
	LIST,
	READ_ATTEMPTS,
	records,
	textOf,
	WITHOUT_REPORT,
} from '../support/customer.mts';
import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { CONTINUE, RETRY } from '../support/nodeSettings.mts';
import { sleep } from '../support/sleep.mts';
import { until } from '../support/until.mts';
import { uniqueName } from '../support/testBed.mts';
import { BLIND, elsewhere, ids, LOST, MISSED, SLOWLY, UNCLEAR } from './lostOrders.mts';

itWithOwnBed({
	async 'one that was not placed is unclear, whatever Retry On Fail tries'(bed) {
		const customer = new Customer(bed);
		elsewhere(customer, {});
		customer.sandbox.faults.add(MISSED);
		const result = await customer.buy(WITHOUT_REPORT, { settings: RETRY });
		expect(textOf(result)).toContain(UNCLEAR);
		expect(result.error?.description).toContain(
			'found no new order like this one; it may still appear.',
		);
		expect(result.items).toEqual([]);
		expect(customer.calls).toEqual([LIST, CREATE, LIST, LIST]);
		expect(customer.paid).toBe(0);
	},

	async 'a list that fails before keeps nothing from being bought, and nothing is claimed'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add({ ...BLIND, times: READ_ATTEMPTS }, LOST);
		const result = await customer.buy();
		expect(textOf(result)).toContain(UNCLEAR);
		expect(result.error?.description).not.toContain('order list has');
		expect(customer.requests(CREATE)).toHaveLength(1);
		expect(customer.paid).toBe(1);
	},

	async 'a list that fails before does no harm where the answer comes'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(BLIND);
		const result = await customer.buy({}, { items: [{}, {}] });
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ orderid }) => orderid)).toEqual(ids(customer.payments));
		expect(customer.requests(CREATE)).toHaveLength(2);
	},

	async 'a list that fails afterwards leaves it unclear'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(LOST, SLOWLY);
		const running = customer.buy(WITHOUT_REPORT, { settings: RETRY });
		await customer.asked(CREATE);
		customer.sandbox.faults.add(BLIND);
		const result = await running;
		expect(textOf(result)).toContain(UNCLEAR);
		expect(result.error?.description).toContain("with 'Order: Get Many'");
		expect(result.error?.description).not.toContain('Nothing was bought');
		// After 2 and after 10 seconds
		const looks = Array.from({ length: 2 * READ_ATTEMPTS }, () => LIST);
		expect(customer.calls).toEqual([LIST, CREATE, ...looks]);
		expect(customer.paid).toBe(1);
	},

	async 'half a list afterwards leaves it unclear'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(LOST, SLOWLY);
		const running = customer.buy();
		await customer.asked(CREATE);
		customer.sandbox.faults.add({ kind: 'halfBody', path: LIST });
		const result = await running;
		expect(textOf(result)).toContain(UNCLEAR);
		expect(result.items).toEqual([]);
	},

	async 'an order whose expiry cannot be read afterwards is a success without it, and paid once'(
		bed,
	) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add({ kind: 'delay', ms: 500, path: CREATE });
		const running = customer.buy(WITHOUT_REPORT, { settings: RETRY });
		await customer.asked(CREATE);
		customer.sandbox.faults.add({ kind: 'code', code: -102, path: LIST });
		const result = await running;
		expect(result.error).toBeUndefined();
		expect(records(result)).toEqual([
			{
				orderid: ids(customer.payments)[0],
				product: 'TPS',
				productName: 'Tunnel Proxy',
				pay_type: 'PRE_PAY',
				payTypeName: 'Prepaid',
				created: true,
				purchasedAt: expect.stringMatching(/\+08:00$/),
			},
		]);
		expect(customer.calls).toEqual([LIST, CREATE, LIST]);
		expect(customer.paid).toBe(1);
	},

	async 'one that somebody else placed since the run began is not claimed'(bed) {
		const customer = new Customer(bed);
		const running = customer.buy({}, { items: [{}, {}], settings: CONTINUE });
		await until(() => customer.paid === 1, 20_000);
		const [foreign] = elsewhere(customer, {});
		customer.sandbox.faults.add(MISSED);
		const [first, second] = records(await running);
		expect(first.orderid).toBe(ids(customer.payments)[0]);
		expect(second).toMatchObject({
			error: expect.stringContaining('found no new order like this'),
		});
		expect(String(second.error)).not.toContain(foreign);
	},

	async 'one that comes late is not taken for that of a later run'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(MISSED);
		expect(textOf(await customer.buy())).toContain(UNCLEAR);

		customer.sandbox.faults.add(MISSED, SLOWLY);
		const running = customer.buy();
		await customer.asked(CREATE, 2);
		const [late] = elsewhere(customer, {});
		const result = await running;
		expect(textOf(result)).toContain(UNCLEAR);
		expect(result.error?.description).toContain(`what may be this order (${late})`);
		expect(result.items).toEqual([]);
		expect(customer.paid).toBe(0);
	},

	async 'one that comes late is not taken for a later item of the same run'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(MISSED, LOST);
		const result = await customer.buy({}, { items: [{}, {}, {}], settings: CONTINUE });
		const [lost, last] = ids(customer.payments);
		expect(records(result)).toMatchObject([
			{ error: expect.stringContaining('found no new order like this') },
			// It is the order of this item, which cannot be told from a late one of the item before
			{ error: expect.stringContaining(`what may be this order (${lost})`) },
			{ orderid: last, created: true },
		]);
		expect(customer.paid).toBe(2);
		expect(customer.requests(CREATE)).toHaveLength(3);
	},

	async 'two new orders like it leave it unclear, with both numbers'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(LOST, SLOWLY);
		const running = customer.buy();
		await customer.asked(CREATE);
		const [other] = elsewhere(customer, {});
		const result = await running;
		expect(textOf(result)).toContain(UNCLEAR);
		const own = ids(customer.payments).at(-1);
		for (const orderid of [other, own]) expect(result.error?.description).toContain(orderid);
		expect(customer.paid).toBe(1);
	},

	async 'a new order of another kind is none, and is named'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(MISSED, SLOWLY);
		const running = customer.buy();
		await customer.asked(CREATE);
		const { store, clock } = customer.sandbox;
		const { orderId } = store.addOrder(
			newOpenProxyOrder(uniqueName('order'), customer.account, clock.now(), { plan: 'VIP' }),
		);
		const postPaid = customer.tunnel(DAY, { payType: 'POST_PAY' }).orderId;
		const result = await running;
		expect(result.error?.description).toContain('found no new order like this');
		expect(result.error?.description).toContain(
			`There are new orders of another kind: ${orderId}, ${postPaid}.`,
		);
		expect(result.items).toEqual([]);
	},

	async 'a new order that nobody has paid is none'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(MISSED, SLOWLY);
		const running = customer.buy();
		await customer.asked(CREATE);
		const [unpaid] = elsewhere(customer, { status: 'WAIT_PAY' });
		const result = await running;
		expect(textOf(result)).toContain(UNCLEAR);
		expect(result.error?.description).toContain(unpaid);
		expect(result.error?.description).toContain('its status is "WAIT_PAY"');
		expect(result.items).toEqual([]);
		expect(customer.paid).toBe(0);
	},

	async 'an execution that is cancelled while it looks stays unclear, and sends nothing more'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(LOST);
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		let cancelledAt = NaN;
		// The second list waits a second for its turn
		const cancelWhen = customer
			.asked(CREATE)
			.then(async () => await sleep(300))
			.then(() => (cancelledAt = performance.now()));
		const result = await customer.buy(WITHOUT_REPORT, { items: [{}, {}], cancelWhen });
		expect(performance.now() - cancelledAt).toBeLessThan(500);
		log.mockRestore();
		await sleep(2000);
		expect(result.saved).toContain(UNCLEAR);
		expect(customer.calls).toEqual([LIST, CREATE]);
		expect(customer.paid).toBe(1);
	},

	async 'an execution that is cancelled while it looks before buys nothing'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add({ kind: 'hang', path: LIST });
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const result = await customer.buy(WITHOUT_REPORT, { cancelWhen: customer.asked(LIST) });
		log.mockRestore();
		await sleep(1500);
		expect(result.status).not.toBe('success');
		expect(customer.calls).toEqual([LIST]);
		// And it does not stand in the way of a later one
		customer.sandbox.faults.clear();
		customer.sandbox.faults.add(LOST);
		expect(records(await customer.buy())[0]).toMatchObject({ verified: true });
	},
});
