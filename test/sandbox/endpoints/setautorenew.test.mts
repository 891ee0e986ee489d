import { newTunnelProxyOrder, type KeyPair, type Sandbox } from '../../../sandbox/sandbox.mts';
import { post, signed, type Parameters } from '../client.mts';
import { accountOf, ask, AUTO_RENEW, startShop } from '../ordering.mts';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

const set = (keys: KeyPair, parameters: Parameters) => ask(sandbox, AUTO_RENEW, keys, parameters);

const stateOf = ({ secretId }: KeyPair) => sandbox.store.order(secretId).autoRenewal;

it.each([
	['DAY', 'autorenew by day enabled'],
	['WEEK', 'autorenew by week enabled'],
	['MONTH', 'autorenew by month enabled'],
	['YEAR', 'autorenew by year enabled'],
])('on by the %s', async (unit, msg) => {
	const { tps } = sandbox.keys;
	expect(await set(tps, { autorenew: '1', time_type: unit })).toEqual({ code: 0, msg, data: '' });
	expect(stateOf(tps)).toEqual({ enabled: true, unit });
});

it('on by the month when nothing is said, and off again', async () => {
	const { tps } = sandbox.keys;
	const on = { code: 0, msg: 'autorenew by month enabled', data: '' };
	expect(await set(tps, { autorenew: '1' })).toEqual(on);
	expect(stateOf(tps)).toEqual({ enabled: true, unit: 'MONTH' });
	const off = { code: 0, msg: 'autorenew disabled', data: '' };
	expect(await set(tps, { autorenew: '0' })).toEqual(off);
	expect(stateOf(tps)).toMatchObject({ enabled: false });
});

it('a state can be set again, and by POST', async () => {
	const { opsVip } = sandbox.keys;
	const send = () => {
		const form = signed(opsVip, 'POST', AUTO_RENEW, { autorenew: '1' });
		return post(sandbox.hosts.baseUrl + AUTO_RENEW, form);
	};
	expect((await send()).json.code).toBe(0);
	expect((await send()).json.code).toBe(0);
	expect(stateOf(opsVip).enabled).toBe(true);
});

it('costs nothing now', async () => {
	const before = accountOf(sandbox).balanceInFen;
	await set(sandbox.keys.tps, { autorenew: '1' });
	expect(accountOf(sandbox).balanceInFen).toBe(before);
	expect(sandbox.ledger.count()).toBe(0);
});

it.each(['virtual number', 'wrong type'] as const)('-3: %s', async (renewal) => {
	const order = newTunnelProxyOrder('odd', accountOf(sandbox), new Date(), { renewal });
	expect((await set(sandbox.store.addOrder(order).keys, { autorenew: '1' })).code).toBe(-3);
});
