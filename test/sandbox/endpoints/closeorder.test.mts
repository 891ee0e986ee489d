import { newTunnelProxyOrder, type KeyPair, type Sandbox } from '../../../sandbox/sandbox.mts';
import { post, signed } from '../client.mts';
import { accountOf, ask, create, ORDERS, orderOf, startShop } from '../ordering.mts';

const CLOSE = '/api/closeorder';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

const close = (keys: KeyPair) => ask(sandbox, CLOSE, keys, {});

const statusOf = ({ secretId }: KeyPair) => sandbox.store.order(secretId).status;

/** How many calls did what they were for. */
const closings = () => sandbox.log.entries(CLOSE).filter(({ workDone }) => workDone).length;

it('closes a pay-as-used order, once', async () => {
	const { tpsPayAsUsed } = sandbox.keys;
	const closed = { msg: 'order closed', code: 0, data: '' };
	expect(await close(tpsPayAsUsed)).toEqual(closed);
	expect(statusOf(tpsPayAsUsed)).toBe('CLOSED');
	expect(await close(tpsPayAsUsed)).toMatchObject({ code: -2, data: '' });
	expect(statusOf(tpsPayAsUsed)).toBe('CLOSED');
	expect([sandbox.log.count(CLOSE), closings()]).toEqual([2, 1]);
});

it('closes one that was ordered over the API, by POST, and moves no money', async () => {
	const order = orderOf(sandbox, await create(sandbox, ORDERS.tpsPayAsUsed));
	const { balanceInFen } = accountOf(sandbox);
	const form = signed(order.keys, 'POST', CLOSE);
	expect((await post(sandbox.hosts.baseUrl + CLOSE, form)).json.msg).toBe('order closed');
	expect(order.status).toBe('CLOSED');
	expect(accountOf(sandbox).balanceInFen).toBe(balanceInFen);
	expect(sandbox.ledger.count()).toBe(1);
});

it('a closed order is listed as such, and its key is of no more use', async () => {
	const { account, tpsPayAsUsed } = sandbox.keys;
	await close(tpsPayAsUsed);
	const { orderId } = sandbox.store.order(tpsPayAsUsed.secretId);
	const { data } = await ask(sandbox, '/api/getaccountorders', account, { status: 'CLOSED' });
	expect(data).toMatchObject([{ orderid: orderId, status: 'CLOSED' }]);
	expect((await ask(sandbox, '/api/getorderinfo', tpsPayAsUsed, {})).code).toBe(-102);
});

it('is done also when the answer is lost, and not when the call is', async () => {
	const { tpsPayAsUsed } = sandbox.keys;
	sandbox.faults.add({ kind: 'cut', when: 'before', path: CLOSE, times: 1 });
	await expect(close(tpsPayAsUsed)).rejects.toThrow();
	expect([statusOf(tpsPayAsUsed), closings()]).toEqual(['VALID', 0]);
	sandbox.faults.add({ kind: 'cut', when: 'after', path: CLOSE, times: 1 });
	await expect(close(tpsPayAsUsed)).rejects.toThrow();
	expect([statusOf(tpsPayAsUsed), closings()]).toEqual(['CLOSED', 1]);
	expect((await close(tpsPayAsUsed)).code).toBe(-2);
});

it.each(['WAIT_PAY', 'OPENING', 'OWING', 'CLOSED', 'FORBIDDEN', 'REFUNDED'] as const)(
	'-2: %s',
	async (status) => {
		const settings = { payType: 'POST_PAY', status } as const;
		const order = newTunnelProxyOrder('state', accountOf(sandbox), new Date(), settings);
		sandbox.store.addOrder(order);
		expect((await close(order.keys)).code).toBe(-2);
		expect(order.status).toBe(status);
	},
);

it('-3: the type is looked at before the state', async () => {
	sandbox.store.order(sandbox.keys.tps.secretId).status = 'CLOSED';
	expect((await close(sandbox.keys.tps)).code).toBe(-3);
});

it('-102: an expired order', async () => {
	expect((await close(sandbox.keys.opsExpired)).code).toBe(-102);
	sandbox.store.order(sandbox.keys.tpsPayAsUsed.secretId).status = 'EXPIRED';
	expect((await close(sandbox.keys.tpsPayAsUsed)).code).toBe(-102);
});

it.each([
	[undefined, -4],
	['endpoint', -4],
	['common', -123],
] as const)('the key of the account, with the setting %s: %i', async (wrongKeyCode, code) => {
	sandbox.settings.wrongKeyCode = wrongKeyCode;
	expect(await close(sandbox.keys.account)).toMatchObject({ code, data: '' });
});
