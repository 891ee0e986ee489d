import type { IDataObject } from 'n8n-workflow';

import {
	addManyOrders,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
} from '../../../sandbox/sandbox.mts';
import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer, ORDER_KINDS, typed, WEEK } from '../support/customer.mts';
import { type Polled, Poller } from '../support/poller.mts';
import { sleep } from '../support/sleep.mts';
import { useWorkbench } from '../support/workbench.mts';
import {
	BALANCE_BELOW,
	bed,
	EXPIRED,
	EXPIRING,
	failureOf,
	IPS_BELOW,
	jsonOf,
	logged,
	nextPoll,
	orderFor,
	orderIds,
	pass,
	warn,
	watching,
} from './watching.mts';

describe('a manual test', () => {
	it('shows the orders in the window, told or not, and changes nothing', async () => {
		const account = bed().newAccount();
		const [soon, later, last] = [1, 2, 10].map((days) => orderFor(account, days * DAY));
		const poller = watching('account', account, EXPIRING);
		const both = [soon.orderId, later.orderId];
		expect(orderIds(await poller.tryOut())).toEqual(both);
		expect(orderIds(await poller.activate())).toEqual(both);
		pass(MINUTE);
		const before = poller.state;
		expect(orderIds(await poller.tryOut())).toEqual(both);
		expect(poller.state).toBe(before);
		pass(9 * DAY);
		expect(orderIds(await poller.tryOut())).toEqual([last.orderId]);
		expect(orderIds(await nextPoll(poller))).toEqual([last.orderId]);
	});

	it('shows the order that ends first where none is in the window', async () => {
		const account = bed().newAccount();
		const [, first] = [30, 20].map((days) => orderFor(account, days * DAY));
		const told = await watching('account', account, EXPIRING).tryOut();
		expect(orderIds(told)).toEqual([first.orderId]);
		expect(jsonOf(told)[0]).toMatchObject({ event: 'orderExpiring', status: 'VALID', test: true });
	});

	it('shows the order that ended last, or else one that is made up and in force nowhere', async () => {
		const account = bed().newAccount();
		const running = [9, 8].map((days) => orderFor(account, days * DAY));
		const poller = watching('account', account, EXPIRED);
		const [madeUp] = jsonOf(await poller.tryOut());
		expect(running.map(({ orderId }) => orderId)).not.toContain(madeUp.orderid);
		expect(madeUp).toMatchObject({
			text: 'Test event: Private Proxy order 000000000000000 expired 1 hour ago',
			orderid: '000000000000000',
			status: 'EXPIRED',
			test: true,
		});
		pass(MINUTE);
		const [, ended] = [5, 2].map((days) => orderFor(account, -days * DAY));
		expect(orderIds(await poller.tryOut())).toEqual([ended.orderId]);
	});

	it('shows a balance above the line too', async () => {
		const account = bed().newAccount({ balanceInFen: 500_00 });
		expect(jsonOf(await watching('account', account, BALANCE_BELOW).tryOut())).toEqual([
			{
				event: 'accountBalanceBelow',
				text: 'Test event: The Kuaidaili account balance is 500.00 yuan, not below the limit of 100 yuan',
				balance: '500.00',
				balanceNumber: 500,
				below: 100,
				test: true,
			},
		]);
	});

	it('says that there is nothing to show', async () => {
		const poller = watching('account', bed().newAccount(), EXPIRING);
		expect(await failureOf(poller.tryOut())).toMatchObject({
			message: 'The account has no active order to test this with',
			description: expect.stringContaining("don't match the 'Filters'"),
		});
	});

	it('is told of what went wrong, also after a success', async () => {
		const account = bed().newAccount();
		orderFor(account, DAY);
		const poller = watching('account', account, EXPIRING);
		await poller.activate();
		bed().sandbox.faults.add({ kind: 'status', status: 502 });
		pass(MINUTE);
		const { message } = await failureOf(poller.tryOut());
		expect(message).toMatch(/unavailable right now \(HTTP status 502\)/);
	});
});

