import {
	type Account,
	newDedicatedProxyOrder,
	newOverseasStaticProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
} from '../../../sandbox/sandbox.mts';
import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import {
	bed,
	EXPIRED,
	EXPIRING,
	failureOf,
	jsonOf,
	logged,
	type Make,
	nextPoll,
	orderFor,
	orderIds,
	pass,
	prolong,
	watching,
} from './watching.mts';

let account: Account;
beforeEach(() => {
	account = bed().newAccount();
});

describe('Order Expiring', () => {
	it('tells at once what is in the window already, and each order once', async () => {
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
		const order = orderFor(account, DAY);
		const poller = watching('account', account, { event: 'orderExpiring', remindEvery: 2 });
		expect(orderIds(await poller.activate())).toEqual([order.orderId]);
		pass(HOUR);
		poller.crash();
		expect(await poller.activate('init')).toBeNull();
		pass(HOUR);
		expect(orderIds(await poller.poll())).toEqual([order.orderId]);
	});

	it('tells what ended while n8n was down as what it is now, unless it ended long ago', async () => {
		orderFor(account, -HOUR);
		const [, during, after] = [10, 16, 21].map((days) => orderFor(account, days * DAY));
		const poller = watching('account', account, { event: 'orderExpiring' });
		expect(await poller.activate()).toBeNull();
		poller.crash();
		pass(20 * DAY);
		const emitted = await poller.activate('init');
		expect(new Set(orderIds(emitted))).toEqual(new Set([during.orderId, after.orderId]));
		const told = jsonOf(emitted).find(({ orderid }) => orderid === during.orderId);
		expect(told).toMatchObject({
			event: 'orderExpiring',
			text: `Dedicated Proxy order ${during.orderId} expired 4 days ago`,
			status: 'EXPIRED',
			daysLeft: expect.any(Number),
		});
		expect(await nextPoll(poller)).toBeNull();
	});

	it('says of an order what the service says, and when it ends', async () => {
		const order = orderFor(account, DAY + MINUTE);
		const [json] = jsonOf(await watching('account', account, EXPIRING).activate());
		expect(json).toEqual({
			event: 'orderExpiring',
			text: `Dedicated Proxy order ${order.orderId} expires in 1 day`,
			orderid: order.orderId,
			pay_type: 'PRE_PAY',
			payTypeName: 'Prepaid',
			product: 'KPS',
			productName: 'Dedicated Proxy',
			status: 'VALID',
			expire_time: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
			expiresAt: `${String(json.expire_time).replace(' ', 'T')}+08:00`,
			secondsLeft: expect.any(Number),
			daysLeft: 1,
		});
		const expiry = Date.parse(String(json.expiresAt));
		expect(Math.abs(expiry - Number(order.expiresAt))).toBeLessThan(1000);
		expect(Math.abs(Number(json.secondsLeft) - (DAY + MINUTE) / 1000)).toBeLessThan(5);
	});

	it('looks at the chosen pay types only', async () => {
		const perIp: Make = (name, owner, now, settings) =>
			newPrivateProxyOrder(name, owner, now, { ...settings, payType: 'PRE_PAY_IP' });
		orderFor(account, DAY, perIp);
		const prepaid = orderFor(account, DAY, newPrivateProxyOrder);
		const filters = { payTypes: ['PRE_PAY'] };
		const poller = watching('account', account, { ...EXPIRING, filters });
		expect(orderIds(await poller.activate())).toEqual([prepaid.orderId]);
	});

	it('leaves out orders that do not end, and those out of use', async () => {
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
		orderFor(account, -MINUTE);
		const [first, second] = [HOUR, 5 * HOUR].map((left) => orderFor(account, left));
		const poller = watching('account', account, EXPIRED);
		expect(await poller.activate()).toBeNull();
		pass(HOUR);
		const told = await nextPoll(poller);
		expect(orderIds(told)).toEqual([first.orderId]);
		expect(jsonOf(told)[0]).toMatchObject({
			event: 'orderExpired',
			text: `Dedicated Proxy order ${first.orderId} expired 1 minute ago`,
			status: 'EXPIRED',
		});
		expect(await nextPoll(poller)).toBeNull();
		pass(5 * HOUR);
		expect(orderIds(await nextPoll(poller))).toEqual([second.orderId]);
		pass(HOUR);
		expect(await nextPoll(poller)).toBeNull();
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
		expect(bed().sandbox.log.last(API.getorderinfo)?.code).toBe(-102);
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

describe('overseas static orders', () => {
	it.each(['SFPS', 'FPS_STATIC'] as const)(
		'pass the filter for their product when Kuaidaili calls it %s',
		async (code) => {
			const order = orderFor(account, DAY, newOverseasStaticProxyOrder);
			order.written = { product: code };
			const poller = watching('account', account, { ...EXPIRING, filters: { products: ['SFPS'] } });
			const told = await poller.activate();
			expect(jsonOf(told)).toEqual([
				expect.objectContaining({ orderid: order.orderId, product: code }),
			]);
		},
	);
});
