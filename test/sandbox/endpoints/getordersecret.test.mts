import {
	newAccount,
	newTunnelProxyOrder,
	type Order,
	type OrderStatus,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import type { Parameters } from '../client.mts';
import { accountOf, ask, create, ORDERS, orderOf, startShop } from '../ordering.mts';

const SECRET = '/api/getordersecret';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

const secretOf = (parameters: Parameters, keys = sandbox.keys.account) =>
	ask(sandbox, SECRET, keys, parameters);

function answerFor({ keys }: Order) {
	return {
		code: 0,
		msg: '',
		data: { secret_id: keys.secretId, secret_key: keys.secretKey },
	};
}

it('gives the keys of every order of the account', async () => {
	for (const order of sandbox.store.ordersOf(accountOf(sandbox))) {
		expect(await secretOf({ orderid: order.orderId })).toEqual(answerFor(order));
	}
});

it('gives keys that work for an order that was just created', async () => {
	sandbox.settings.orderNumbers = '16 digits';
	const order = orderOf(sandbox, await create(sandbox, ORDERS.ops));
	expect(await secretOf({ orderid: order.orderId })).toEqual(answerFor(order));
	expect((await ask(sandbox, '/api/getorderinfo', order.keys, {})).code).toBe(0);
});

it.each<OrderStatus>(['WAIT_PAY', 'OPENING', 'EXPIRED', 'OWING', 'CLOSED', 'FORBIDDEN'])(
	'also of an order that is %s',
	async (status) => {
		const order = newTunnelProxyOrder('out-of-use', accountOf(sandbox), new Date(), { status });
		sandbox.store.addOrder(order);
		expect(await secretOf({ orderid: order.orderId })).toEqual(answerFor(order));
	},
);

it('-2: an order number with anything around it', async () => {
	const { orderId } = sandbox.store.order(sandbox.keys.tps.secretId);
	expect((await secretOf({ orderid: `${orderId} ` })).code).toBe(-2);
	expect((await secretOf({ orderid: `0${orderId}` })).code).toBe(-2);
});

it('-2: the order of another account', async () => {
	const other = sandbox.store.addAccount(newAccount('other'));
	const order = sandbox.store.addOrder(newTunnelProxyOrder('other-order', other, new Date()));
	expect((await secretOf({ orderid: order.orderId })).code).toBe(-2);
	expect(await secretOf({ orderid: order.orderId }, other.keys)).toEqual(answerFor(order));
	const { orderId } = sandbox.store.order(sandbox.keys.tps.secretId);
	expect((await secretOf({ orderid: orderId }, other.keys)).code).toBe(-2);
});

it.each([
	[undefined, -3],
	['endpoint', -3],
	['common', -123],
] as const)('an order key, with the setting %s: %i', async (wrongKeyCode, code) => {
	sandbox.settings.wrongKeyCode = wrongKeyCode;
	const { tps } = sandbox.keys;
	const { orderId } = sandbox.store.order(tps.secretId);
	expect(await secretOf({ orderid: orderId }, tps)).toMatchObject({ code, data: '' });
	expect((await secretOf({}, tps)).code).toBe(code);
});