describe('polls that overlap', () => {
	/** Two of them; the answer to the first one arrives after the second one is done. */
	async function overlap(poller: Poller, path: string, between: () => void): Promise<Polled[]> {
		const { faults, log } = bed().sandbox;
		const before = log.count(path);
		faults.add({ kind: 'delay', ms: 700, when: 'after', path, times: 1 });
		const slow = poller.poll();
		await until(() => log.count(path) > before);
		// The service has done its work by then, and holds the answer back
		await sleep(100);
		between();
		// Not by a minute: the first one would be given up
		pass(2000);
		const quick = await poller.poll();
		const polled = [quick, await slow];
		expect(logged()).toEqual([]);
		return polled;
	}

	it.each([
		['order', EXPIRING, 4 * DAY, 2 * DAY],
		['end', EXPIRED, HOUR, 2 * HOUR],
	])('tell each %s once', async (_what, parameters, leftMs, laterMs) => {
		const account = bed().newAccount();
		const order = orderFor(account, leftMs);
		const poller = watching('account', account, parameters);
		expect(await poller.activate()).toBeNull();
		pass(laterMs);
		const polled = await overlap(poller, API.getaccountorders, () => undefined);
		expect(polled.flatMap(orderIds)).toEqual([order.orderId]);
		expect(await nextPoll(poller)).toBeNull();
	});

	it('tell again what went below, above and below', async () => {
		const account = bed().newAccount({ balanceInFen: 1_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '1.00' }]);
		account.balanceInFen = 500_00;
		const polled = await overlap(poller, API.getaccountbalance, () => {
			account.balanceInFen = 2_00;
		});
		expect(polled).toEqual([null, null]);
		expect(jsonOf(await nextPoll(poller))).toMatchObject([{ balance: '2.00' }]);
		expect(await nextPoll(poller)).toBeNull();
	});

	it('tell what was told in vain when the workflow was deactivated meanwhile', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, 4 * DAY);
		const poller = watching('account', account, EXPIRING);
		expect(await poller.activate()).toBeNull();
		pass(2 * DAY);
		bed().sandbox.faults.add({ kind: 'delay', ms: 200, when: 'after', times: 1 });
		const discarded = poller.poll();
		poller.deactivate();
		expect(await discarded).toBeNull();
		pass(MINUTE);
		expect(orderIds(await poller.activate())).toEqual([order.orderId]);
	});
});

describe('what is remembered', () => {
	it('survives a crash and a deactivation: nothing is lost, nothing told twice', async () => {
		const account = bed().newAccount();
		const orders = [4, 5, 6, 7].map((days) => orderFor(account, days * DAY));
		const poller = watching('account', account, EXPIRING);
		expect(await poller.activate()).toBeNull();
		pass(DAY);
		expect(orderIds(await nextPoll(poller))).toEqual([orders[0].orderId]);
		poller.crash();
		pass(DAY);
		expect(orderIds(await poller.activate('init'))).toEqual([orders[1].orderId]);
		poller.deactivate();
		pass(DAY);
		expect(orderIds(await poller.activate())).toEqual([orders[2].orderId]);
		expect(await nextPoll(poller)).toBeNull();
		poller.crash();
		pass(DAY);
		expect(orderIds(await poller.activate('init'))).toEqual([orders[3].orderId]);
	});

	it('of 1,000 orders is small', async () => {
		const account = bed().newAccount();
		const { store, clock } = bed().sandbox;
		addManyOrders(store, account, clock.now(), { count: 1000, fromDay: 0.1, toDay: 30 });
		const expiring = watching('account', account, { ...EXPIRING, expiringWithin: 60 });
		const expired = watching('account', account, EXPIRED);
		expect(await expired.activate()).toBeNull();
		// Without those that are paid as used
		expect(orderIds(await expiring.activate())).toHaveLength(900);
		expect(expiring.state.length).toBeLessThan(80_000);
		pass(32 * DAY);
		expect(await expiring.poll()).toBeNull();
		expect(expiring.state.length).toBeLessThan(150);
		pass(MINUTE);
		// Without those that ended more than a week ago
		expect(orderIds(await expired.poll()).length).toBeGreaterThan(100);
		pass(HOUR);
		expect(await expired.poll()).toBeNull();
		expect(expired.state.length).toBeLessThan(15_000);
	});
});

