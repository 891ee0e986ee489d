import type { IDataObject } from 'n8n-workflow';

import {
	addManyOrders,
	newDedicatedProxyOrder,
	newOpenProxyOrder,
	newOverseasProxyOrder,
	newOverseasStaticProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
	type Account,
	type Fault,
	type Order,
} from '../../../sandbox/sandbox.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { Poller, type Polled } from '../support/poller.mts';
import { useProcessClock } from '../support/processClock.mts';
import { startScriptedService } from '../support/scriptedService.mts';
import { sleep } from '../support/sleep.mts';
import { uniqueName, useTestBed } from '../support/testBed.mts';
import { until } from '../support/until.mts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const LIST = '/api/getaccountorders';
const INFO = '/api/getorderinfo';
const BALANCE = '/api/getaccountbalance';
const IP_BALANCE = '/api/getipbalance';

const bed = useTestBed({ timestampToleranceSeconds: 10 * 365 * 24 * 3600, rateLimits: false });
const processClock = useProcessClock();

const warn = jest.spyOn(n8nLogger, 'warn').mockImplementation(() => undefined);

beforeEach(() => {
	warn.mockClear();
});

function logged(): string[] {
	return warn.mock.calls.map(([message]) => message);
}

/** Time passes, for the service and for the node. */
function pass(milliseconds: number): void {
	bed().sandbox.clock.advance(milliseconds);
	processClock.advance(milliseconds);
}

type Keys = Pick<Account, 'keys'>;

/** A workflow that is not active yet. */
function watching(
	keyType: 'account' | 'order',
	{ keys }: Keys,
	parameters: IDataObject,
	changes: Record<string, string> = {},
): Poller {
	const credentialId = bed().addCredential(keys, { keyType, ...changes });
	return new Poller(bed().engine, { parameters, credentialId });
}

/** The next poll, one minute later. */
async function nextPoll(poller: Poller): Promise<Polled> {
	pass(MINUTE);
	return await poller.poll();
}

function jsonOf(polled: Polled): IDataObject[] {
	return (polled ?? []).map(({ json }) => json);
}

function orderIds(polled: Polled): unknown[] {
	return jsonOf(polled).map(({ orderid }) => orderid);
}

type Make = (name: string, account: Account, now: Date, settings: { expiresAt: Date }) => Order;

/** In force; it ends after that time. */
function orderFor(account: Account, leftMs: number, make: Make = newDedicatedProxyOrder): Order {
	const { store, clock } = bed().sandbox;
	const expiresAt = new Date(clock.milliseconds() + leftMs);
	return store.addOrder(make(uniqueName('order'), account, clock.now(), { expiresAt }));
}

function prolong(order: Order, milliseconds: number): void {
	if (order.expiresAt === undefined) throw new Error('The order does not end');
	const from = Math.max(order.expiresAt.getTime(), bed().sandbox.clock.milliseconds());
	order.expiresAt = new Date(from + milliseconds);
}

async function failureOf(
	work: Promise<unknown>,
): Promise<{ message: string; description: string }> {
	try {
		await work;
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		const description: unknown = Reflect.get(error, 'description');
		return { message: error.message, description: String(description) };
	}
	throw new Error('It went well');
}

/** An order number as a user types it. */
function chosen(orderid: string): IDataObject {
	return { __rl: true, mode: 'code', value: orderid };
}

/** Each order once; what reminds of it is tried by itself. */
const EXPIRING = { event: 'orderExpiring', remindEvery: 0 };
const EXPIRED = { event: 'orderExpired' };
const BALANCE_BELOW = { event: 'accountBalanceBelow', balanceBelow: 100 };
const IPS_BELOW = { event: 'ipBalanceBelow', ipBalanceBelow: 50 };

