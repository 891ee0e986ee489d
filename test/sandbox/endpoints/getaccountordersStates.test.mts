import { newTunnelProxyOrder, type Order } from '../../../sandbox/sandbox.mts';
import { call } from '../client.mts';
import { ask, create, field, ORDERS, orderOf, RENEW } from '../ordering.mts';
import { accountOfItsOwn, list, LIST, numbers, sandbox } from './listing.mts';

const WEEK_MS = 7 * 24 * 3600_000;

const namesOf = (orders: readonly Order[]) => orders.map(({ orderId }) => orderId);

const STATES = ['VALID', 'WAIT_PAY', 'OPENING', 'EXPIRED', 'OWING', 'CLOSED', 'FORBIDDEN'] as const;

describe('states', () => {
	it.each(STATES)('%s is found by itself and among all', async (status) => {
		const account = accountOfItsOwn();
		for (const each of STATES) {
			const order = newTunnelProxyOrder(`state-${each}`, account, new Date(), { status: each });
			sandbox.store.addOrder(order);
		}
		expect(await list(account, { status })).toMatchObject([{ status }]);
		const all = await list(account, { status: 'ALL' });
		expect(all.map((entry) => field(entry, 'status'))).toEqual(STATES);
	});

	it('can be changed in place', async () => {
		const account = accountOfItsOwn();
		const order = newTunnelProxyOrder('changed', account, new Date());
		sandbox.store.addOrder(order);
		expect(await numbers(account)).toEqual([order.orderId]);
		order.status = 'OWING';
		expect(await list(account)).toEqual([]);
		expect(await numbers(account, { status: 'OWING' })).toEqual([order.orderId]);
	});

	it('an order expires when its time has come, and only one that was in force', async () => {
		const account = accountOfItsOwn();
		const now = sandbox.clock.now();
		const inThreeWeeks = new Date(now.getTime() + 3 * WEEK_MS);
		const settings = { expiresAt: inThreeWeeks };
		const good = newTunnelProxyOrder('good', account, now, settings);
		const banned = newTunnelProxyOrder('banned', account, now, {
			...settings,
			status: 'FORBIDDEN',
		});
		const endless = newTunnelProxyOrder('endless', account, now, { payType: 'POST_PAY' });
		for (const order of [good, banned, endless]) sandbox.store.addOrder(order);

		sandbox.clock.advance(3 * WEEK_MS - 60_000);
		expect(await numbers(account)).toEqual(namesOf([good, endless]));
		sandbox.clock.advance(60_000);
		expect(await numbers(account)).toEqual(namesOf([endless]));
		expect(await numbers(account, { status: 'EXPIRED' })).toEqual(namesOf([good]));
		expect(await numbers(account, { status: 'FORBIDDEN' })).toEqual(namesOf([banned]));
	});

	it('a refunded order is a closed one here', async () => {
		const account = accountOfItsOwn();
		const order = newTunnelProxyOrder('back', account, new Date(), { status: 'REFUNDED' });
		sandbox.store.addOrder(order);
		expect(await list(account, { status: 'CLOSED' })).toMatchObject([{ status: 'CLOSED' }]);
	});
});

describe('what is bought over the API', () => {
	it('is listed once it is paid', async () => {
		const account = sandbox.store.account(sandbox.keys.account.secretId);
		const before = await numbers(account);
		const order = orderOf(sandbox, await create(sandbox, ORDERS.kpsStatic));
		expect(await numbers(account)).toEqual([...before, order.orderId]);
		account.balanceInFen = 0;
		expect((await create(sandbox, ORDERS.kpsStatic)).code).toBe(-4);
		expect(await numbers(account)).toEqual([...before, order.orderId]);
	});

	it('has its new expire_time after a renewal', async () => {
		const { keys, orderId } = orderOf(sandbox, await create(sandbox, ORDERS.tps));
		const week = { time_type: 'WEEK', time_number: '2' };
		const { data } = await ask(sandbox, RENEW, keys, week);
		const expire_time = field(data, 'expire_time');
		const entries = await list(sandbox.store.account(keys.secretId), { product: 'TPS' });
		const entry = { orderid: orderId, product: 'TPS', pay_type: 'PRE_PAY', status: 'VALID' };
		expect(entries).toContainEqual({ ...entry, expire_time });
	});

	it.each([
		['15 digits', /"orderid":"\d{15}"/],
		['16 digits', /"orderid":"\d{16}"/],
		['unsafe number', /"orderid":\d{16}[,}]/],
	] as const)('is numbered with %s', async (orderNumbers, written) => {
		sandbox.settings.orderNumbers = orderNumbers;
		await create(sandbox, ORDERS.ops);
		const { account } = sandbox.keys;
		const { text } = await call(sandbox.hosts.baseUrl, LIST, account, { product: 'OPS' });
		expect(text).toMatch(written);
	});
});