describe('secrets', () => {
	it.each(['hmacsha1', 'token'])('are nowhere, with %s', async (signType) => {
		const { store, clock, tokens, faults } = bed().sandbox;
		const keys = (name: string) => ({
			secretId: uniqueName(name),
			secretKey: `${name}-s3cret+k/y`,
		});
		const account = bed().newAccount({ keys: keys('account'), balanceInFen: 1 });
		const expiresAt = new Date(clock.milliseconds() + 2 * DAY);
		const tunnel = store.addOrder(
			newTunnelProxyOrder('t', account, clock.now(), { keys: keys('tunnel'), expiresAt }),
		);
		const ips = store.addOrder(
			newPrivateProxyOrder('d', account, clock.now(), {
				keys: keys('ips'),
				payType: 'PRE_PAY_IP',
				ipBalance: 1,
				expiresAt,
			}),
		);
		const pollers = [
			watching('account', account, EXPIRING, { signType }),
			watching('account', account, EXPIRED, { signType }),
			watching('account', account, BALANCE_BELOW, { signType }),
			watching('account', account, { ...IPS_BELOW, orderid: typed(ips.orderId) }, { signType }),
			watching('order', tunnel, EXPIRING, { signType }),
			watching('order', tunnel, EXPIRED, { signType }),
			watching('order', ips, IPS_BELOW, { signType }),
		];
		const evidence: unknown[] = [];
		for (const poller of pollers) {
			pass(MINUTE);
			evidence.push(await poller.tryOut());
			pass(MINUTE);
			evidence.push(await poller.activate(), poller.state, poller.savedState);
			// A gateway that repeats what it was asked, and what it knows
			const known = [account, tunnel, ips].flatMap((one) => [
				one.keys.secretKey,
				...(signType === 'token' ? [tokens.obtain(one.keys.secretId).value] : []),
			]);
			faults.add({ kind: 'status', status: 502, body: known[0] + known.join(' ') });
			const own = watching('order', tunnel, EXPIRED, { signType });
			const { message, description } = await failureOf(own.tryOut());
			evidence.push(message, description);
			faults.clear();
		}
		pass(3 * DAY);
		for (const poller of pollers) {
			pass(MINUTE);
			// The key pair of an order that has ended is refused, and that is told
			const polled = await poller.poll().catch((error: unknown) => String(error));
			evidence.push(polled, poller.state);
		}
		const said = JSON.stringify([evidence, warn.mock.calls]);
		const secrets = [account, tunnel, ips].flatMap((one) => [
			one.keys.secretKey,
			tokens.obtain(one.keys.secretId).value,
		]);
		const all = [...secrets, tunnel.login.password, tunnel.login.username];
		expect(all.filter((secret) => said.includes(secret))).toEqual([]);
		expect(said).toContain(tunnel.orderId);
	});
});

/* What a test of the trigger shows, and what 'Order: Renew' behind it buys, by the ledger of the sandbox. */

// A retry that can't read what was bought buys nothing
const { bed: pacedBed, customer } = useWorkbench({ withRecords: true });

const BY_TRIGGER = typed('={{ $json.orderid }}');

const EXPIRING_SOON = { event: 'orderExpiring' };

function triggerOf(customer: Customer, parameters: IDataObject): Poller {
	return new Poller(pacedBed().engine, { parameters, credentialId: customer.credentialId });
}

/** What comes out of the trigger, tried out by hand. */
async function tried(customer: Customer, parameters: IDataObject): Promise<IDataObject[]> {
	const told = await triggerOf(customer, parameters).tryOut();
	return (told ?? []).map(({ json }) => json);
}