describe('Order Expiring', () => {
	it('tells at once what is in the window already, and each order once', async () => {
		const account = bed().newAccount();
		const [soon, later, last] = [1, 2.9, 10].map((days) => orderFor(account, days * DAY));
		orderFor(account, -DAY);
		const poller = watching('account', account, EXPIRING);
		expect(orderIds(await poller.activate())).toEqual([soon.orderId, later.orderId]);
		expect(await nextPoll(poller)).toBeNull();
		pass(7 * DAY - HOUR);
		expect(await nextPoll(poller)).toBeNull();
		pass(HOUR);
		expect(orderIds(await nextPoll(poller))).toEqual([last.orderId]);
		expect(await nextPoll(poller)).toBeNull();
		pass(4 * DAY);
		expect(await nextPoll(poller)).toBeNull();
		expect(logged()).toEqual([]);
	});

	it('reminds of an order every day until it is renewed or has ended, by default', async () => {
		const account = bed().newAccount();
		const [renewed, ended] = [2.5, 2.9].map((days) => orderFor(account, days * DAY));
		const both = [renewed.orderId, ended.orderId];
		const poller = watching('account', account, { event: 'orderExpiring' });
		expect(orderIds(await poller.activate())).toEqual(both);
		pass(12 * HOUR);
		expect(await poller.poll()).toBeNull();
		// n8n may poll a little earlier than the day before
		pass(12 * HOUR - MINUTE);
		expect(orderIds(await poller.poll())).toEqual(both);
		expect(await nextPoll(poller)).toBeNull();
		prolong(renewed, 30 * DAY);
		pass(DAY);
		expect(orderIds(await poller.poll())).toEqual([ended.orderId]);
		pass(DAY);
		expect(await poller.poll()).toBeNull();
	});

	it('reminds as often as it is told to, also after a restart of n8n', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, DAY);
		const poller = watching('account', account, { event: 'orderExpiring', remindEvery: 2 });
		expect(orderIds(await poller.activate())).toEqual([order.orderId]);
		pass(HOUR);
		poller.crash();
		expect(await poller.activate('init')).toBeNull();
		pass(HOUR);
		expect(orderIds(await poller.poll())).toEqual([order.orderId]);
	});

	it('leaves out orders that have ended, also those that ended while n8n was down', async () => {
		const account = bed().newAccount();
		orderFor(account, -HOUR);
		const [during, after] = [10, 21].map((days) => orderFor(account, days * DAY));
		const poller = watching('account', account, { event: 'orderExpiring' });
		expect(await poller.activate()).toBeNull();
		poller.crash();
		pass(20 * DAY);
		const emitted = orderIds(await poller.activate('init'));
		expect(emitted).toEqual([after.orderId]);
		expect(emitted).not.toContain(during.orderId);
	});

	it('misses nothing after a Date header far ahead', async () => {
		const account = bed().newAccount();
		const [soon, later] = [4, 6].map((days) => orderFor(account, days * DAY));
		const poller = watching('account', account, { event: 'orderExpiring' });
		expect(await poller.activate()).toBeNull();
		bed().sandbox.clock.advance(300 * DAY);
		expect(await poller.poll()).toBeNull();
		bed().sandbox.clock.advance(-300 * DAY);
		for (const order of [soon, later]) order.status = 'VALID';
		pass(2 * DAY);
		expect(orderIds(await poller.poll())).toEqual([soon.orderId]);
		pass(2 * DAY);
		expect(orderIds(await poller.poll())).toContain(later.orderId);
	});

	it('tells an order again after a renewal', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, DAY);
		const poller = watching('account', account, EXPIRING);
		expect(orderIds(await poller.activate())).toEqual([order.orderId]);
		prolong(order, 30 * DAY);
		expect(await nextPoll(poller)).toBeNull();
		pass(29 * DAY);
		expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
		// Still in the window
		prolong(order, DAY / 2);
		expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
		expect(await nextPoll(poller)).toBeNull();
	});

	it('says of an order what the service says, and when it ends', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, DAY);
		const [json] = jsonOf(await watching('account', account, EXPIRING).activate());
		expect(json).toEqual({
			event: 'orderExpiring',
			orderid: order.orderId,
			pay_type: 'PRE_PAY',
			product: 'KPS',
			status: 'VALID',
			expire_time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
			expiresAt: `${String(json.expire_time).replace(' ', 'T')}+08:00`,
			secondsLeft: expect.any(Number),
		});
		const expiry = Date.parse(String(json.expiresAt));
		expect(Math.abs(expiry - Number(order.expiresAt))).toBeLessThan(1000);
		expect(Math.abs(Number(json.secondsLeft) - DAY / 1000)).toBeLessThan(5);
	});

	it('counts hours as well', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, 2 * HOUR);
		orderFor(account, 4 * HOUR);
		const window = { expiringWithin: 3, expiringWithinUnit: 'hours' };
		const polled = await watching('account', account, { ...EXPIRING, ...window }).activate();
		expect(orderIds(polled)).toEqual([order.orderId]);
	});

	it('looks at the chosen pay types only', async () => {
		const account = bed().newAccount();
		const perIp: Make = (name, owner, now, settings) =>
			newPrivateProxyOrder(name, owner, now, { ...settings, payType: 'PRE_PAY_IP' });
		orderFor(account, DAY, perIp);
		const prepaid = orderFor(account, DAY, newPrivateProxyOrder);
		const filters = { payTypes: ['PRE_PAY'] };
		const poller = watching('account', account, { ...EXPIRING, filters });
		expect(orderIds(await poller.activate())).toEqual([prepaid.orderId]);
	});

	it('looks at the chosen products only', async () => {
		const account = bed().newAccount();
		orderFor(account, DAY);
		const tunnel = orderFor(account, DAY, newTunnelProxyOrder);
		const own = orderFor(account, DAY, newPrivateProxyOrder);
		const filters = { products: ['TPS', 'DPS'] };
		const poller = watching('account', account, { ...EXPIRING, filters });
		expect(orderIds(await poller.activate())).toEqual([tunnel.orderId, own.orderId]);
	});

	it('leaves out orders that do not end, and those out of use', async () => {
		const account = bed().newAccount();
		const { store, clock } = bed().sandbox;
		const payAsUsed = { payType: 'POST_PAY' } as const;
		store.addOrder(newTunnelProxyOrder(uniqueName('tps'), account, clock.now(), payAsUsed));
		orderFor(account, DAY).status = 'FORBIDDEN';
		orderFor(account, DAY).status = 'WAIT_PAY';
		expect(await watching('account', account, EXPIRING).activate()).toBeNull();
	});

	it.each<[name: string, make: Make]>([
		['dedicated-proxy', newDedicatedProxyOrder],
		['private-proxy', newPrivateProxyOrder],
		['tunnel-proxy', newTunnelProxyOrder],
	])('sees with the key pair of a %s order that one alone', async (_name, make) => {
		const account = bed().newAccount();
		const order = orderFor(account, 4 * DAY, make);
		orderFor(account, DAY);
		const poller = watching('order', order, EXPIRING);
		expect(await poller.activate()).toBeNull();
		pass(DAY);
		expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
		expect(await nextPoll(poller)).toBeNull();
		prolong(order, 10 * DAY);
		expect(await nextPoll(poller)).toBeNull();
		pass(10 * DAY);
		expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
	});

	it('sees the expiry of an order that is paid per IP', async () => {
		const account = bed().newAccount();
		const perIp: Make = (name, owner, now, settings) =>
			newPrivateProxyOrder(name, owner, now, { ...settings, payType: 'PRE_PAY_IP' });
		const order = orderFor(account, DAY, perIp);
		expect(orderIds(await watching('order', order, EXPIRING).activate())).toEqual([order.orderId]);
	});

	it('keeps quiet after the end of the order of the key pair', async () => {
		const order = orderFor(bed().newAccount(), DAY);
		const poller = watching('order', order, EXPIRING);
		expect(orderIds(await poller.activate())).toEqual([order.orderId]);
		pass(2 * DAY);
		expect(await nextPoll(poller)).toBeNull();
		pass(10 * DAY);
		expect(await nextPoll(poller)).toBeNull();
		prolong(order, DAY);
		expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
	});

	it('takes no refusal of the key pair for the end of an order whose time is not over', async () => {
		const order = orderFor(bed().newAccount(), 4 * DAY);
		const poller = watching('order', order, EXPIRING);
		expect(await poller.activate()).toBeNull();
		order.status = 'FORBIDDEN';
		pass(2 * DAY);
		expect((await failureOf(nextPoll(poller))).message).toMatch(/does not exist or has expired/);
		expect(logged()).toEqual([]);
	});

	it('does not take another key pair that is refused for the order of an earlier one', async () => {
		const account = bed().newAccount();
		const [first, second] = [6, -1].map((days) => orderFor(account, days * DAY));
		const poller = watching('order', first, EXPIRING);
		expect(await poller.activate()).toBeNull();
		poller.deactivate();
		bed().engine.credentials.edit(poller.settings.credentialId, { ...second.keys });
		pass(4 * DAY);
		expect((await failureOf(poller.activate())).message).toMatch(/does not exist or has expired/);
		bed().engine.credentials.edit(poller.settings.credentialId, { ...first.keys });
		expect(orderIds(await poller.activate())).toEqual([first.orderId]);
	});
});

