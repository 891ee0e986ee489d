import {
	newPrivateProxyOrder,
	type KeyPair,
	type PrivateProxyOrder,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import { call, post, signed } from '../client.mts';
import { accountOf, create, ORDERS, orderOf, RENEW, ask, startShop } from '../ordering.mts';

const BALANCE = '/api/getipbalance';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

async function balance(keys: KeyPair) {
	return (await call(sandbox.hosts.dpsUrl, BALANCE, keys, {}, sandbox.clock.now())).json;
}

const answer = (left: number) => ({ code: 0, msg: 'success', data: { balance: left } });

function added(settings: Partial<PrivateProxyOrder>): PrivateProxyOrder {
	const order = newPrivateProxyOrder('private', accountOf(sandbox), new Date(), settings);
	return sandbox.store.addOrder(order);
}

it.each([
	['a pay-per-IP order', { payType: 'PRE_PAY_IP', ipCount: 5000 }, 5000],
	['a pay-per-IP order that is used up', { payType: 'PRE_PAY_IP', ipBalance: 0 }, 0],
	['a prepaid concentrated order', { fetchType: 2, ipCount: 3000 }, 3000],
	['a prepaid concentrated order with less left for today', { ipBalance: 17 }, 17],
] as const)('of %s', async (_name, settings, left) => {
	expect(await balance(added(settings).keys)).toEqual(answer(left));
});

it('can be set in place', async () => {
	const order = added({ payType: 'PRE_PAY_IP' });
	order.ipBalance = 123;
	expect(await balance(order.keys)).toEqual(answer(123));
});

it('of orders that were bought over the API, also after a renewal, and by POST', async () => {
	const concentrated = orderOf(sandbox, await create(sandbox, ORDERS.dpsConcentrated));
	expect(await balance(concentrated.keys)).toEqual(answer(1000));

	const { keys } = orderOf(sandbox, await create(sandbox, ORDERS.dpsPerIp));
	expect(await balance(keys)).toEqual(answer(1000));
	await ask(sandbox, RENEW, keys, { 'dps.ip_count': '2000' });
	const form = signed(keys, 'POST', BALANCE);
	expect((await post(sandbox.hosts.dpsUrl + BALANCE, form)).json).toEqual(answer(3000));
});

it('-1: only a fault brings it about, because there is no parameter to miss', async () => {
	sandbox.faults.add({ kind: 'code', code: -1, path: BALANCE });
	expect(await balance(sandbox.keys.dps)).toEqual({ code: -1, msg: '缺少参数', data: '' });
});
