import type { Fault, KeyPair, Sandbox } from '../../../sandbox/sandbox.mts';
import { call, get, type Parameters, post, signed } from '../client.mts';
import { ask, field, startShop } from '../ordering.mts';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

const LIST = '/api/getaccountorders';
const EXPIRY = '/api/getorderexpiretime';
const BALANCE = '/api/getaccountbalance';

const list = async (parameters: Parameters = {}) =>
	(await call(sandbox.hosts.baseUrl, LIST, sandbox.keys.account, parameters)).json.data;

describe('A cache', () => {
	it('replays the answer of the first call, which later ones do not reach', async () => {
		const order = sandbox.store.order(sandbox.keys.tps.secretId);
		sandbox.faults.add({ kind: 'cache', path: LIST, times: 2 });
		const before = await list();
		order.status = 'OWING';
		expect(await list()).toEqual(before);
		expect(sandbox.log.entries().map(({ workDone }) => workDone)).toEqual([true, false]);
		expect(await list()).not.toEqual(before);
	});

	it('keeps the answers to other questions and keys apart', async () => {
		sandbox.faults.add({ kind: 'cache', path: LIST });
		const all = await list();
		expect(await list({ product: 'TPS' })).not.toEqual(all);
		sandbox.faults.clear();
		sandbox.faults.add({ kind: 'cache' });
		const [dps, kps] = [sandbox.keys.dps, sandbox.keys.kps].map((keys) =>
			call(sandbox.hosts.baseUrl, '/api/getorderinfo', keys),
		);
		expect((await dps)?.json.data).not.toEqual((await kps)?.json.data);
	});
});

it('The Date header alone can be days off', async () => {
	const days = (seconds: number) => seconds * 24 * 3600;
	sandbox.faults.add({ kind: 'dateOffset', seconds: days(10), times: 1 });
	const { headers, json } = await call(sandbox.hosts.baseUrl, LIST, sandbox.keys.account);
	// Signed with the right time, and believed
	expect(json.code).toBe(0);
	const ahead = Date.parse(headers.get('date') ?? '') - sandbox.clock.milliseconds();
	expect(Math.abs(ahead / 1000 - days(10))).toBeLessThan(60);
});

async function obtain({ secretId, secretKey }: KeyPair) {
	const parameters = { secret_id: secretId, secret_key: secretKey };
	return (await post(`${sandbox.hosts.authUrl}/api/get_secret_token`, parameters)).json;
}

async function tokenOf(keys: KeyPair): Promise<string> {
	return field((await obtain(keys)).data, 'secret_token');
}

async function useToken({ secretId }: KeyPair, token: string, path = EXPIRY): Promise<number> {
	const parameters: Parameters = { secret_id: secretId, signature: token };
	return (await get(sandbox.hosts.baseUrl + path, parameters)).json.code;
}

async function useKeys(keys: KeyPair, path = EXPIRY): Promise<number> {
	return (await call(sandbox.hosts.baseUrl, path, keys)).json.code;
}