describe('Order Expired', () => {
	it('tells each end once, and none from before the first look', async () => {
		const account = bed().newAccount();
		orderFor(account, -MINUTE);
		const [first, second] = [HOUR, 5 * HOUR].map((left) => orderFor(account, left));
		const poller = watching('account', account, EXPIRED);
		expect(await poller.activate()).toBeNull();
		pass(HOUR);
		const told = await nextPoll(poller);
		expect(orderIds(told)).toEqual([first.orderId]);
		expect(jsonOf(told)[0]).toMatchObject({ event: 'orderExpired', status: 'EXPIRED' });
		expect(await nextPoll(poller)).toBeNull();
		pass(5 * HOUR);
		expect(orderIds(await nextPoll(poller))).toEqual([second.orderId]);
		pass(HOUR);
		expect(await nextPoll(poller)).toBeNull();
	});

	it('tells an order again after a renewal', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, HOUR);
		const poller = watching('account', account, EXPIRED);
		expect(await poller.activate()).toBeNull();
		pass(HOUR);
		expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
		prolong(order, DAY);
		expect(await nextPoll(poller)).toBeNull();
		pass(DAY);
		expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
		expect(await nextPoll(poller)).toBeNull();
	});

	it('misses no end after a Date header far ahead, and tells none twice', async () => {
		const account = bed().newAccount();
		const ended = orderFor(account, -DAY);
		const [first, second] = [HOUR, 5 * HOUR].map((left) => orderFor(account, left));
		const poller = watching('account', account, EXPIRED);
		expect(await poller.activate()).toBeNull();
		pass(2 * HOUR);
		expect(orderIds(await poller.poll())).toEqual([first.orderId]);
		const list = JSON.stringify({
			code: 0,
			msg: '',
			data: [ended, first].map(({ orderId }) => ({ orderid: orderId, status: 'EXPIRED' })),
		});
		const date = new Date(bed().sandbox.clock.milliseconds() + 300 * DAY).toUTCString();
		const service = await startScriptedService(() => ({ headers: { date }, body: list }));
		bed().engine.credentials.edit(poller.settings.credentialId, { ...service.hosts });
		await poller.poll();
		await service.close();
		bed().engine.credentials.edit(poller.settings.credentialId, { ...bed().sandbox.hosts });
		expect(await nextPoll(poller)).toBeNull();
		pass(5 * HOUR);
		expect(orderIds(await poller.poll())).toEqual([second.orderId]);
	});

	it('takes the orders of another account for known at its first poll', async () => {
		const [one, other] = [bed().newAccount(), bed().newAccount()];
		orderFor(other, -DAY);
		const poller = watching('account', one, EXPIRED);
		expect(await poller.activate()).toBeNull();
		poller.deactivate();
		bed().engine.credentials.edit(poller.settings.credentialId, { ...other.keys });
		expect(await poller.activate()).toBeNull();
		const order = orderFor(other, HOUR);
		pass(2 * HOUR);
		expect(orderIds(await poller.poll())).toEqual([order.orderId]);
	});

	it('looks at the chosen products only', async () => {
		const account = bed().newAccount();
		orderFor(account, HOUR);
		const tunnel = orderFor(account, HOUR, newTunnelProxyOrder);
		const poller = watching('account', account, { ...EXPIRED, filters: { products: ['TPS'] } });
		expect(await poller.activate()).toBeNull();
		pass(HOUR);
		expect(orderIds(await nextPoll(poller))).toEqual([tunnel.orderId]);
	});

	it('takes the refusal of the key pair for the end of its order', async () => {
		const order = orderFor(bed().newAccount(), HOUR);
		const poller = watching('order', order, EXPIRED);
		expect(await poller.activate()).toBeNull();
		pass(HOUR);
		const told = await nextPoll(poller);
		expect(orderIds(told)).toEqual([order.orderId]);
		expect(jsonOf(told)[0]).toMatchObject({ status: 'EXPIRED', product: 'KPS' });
		expect(bed().sandbox.log.last(INFO)?.code).toBe(-102);
		expect(await nextPoll(poller)).toBeNull();
		poller.crash();
		expect(await poller.activate('init')).toBeNull();
		expect(logged()).toEqual([]);
		prolong(order, DAY);
		expect(await nextPoll(poller)).toBeNull();
		pass(DAY);
		expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
	});

	it('refuses the key pair of an order that was never seen in force', async () => {
		const order = orderFor(bed().newAccount(), -HOUR);
		const { message, description } = await failureOf(watching('order', order, EXPIRED).activate());
		expect(message).toMatch(/does not exist or has expired/);
		expect(description).toMatch(/'Secret ID'/);
	});
});

