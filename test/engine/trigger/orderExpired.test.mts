import { newOverseasStaticProxyOrder, newTunnelProxyOrder } from '../../../sandbox/sandbox.mts';
import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { startScriptedService } from '../support/scriptedService.mts';
import {
	bed,
	EXPIRED,
	EXPIRING,
	failureOf,
	INFO,
	jsonOf,
	logged,
	nextPoll,
	orderFor,
	orderIds,
	pass,
	prolong,
	watching,
} from './watching.mts';

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

describe('a workflow that is published again after 60 days', () => {
	it('tells what ended in the last week, and nothing older, then or later', async () => {
		const account = bed().newAccount();
		const [, recent] = [20, 54].map((days) => orderFor(account, days * DAY));
		const poller = watching('account', account, EXPIRED);
		expect(await poller.activate()).toBeNull();
		poller.deactivate();
		pass(60 * DAY);
		const told = await poller.activate();
		expect(orderIds(told)).toEqual([recent.orderId]);
		expect(jsonOf(told)[0].text).toMatch(/ expired 6 days ago$/);
		expect(await nextPoll(poller)).toBeNull();
	});
});

describe('overseas static orders', () => {
	it.each(['SFPS', 'FPS_STATIC'] as const)(
		'pass the filter for their product when Kuaidaili calls it %s',
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