describe('a forgotten token', () => {
	it.each([
		[-104, { code: -2, data: '' }],
		[-107, { code: -107, msg: 'expired', data: { expire: 0 } }],
		[-122, { code: -2, data: '' }],
	] as const)('gets %i everywhere from then on, and a new one works', async (code, checked) => {
		const { opsVip } = sandbox.keys;
		const token = await tokenOf(opsVip);
		expect(await useToken(opsVip, token)).toBe(0);

		sandbox.faults.add({ kind: 'forgottenToken', code, times: 1 });
		expect(await useToken(opsVip, token)).toBe(code);
		expect(await useToken(opsVip, token, '/api/getorderinfo')).toBe(code);
		const parameters = { secret_id: opsVip.secretId, secret_token: token };
		const reply = await post(`${sandbox.hosts.authUrl}/api/check_secret_token`, parameters);
		expect(reply.json).toMatchObject(checked);

		const another = await tokenOf(opsVip);
		expect(another).not.toBe(token);
		expect(await useToken(opsVip, another)).toBe(0);
		expect(await useToken(opsVip, token)).toBe(code);
	});

	it('does nothing to calls without a good token, and waits for one', async () => {
		const { opsVip, opsSvip } = sandbox.keys;
		const ended = await tokenOf(opsSvip);
		sandbox.tokens.expireAll(opsSvip.secretId);
		const token = await tokenOf(opsVip);

		const fault: Fault = { kind: 'forgottenToken', code: -122, times: 1 };
		sandbox.faults.add(fault);
		expect(await useKeys(opsVip)).toBe(0);
		expect(await useToken(opsVip, 'mistyped')).toBe(-104);
		expect(await useToken(opsSvip, ended)).toBe(-107);
		await tokenOf(opsVip);
		expect(sandbox.faults.list()).toEqual([fault]);

		expect(await useToken(opsVip, token)).toBe(-122);
		expect(sandbox.faults.list()).toEqual([]);
	});

	it('can be that of one key', async () => {
		const { opsVip, account } = sandbox.keys;
		const [orderToken, accountToken] = [await tokenOf(opsVip), await tokenOf(account)];
		sandbox.faults.add({ kind: 'forgottenToken', secretId: account.secretId });
		expect(await useToken(opsVip, orderToken)).toBe(0);
		expect(await useToken(account, accountToken, BALANCE)).toBe(-104);
	});
});

describe('a changed key pair', () => {
	const secretOf = async (orderid: string): Promise<KeyPair> => {
		const parameters = { orderid };
		const { data } = await ask(sandbox, '/api/getordersecret', sandbox.keys.account, parameters);
		return { secretId: field(data, 'secret_id'), secretKey: field(data, 'secret_key') };
	};

	it.each([-102, -104] as const)('the old one gets %i, the new one works', async (code) => {
		const old = sandbox.keys.opsVip;
		const { orderId } = sandbox.store.order(old.secretId);
		const token = await tokenOf(old);
		expect(await secretOf(orderId)).toEqual(old);

		const renewal = { time_type: 'DAY', time_number: '1' };
		sandbox.faults.add({ kind: 'changedKeyPair', code, path: '/api/reneworder', times: 1 });
		expect((await ask(sandbox, '/api/reneworder', old, renewal)).code).toBe(code);
		expect(sandbox.ledger.count()).toBe(0);
		expect(await useKeys(old)).toBe(code);
		expect(await useToken(old, token)).toBe(code);
		expect((await obtain(old)).code).toBe(-2);

		const changed = await secretOf(orderId);
		expect(changed.secretKey).not.toBe(old.secretKey);
		expect(changed.secretId === old.secretId).toBe(code === -104);
		expect(changed).toEqual(sandbox.store.orderNumbered(orderId).keys);
		expect((await ask(sandbox, '/api/reneworder', changed, renewal)).code).toBe(0);
		expect(await useToken(changed, await tokenOf(changed))).toBe(0);
		expect(await useKeys(old)).toBe(code);
	});

	it('is not that of the account', async () => {
		const { account } = sandbox.keys;
		sandbox.faults.add({ kind: 'changedKeyPair' });
		expect(await useKeys(account, BALANCE)).toBe(0);
		expect(sandbox.faults.list()).toHaveLength(1);
	});
});

it('an incident and a fault that decides the outcome can hit one call', async () => {
	const { opsVip } = sandbox.keys;
	sandbox.faults.add(
		{ kind: 'changedKeyPair', times: 1 },
		{ kind: 'cut', when: 'after', times: 1 },
	);
	const parameters = signed(opsVip, 'GET', EXPIRY);
	await expect(get(sandbox.hosts.baseUrl + EXPIRY, parameters)).rejects.toThrow('fetch failed');
	expect(sandbox.log.last()).toMatchObject({ code: -104, workDone: false, outcome: 'cut' });
});