describe('Account Balance Below', () => {
	it('tells each crossing of the line once', async () => {
		const account = bed().newAccount({ balanceInFen: 150_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		expect(await poller.activate()).toBeNull();
		account.balanceInFen = 100_00;
		expect(await nextPoll(poller)).toBeNull();
		account.balanceInFen = 99_99;
		expect(jsonOf(await nextPoll(poller))).toEqual([
			{ event: 'accountBalanceBelow', balance: '99.99', balanceNumber: 99.99, below: 100 },
		]);
		account.balanceInFen = 1;
		expect(await nextPoll(poller)).toBeNull();
		account.balanceInFen = 500_00;
		expect(await nextPoll(poller)).toBeNull();
		account.balanceInFen = 0;
		expect(jsonOf(await nextPoll(poller))).toMatchObject([{ balance: '0.00' }]);
	});

	it('tells at once what is below already, and nothing again when it is activated anew', async () => {
		const account = bed().newAccount({ balanceInFen: 5_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '5.00' }]);
		poller.deactivate();
		expect(await poller.activate()).toBeNull();
		expect(await nextPoll(poller)).toBeNull();
	});

	it('loses no crossing over a restart of n8n, and tells once more what is still below', async () => {
		const account = bed().newAccount({ balanceInFen: 5_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '5.00' }]);
		account.balanceInFen = 500_00;
		expect(await nextPoll(poller)).toBeNull();
		// n8n has not saved that it was above
		poller.crash();
		account.balanceInFen = 4_00;
		expect(jsonOf(await poller.activate('init'))).toMatchObject([{ balance: '4.00' }]);
		expect(await nextPoll(poller)).toBeNull();
		poller.crash();
		expect(jsonOf(await poller.activate('init'))).toMatchObject([{ balance: '4.00' }]);
	});

	it('tells anew for another line, and for another account', async () => {
		const accounts = [5_00, 6_00].map((balanceInFen) => bed().newAccount({ balanceInFen }));
		const poller = watching('account', accounts[0], BALANCE_BELOW);
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '5.00' }]);
		poller.deactivate();
		poller.settings.parameters = { ...BALANCE_BELOW, balanceBelow: 50 };
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '5.00', below: 50 }]);
		poller.deactivate();
		bed().engine.credentials.edit(poller.settings.credentialId, { ...accounts[1].keys });
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '6.00' }]);
	});

	it('refuses the key pair of an order, and says which one is needed', async () => {
		const order = orderFor(bed().newAccount(), DAY);
		const { message, description } = await failureOf(
			watching('order', order, BALANCE_BELOW).activate(),
		);
		expect(message).toMatch(/needs the account's key pair/);
		expect(description).toMatch(/account's key pair/i);
	});
});