describe('a test event of an order that expires soon', () => {
	it('renews nothing by what the editor offers at first, with either key pair', async () => {
		const order = customer.tunnel(DAY);
		const items = await tried(customer, EXPIRING_SOON);
		expect(items).toEqual([expect.objectContaining({ orderid: order.orderId, test: true })]);
		for (const result of [
			await customer.renewByNumber(order, { orderid: BY_TRIGGER }, { items }),
			await customer.renew(order, {}, { items }),
		]) {
			expect(result.items.map(({ json }) => json)).toEqual([
				expect.objectContaining({
					renewed: false,
					reason: expect.stringContaining('This is a test event of Kuaidaili Trigger'),
					expire_time: items[0].expire_time,
				}),
			]);
		}
		expect(customer.requests(API.reneworder)).toEqual([]);
		expect(customer.paid).toBe(0);
	});

	it('renews by an explicit choice', async () => {
		const order = customer.tunnel(DAY);
		const items = await tried(customer, EXPIRING_SOON);
		await customer.renewByNumber(
			order,
			{ orderid: BY_TRIGGER, renewWhen: 'always', ...WEEK },
			{ items },
		);
		expect(customer.paid).toBe(1);
	});

	it('is no test event once the trigger is active: the order is renewed', async () => {
		const order = customer.tunnel(DAY);
		const items = (await triggerOf(customer, EXPIRING_SOON).activate())?.map(({ json }) => json);
		expect(items).toEqual([expect.objectContaining({ orderid: order.orderId })]);
		expect(items?.[0]).not.toHaveProperty('test');
		await customer.renewByNumber(order, { orderid: BY_TRIGGER, ...WEEK }, { items });
		expect(customer.paid).toBe(1);
	});
});

it('a test event of an order with few IPs left buys none by what the editor offers at first', async () => {
	const order = customer.perIp(50);
	const items = await tried(customer, { event: 'ipBalanceBelow', orderid: typed(order.orderId) });
	expect(items).toEqual([expect.objectContaining({ orderid: order.orderId, test: true })]);
	const result = await customer.renewByNumber(
		order,
		{ orderid: BY_TRIGGER, renewalOf: 'perIp', dpsIpCount: 1000 },
		{ items },
	);
	expect(result.items[0].json).toMatchObject({ renewed: false, ip_balance: 50 });
	expect(customer.paid).toBe(0);
});

it('a test event orders nothing', async () => {
	const testEvent = await tried(customer, { event: 'orderExpired' });
	expect(testEvent).toEqual([expect.objectContaining({ test: true })]);
	const { items } = await customer.buy({}, { items: testEvent });
	expect(items.map(({ json }) => json)).toEqual([
		{
			text: expect.stringMatching(/^No Tunnel Proxy order was placed: This is a test event/),
			...ORDER_KINDS.tunnel,
			created: false,
			reason: expect.stringContaining('This is a test event of Kuaidaili Trigger'),
		},
	]);
	expect(customer.paid).toBe(0);
});

it('a test event leaves automatic renewal as it is', async () => {
	const order = customer.tunnel(DAY);
	const items = await tried(customer, EXPIRING_SOON);
	const enable = async (input: IDataObject[]) =>
		await pacedBed().engine.run({
			credentialId: pacedBed().addCredential(customer.account.keys, { keyType: 'account' }),
			parameters: {
				resource: 'autoRenewal',
				operation: 'enable',
				orderid: BY_TRIGGER,
				timeType: 'MONTH',
			},
			items: input,
		});
	const { orderId: orderid } = order;
	expect((await enable(items)).items.map(({ json }) => json)).toEqual([
		{ orderid, changed: false, reason: expect.stringContaining('This is a test event') },
	]);
	expect(customer.requests('/api/setautorenew')).toEqual([]);
	// Other data may have such fields as well
	await enable([{ orderid, test: true, event: 'Black Friday' }]);
	expect(customer.requests('/api/setautorenew')).toHaveLength(1);
});
