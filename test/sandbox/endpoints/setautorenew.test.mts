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

it.each<Parameters>([
	{},
	{ time_type: 'DAY' },
	{ autorenew: '' },
	{ autorenew: '2' },
	{ autorenew: 'true' },
	{ autorenew: '01' },
	{ autorenew: '1', time_type: 'day' },
	{ autorenew: '1', time_type: '' },
	{ autorenew: '0', time_type: 'DAY' },
	{ autorenew: '1', auto_renew_unit: 'DAY' },
])('-1: %j', async (parameters) => {
	const { tps } = sandbox.keys;
	await set(tps, { autorenew: '1', time_type: 'WEEK' });
	expect(await set(tps, parameters)).toMatchObject({ code: -1, data: '' });
	expect(stateOf(tps)).toEqual({ enabled: true, unit: 'WEEK' });
});

it('what has no effect can be ignored', async () => {
	sandbox.settings.inapplicableParameters = 'ignore';
	const reply = await set(sandbox.keys.tps, { autorenew: '0', time_type: 'DAY' });
	expect(reply.msg).toBe('autorenew disabled');
});

it('an exclusive dedicated order not by the day or week', async () => {
	const codes: number[] = [];
	for (const time_type of ['MONTH', 'YEAR', 'DAY', 'WEEK']) {
		codes.push((await set(sandbox.keys.kpsExclusive, { autorenew: '1', time_type })).code);
	}
	expect(codes).toEqual([0, 0, -1, -1]);
});

it('a monthly overseas order', async () => {
	const { fpsMonthly } = sandbox.keys;
	expect((await set(fpsMonthly, { autorenew: '1' })).code).toBe(0);
	expect(stateOf(fpsMonthly)).toEqual({ enabled: true, unit: 'MONTH' });
});

it.each(['tpsPayAsUsed', 'dpsPerIp', 'fps', 'sfps'] as const)('-3: %s', async (name) => {
	const before = stateOf(sandbox.keys[name]);
	expect((await set(sandbox.keys[name], { autorenew: '1' })).code).toBe(-3);
	expect((await set(sandbox.keys[name], {})).code).toBe(-3);
	expect(stateOf(sandbox.keys[name])).toEqual(before);
});

it.each(['virtual number', 'wrong type'] as const)('-3: %s', async (renewal) => {
	const order = newTunnelProxyOrder('odd', accountOf(sandbox), new Date(), { renewal });
	expect((await set(sandbox.store.addOrder(order).keys, { autorenew: '1' })).code).toBe(-3);
});

it('-102 and -123', async () => {
	expect((await set(sandbox.keys.opsExpired, { autorenew: '1' })).code).toBe(-102);
	expect((await set(sandbox.keys.account, { autorenew: '1' })).code).toBe(-123);
});