describe('overseas static orders', () => {
	it.each(['SFPS', 'FPS_STATIC'] as const)(
		'pass the filter for their product when the service calls it %s',
		async (code) => {
			const { sandbox } = bed();
			const account = bed().newAccount();
			const { orderId } = orderFor(account, DAY, newOverseasStaticProxyOrder);
			const before = sandbox.settings.overseasStaticCode;
			sandbox.settings.overseasStaticCode = code;
			const poller = watching('account', account, { ...EXPIRING, filters: { products: ['SFPS'] } });
			const told = await poller.activate();
			sandbox.settings.overseasStaticCode = before;
			expect(jsonOf(told)).toEqual([expect.objectContaining({ orderid: orderId, product: code })]);
		},
	);
});

describe('IP Balance Below', () => {
	function privateOrder(ipBalance: number | undefined) {
		const { store, clock } = bed().sandbox;
		const settings = { payType: 'PRE_PAY_IP', ipBalance } as const;
		const account = bed().newAccount();
		return store.addOrder(newPrivateProxyOrder(uniqueName('dps'), account, clock.now(), settings));
	}

	it.each(['account', 'order'] as const)(
		'tells each crossing of the line once, with the key pair of the %s',
		async (keyType) => {
			const order = privateOrder(60);
			const isAccount = keyType === 'account';
			const poller = watching(keyType, isAccount ? order.account : order, {
				...IPS_BELOW,
				...(isAccount ? { orderid: chosen(order.orderId) } : {}),
			});
			const told = {
				event: 'ipBalanceBelow',
				balanceOf: 'order',
				below: 50,
				...(isAccount ? { orderid: order.orderId } : {}),
			};
			expect(await poller.activate()).toBeNull();
			order.ipBalance = 50;
			expect(await nextPoll(poller)).toBeNull();
			order.ipBalance = 49;
			expect(jsonOf(await nextPoll(poller))).toEqual([{ ...told, balance: 49 }]);
			order.ipBalance = 3;
			expect(await nextPoll(poller)).toBeNull();
			order.ipBalance = 1000;
			expect(await nextPoll(poller)).toBeNull();
			order.ipBalance = 0;
			expect(jsonOf(await nextPoll(poller))).toEqual([{ ...told, balance: 0 }]);
		},
	);

	it('asks once what the balance counts, and names the quota left today as such', async () => {
		const { store, clock, log } = bed().sandbox;
		const settings = { payType: 'PRE_PAY', fetchType: 2, ipBalance: 60 } as const;
		const order = store.addOrder(
			newPrivateProxyOrder(uniqueName('dps'), bed().newAccount(), clock.now(), settings),
		);
		const poller = watching('order', order, IPS_BELOW);
		expect(await poller.activate()).toBeNull();
		order.ipBalance = 49;
		expect(jsonOf(await nextPoll(poller))).toEqual([
			{ event: 'ipBalanceBelow', balance: 49, balanceOf: 'today', below: 50 },
		]);
		expect(await nextPoll(poller)).toBeNull();
		expect(log.count(INFO)).toBe(1);
		expect(log.count(IP_BALANCE)).toBe(3);
	});

	it("wants an order with the account's key pair", async () => {
		const poller = watching('account', bed().newAccount(), IPS_BELOW);
		const { message, description } = await failureOf(poller.activate());
		expect(message).toMatch(/^'Order' is empty, which cannot be used/);
		expect(description).toMatch(/Choose an order from the list/);
	});

	it('wants no order with the key pair of one', async () => {
		const order = privateOrder(60);
		const orderid = chosen(order.orderId);
		const poller = watching('order', order, { ...IPS_BELOW, orderid });
		const { message, description } = await failureOf(poller.activate());
		expect(message).toMatch(/^'Order' is /);
		expect(description).toMatch(/Leave the field empty/);
		expect(bed().sandbox.log.count(IP_BALANCE)).toBe(0);
	});

	it('refuses an order that has no IP balance', async () => {
		const order = orderFor(bed().newAccount(), DAY);
		const { message, description } = await failureOf(
			watching('order', order, IPS_BELOW).activate(),
		);
		expect(message).toMatch(/has no IP balance/);
		expect(description).toMatch(/pay-per-IP/);
	});
});

describe('Traffic Below', () => {
	const TRAFFIC_BELOW = { event: 'trafficBelow', trafficBelow: 500 };

	function overseasOrder(settings: { flowInGb?: number } = {}) {
		const { store, clock } = bed().sandbox;
		const account = bed().newAccount();
		return store.addOrder(
			newOverseasProxyOrder(uniqueName('fps'), account, clock.now(), {
				flowInGb: 1,
				flowUsedInMb: {},
				...settings,
			}),
		);
	}

	it.each(['account', 'order'] as const)(
		'tells each crossing of the line once, with the key pair of the %s',
		async (keyType) => {
			const order = overseasOrder();
			const isAccount = keyType === 'account';
			const poller = watching(keyType, isAccount ? order.account : order, {
				...TRAFFIC_BELOW,
				...(isAccount ? { orderid: chosen(order.orderId) } : {}),
			});
			const told = {
				event: 'trafficBelow',
				below: 500,
				...(isAccount ? { orderid: order.orderId } : {}),
			};
			const use = (megabytes: number) => {
				order.flowUsedInMb['2026-01-01'] = megabytes;
			};
			expect(await poller.activate()).toBeNull();
			use(524);
			expect(await nextPoll(poller)).toBeNull();
			use(524.5);
			expect(jsonOf(await nextPoll(poller))).toEqual([{ ...told, flow_left: 499.5 }]);
			use(1000);
			expect(await nextPoll(poller)).toBeNull();
			order.flowInGb = 2;
			expect(await nextPoll(poller)).toBeNull();
			use(2000);
			expect(jsonOf(await nextPoll(poller))).toEqual([{ ...told, flow_left: 48 }]);
		},
	);

	it('says that an order by the month has no traffic left', async () => {
		const order = overseasOrder({ flowInGb: undefined });
		const { message, description } = await failureOf(
			watching('order', order, TRAFFIC_BELOW).activate(),
		);
		expect(message).toMatch(/does not say how much traffic this order has left/);
		expect(description).toMatch(/billed by the month.*Choose another order/);
	});

	it('says that an order of another product has none', async () => {
		const order = orderFor(bed().newAccount(), DAY);
		const { description } = await failureOf(watching('order', order, TRAFFIC_BELOW).activate());
		expect(description).toMatch(/overseas dynamic order \(FPS\)/);
	});

	it.each([0, -1, '={{ "much" }}'])('refuses the line %s before anything is sent', async (line) => {
		const parameters = { ...TRAFFIC_BELOW, trafficBelow: line };
		const { message } = await failureOf(watching('order', overseasOrder(), parameters).activate());
		expect(message).toMatch(/^'Below \(MB\)' is /);
		expect(bed().sandbox.log.count()).toBe(0);
	});
});

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

	it('shows the order that ended last, or else the one that ends first', async () => {
		const account = bed().newAccount();
		const [, second] = [9, 8].map((days) => orderFor(account, days * DAY));
		const poller = watching('account', account, EXPIRED);
		expect(orderIds(await poller.tryOut())).toEqual([second.orderId]);
		pass(MINUTE);
		const [, ended] = [5, 2].map((days) => orderFor(account, -days * DAY));
		expect(orderIds(await poller.tryOut())).toEqual([ended.orderId]);
	});

	it('shows a balance above the line too', async () => {
		const account = bed().newAccount({ balanceInFen: 500_00 });
		expect(jsonOf(await watching('account', account, BALANCE_BELOW).tryOut())).toEqual([
			{
				event: 'accountBalanceBelow',
				balance: '500.00',
				balanceNumber: 500,
				below: 100,
				test: true,
			},
		]);
	});

	it.each([
		[EXPIRING, 'The account has no active order to test this with'],
		[EXPIRED, 'The account has no order to test this with'],
	])('says of %j that there is nothing to show', async (parameters, message) => {
		const poller = watching('account', bed().newAccount(), parameters);
		expect(await failureOf(poller.tryOut())).toMatchObject({ message });
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

describe('a look that fails', () => {
	type FaultCase = [name: string, fault: Fault, message: RegExp];

	const PASSING: FaultCase[] = [
		['a gateway', { kind: 'status', status: 502 }, /unavailable right now/],
		['a cut', { kind: 'cut' }, /was lost before the whole response/],
		['a fault of the service', { kind: 'code', code: -109 }, /went wrong on Kuaidaili's side/],
	];

	const LASTING: FaultCase[] = [
		['half an answer', { kind: 'halfBody' }, /^The service's response /],
		['a page', { kind: 'html' }, /is a web page/],
		['a wrong signature', { kind: 'code', code: -104 }, /signature was not accepted/],
		['an API whitelist', { kind: 'code', code: -108 }, /not on the account's API whitelist/],
	];

	it.each(LASTING)(
		'later because of %s is an execution that failed',
		async (_n, fault, message) => {
			const account = bed().newAccount();
			const order = orderFor(account, 4 * DAY);
			const poller = watching('account', account, EXPIRING);
			expect(await poller.activate()).toBeNull();
			bed().sandbox.faults.add(fault);
			pass(2 * DAY);
			expect((await failureOf(poller.poll())).message).toMatch(message);
			expect(logged()).toEqual([]);
			bed().sandbox.faults.clear();
			expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
		},
	);

	it.each<[string, IDataObject, RegExp]>([
		['a window of 99.5', { expiringWithin: 99.5 }, /^'Expiring Within' is 99.5/],
		['another event', { event: 'none' }, /^'Event' is "none"/],
	])('later because of %s is an execution that failed', async (_name, parameters, message) => {
		const account = bed().newAccount();
		const poller = watching('account', account, EXPIRING);
		expect(await poller.activate()).toBeNull();
		poller.deactivate();
		poller.settings.parameters = { ...EXPIRING, ...parameters };
		expect((await failureOf(poller.activate())).message).toMatch(message);
	});

	it('later because of a key pair of the wrong kind is an execution that failed', async () => {
		const account = bed().newAccount({ balanceInFen: 500_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		expect(await poller.activate()).toBeNull();
		const { credentials } = bed().engine;
		credentials.edit(poller.settings.credentialId, { keyType: 'order' });
		expect((await failureOf(nextPoll(poller))).message).toMatch(/needs the account's key pair/);
	});

	it.each([...PASSING, ...LASTING])(
		'at first because of %s is loud',
		async (_name, fault, message) => {
			const account = bed().newAccount();
			const order = orderFor(account, DAY);
			const poller = watching('account', account, EXPIRING);
			bed().sandbox.faults.add(fault);
			expect((await failureOf(poller.activate())).message).toMatch(message);
			expect(poller.isActive).toBe(false);
			expect(poller.state).toBe('{}');
			expect(logged()).toEqual([]);
			bed().sandbox.faults.clear();
			pass(MINUTE);
			expect(orderIds(await poller.activate())).toEqual([order.orderId]);
		},
	);

	it.each(PASSING)('later because of %s is logged and made good', async (_name, fault, message) => {
		const account = bed().newAccount();
		const [first, second] = [4, 5].map((days) => orderFor(account, days * DAY));
		const poller = watching('account', account, EXPIRING);
		expect(await poller.activate()).toBeNull();
		const before = poller.state;
		bed().sandbox.faults.add(fault);
		pass(HOUR);
		expect(await poller.poll()).toBeNull();
		pass(DAY);
		expect(await poller.poll()).toBeNull();
		expect(poller.state).toBe(before);
		expect(logged()).toEqual([expect.stringMatching(message), expect.stringMatching(message)]);
		expect(logged()[0]).toMatch(/\. Try again in a few minutes\./);
		bed().sandbox.faults.clear();
		pass(DAY);
		expect(orderIds(await nextPoll(poller))).toEqual([first.orderId, second.orderId]);
	});

	it('later because of a refused connection is logged and made good', async () => {
		const account = bed().newAccount({ balanceInFen: 500_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		const { credentials } = bed().engine;
		expect(await poller.activate()).toBeNull();
		credentials.edit(poller.settings.credentialId, { baseUrl: 'http://127.0.0.1:1' });
		account.balanceInFen = 1;
		expect(await nextPoll(poller)).toBeNull();
		expect(logged()).toEqual([expect.stringMatching(/refused the connection/)]);
		credentials.edit(poller.settings.credentialId, { ...bed().sandbox.hosts });
		expect(jsonOf(await nextPoll(poller))).toMatchObject([{ balance: '0.01' }]);
	});

	it('keeps n8n from starting anew only before the first success', async () => {
		const account = bed().newAccount();
		const poller = watching('account', account, EXPIRING);
		expect(await poller.activate()).toBeNull();
		poller.crash();
		bed().sandbox.faults.add({ kind: 'status', status: 503 });
		pass(MINUTE);
		expect(await poller.activate('init')).toBeNull();
		expect(poller.isActive).toBe(true);
		expect(logged()).toHaveLength(1);
	});

	it('waits when it comes too fast, and then succeeds', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, DAY);
		bed().sandbox.faults.add({ kind: 'code', code: -120, times: 1 });
		expect(orderIds(await watching('account', account, EXPIRING).activate())).toEqual([
			order.orderId,
		]);
		expect(bed().sandbox.log.count(LIST)).toBe(2);
	});
});

describe('wrong parameters', () => {
	it.each<[parameters: IDataObject, message: RegExp]>([
		[{ event: 'orderBought' }, /^'Event' is "orderBought"/],
		[{ event: 5 }, /^'Event' is 5/],
		[{ event: 'toString' }, /^'Event' is "toString"/],
		[{ ...EXPIRING, expiringWithin: 0 }, /^'Expiring Within' is 0/],
		[{ ...EXPIRING, expiringWithin: 1.5 }, /^'Expiring Within' is 1.5/],
		[{ ...EXPIRING, expiringWithin: '={{ -1 }}' }, /^'Expiring Within' is -1/],
		[{ ...EXPIRING, expiringWithin: '={{ 10001 }}' }, /^'Expiring Within' is 10001/],
		[{ ...EXPIRING, expiringWithin: '={{ "soon" }}' }, /^'Expiring Within' is "soon"/],
		[{ ...EXPIRING, expiringWithin: '={{ "" }}' }, /^'Expiring Within' is empty/],
		[{ ...EXPIRING, expiringWithin: '={{ [3] }}' }, /^'Expiring Within' is \[3\]/],
		[{ ...EXPIRING, expiringWithin: '={{ ({ days: 3 }) }}' }, /^'Expiring Within' is \{"days":3\}/],
		[{ ...EXPIRING, expiringWithinUnit: 'weeks' }, /^'Expiring Within Unit' is "weeks"/],
		[{ ...EXPIRING, expiringWithinUnit: '={{ 1 }}' }, /^'Expiring Within Unit' is 1/],
		[{ ...EXPIRING, filters: { products: '={{ "TPS" }}' } }, /^'Products' is "TPS"/],
		[{ ...EXPIRED, filters: { products: '={{ 7 }}' } }, /^'Products' is 7/],
		[{ ...BALANCE_BELOW, balanceBelow: 0 }, /^'Below \(Yuan\)' is 0/],
		[{ ...BALANCE_BELOW, balanceBelow: '={{ true }}' }, /^'Below \(Yuan\)' is true/],
		[{ ...BALANCE_BELOW, balanceBelow: '={{ 1e9 }}' }, /^'Below \(Yuan\)' is 1000000000/],
		[{ ...IPS_BELOW, orderid: chosen('12') }, /^'Order' is "12"/],
		[{ ...IPS_BELOW, orderid: chosen('') }, /^'Order' is empty/],
		[
			{ ...IPS_BELOW, orderid: chosen('965102959536478'), ipBalanceBelow: '={{ [] }}' },
			/^'Below \(IPs\)' is \[\]/,
		],
	])('%j are refused before anything is sent', async (parameters, message) => {
		const poller = watching('account', bed().newAccount(), parameters);
		for (const work of [() => poller.activate(), () => poller.tryOut()]) {
			const failure = await failureOf(work());
			expect(failure.message).toMatch(message);
			expect(failure.description).toMatch(/\.$/);
		}
		expect(bed().sandbox.log.count()).toBe(0);
		expect(poller.state).toBe('{}');
	});

	it('are not seen in numbers that an expression gives as text', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, DAY);
		const parameters = { ...EXPIRING, expiringWithin: '={{ "2" }}' };
		const poller = watching('account', account, parameters);
		expect(orderIds(await poller.activate())).toEqual([order.orderId]);
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
		bed().sandbox.clock.advance(MINUTE);
		// Not by a minute: the first one would be given up
		processClock.advance(2000);
		const quick = await poller.poll();
		const polled = [quick, await slow];
		expect(logged()).toEqual([]);
		return polled;
	}

	it('tell each order once', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, 4 * DAY);
		const poller = watching('account', account, EXPIRING);
		expect(await poller.activate()).toBeNull();
		pass(2 * DAY);
		const polled = await overlap(poller, LIST, () => undefined);
		expect(polled.flatMap(orderIds)).toEqual([order.orderId]);
		expect(await nextPoll(poller)).toBeNull();
	});

	it('tell each end once', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, HOUR);
		const poller = watching('account', account, EXPIRED);
		expect(await poller.activate()).toBeNull();
		pass(2 * HOUR);
		const polled = await overlap(poller, LIST, () => undefined);
		expect(polled.flatMap(orderIds)).toEqual([order.orderId]);
		expect(await nextPoll(poller)).toBeNull();
	});

	it('tell a crossing once that only the later one has seen', async () => {
		const account = bed().newAccount({ balanceInFen: 500_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		expect(await poller.activate()).toBeNull();
		const polled = await overlap(poller, BALANCE, () => {
			account.balanceInFen = 1_00;
		});
		expect(polled.flatMap(jsonOf)).toMatchObject([{ balance: '1.00' }]);
		expect(await nextPoll(poller)).toBeNull();
		account.balanceInFen = 200_00;
		expect(await nextPoll(poller)).toBeNull();
		account.balanceInFen = 2_00;
		expect(jsonOf(await nextPoll(poller))).toMatchObject([{ balance: '2.00' }]);
	});

	it('tell again what went below, above and below', async () => {
		const account = bed().newAccount({ balanceInFen: 1_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '1.00' }]);
		account.balanceInFen = 500_00;
		const polled = await overlap(poller, BALANCE, () => {
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
		expect(orderIds(await expired.poll())).toHaveLength(900);
		pass(HOUR);
		expect(await expired.poll()).toBeNull();
		expect(expired.state.length).toBeLessThan(15_000);
	});

	it('holds no order of a single key pair but its own', async () => {
		const order = orderFor(bed().newAccount(), DAY);
		const poller = watching('order', order, EXPIRING);
		await poller.activate();
		for (let look = 0; look < 3; look++) {
			prolong(order, DAY);
			await nextPoll(poller);
		}
		expect(poller.state.length).toBeLessThan(600);
	});
});

describe('a credential with tokens', () => {
	const token = { signType: 'token' };

	it('works, also when its token is over', async () => {
		const account = bed().newAccount();
		const order = orderFor(account, 4 * DAY);
		const poller = watching('account', account, EXPIRING, token);
		expect(await poller.activate()).toBeNull();
		pass(2 * DAY);
		expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
		expect(logged()).toEqual([]);
	});

	it('works for an order of the account', async () => {
		const { store, clock } = bed().sandbox;
		const settings = { payType: 'PRE_PAY_IP', ipBalance: 4 } as const;
		const account = bed().newAccount();
		const order = store.addOrder(
			newPrivateProxyOrder(uniqueName('dps'), account, clock.now(), settings),
		);
		const parameters = { ...IPS_BELOW, orderid: chosen(order.orderId) };
		const poller = watching('account', account, parameters, token);
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: 4 }]);
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
			watching('account', account, { ...IPS_BELOW, orderid: chosen(ips.orderId) }, { signType }),
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

it('works with the key pair of an open-proxy order', async () => {
	const { store, clock } = bed().sandbox;
	const expiresAt = new Date(clock.milliseconds() + DAY);
	const order = store.addOrder(
		newOpenProxyOrder(uniqueName('ops'), bed().newAccount(), clock.now(), {
			plan: 'VIP',
			expiresAt,
		}),
	);
	expect(orderIds(await watching('order', order, EXPIRING).activate())).toEqual([order.orderId]);
});
