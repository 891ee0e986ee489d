import { startSandbox, type Fault, type KeyPair, type Sandbox } from '../../../sandbox/sandbox.mts';
import { call, get, post, type Parameters } from '../client.mts';
import { accountOf, ask, field } from '../ordering.mts';

const LIFE = 3600;
const EXPIRY = '/api/getorderexpiretime';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, forwardProxies: false });
	accountOf(sandbox).balanceInFen = 1_000_000_00;
});

afterEach(() => sandbox.close());

async function obtain(parameters: Parameters) {
	return (await post(`${sandbox.hosts.authUrl}/api/get_secret_token`, parameters)).json;
}

const codeWith = async (keys: KeyPair, path = EXPIRY): Promise<number> =>
	(await call(sandbox.hosts.baseUrl, path, keys)).json.code;

async function tokenOf({
	secretId,
	secretKey,
}: KeyPair): Promise<{ value: string; expire: number }> {
	const { data } = await obtain({ secret_id: secretId, secret_key: secretKey });
	const { secret_token: value, expire } = Object(data);
	return { value, expire };
}

async function useToken(
	{ secretId }: KeyPair,
	token: string,
	{ path = EXPIRY, signType }: { path?: string; signType?: string } = {},
): Promise<number> {
	const parameters: Parameters = { secret_id: secretId, signature: token };
	if (signType) parameters.sign_type = signType;
	return (await get(sandbox.hosts.baseUrl + path, parameters)).json.code;
}

it('gives a token that stands for the signature', async () => {
	const keys = sandbox.keys.opsVip;
	const token = await tokenOf(keys);
	expect(token.value).toMatch(/^\w{20,}$/);
	expect(token.expire).toBeGreaterThan(LIFE - 3);
	expect(await useToken(keys, token.value)).toBe(0);
	expect(await useToken(keys, token.value, { signType: 'token' })).toBe(0);
});

it('does not take the token of another key', async () => {
	const { value } = await tokenOf(sandbox.keys.opsVip);
	expect(await useToken(sandbox.keys.opsSvip, value)).toBe(-104);
});

it('gives the same token while more than five minutes are left', async () => {
	const first = await tokenOf(sandbox.keys.opsVip);
	sandbox.clock.advance((LIFE - 303) * 1000);
	const again = await tokenOf(sandbox.keys.opsVip);
	expect(again.value).toBe(first.value);
	expect(again.expire).toBeGreaterThanOrEqual(300);
	expect(again.expire).toBeLessThan(305);
});

it('gives a new token from five minutes on, and leaves the old one its life', async () => {
	const keys = sandbox.keys.opsVip;
	const first = await tokenOf(keys);
	sandbox.clock.advance((LIFE - 300) * 1000);
	const second = await tokenOf(keys);
	expect(second.value).not.toBe(first.value);
	expect(second.expire).toBeGreaterThan(LIFE - 3);
	expect(await useToken(keys, first.value)).toBe(0);

	sandbox.clock.advance(300 * 1000);
	expect(await useToken(keys, first.value)).toBe(-107);
	expect(await useToken(keys, second.value)).toBe(0);
});

it('can end or forget the tokens of one key', async () => {
	const { opsVip, opsSvip } = sandbox.keys;
	const vip = await tokenOf(opsVip);
	const svip = await tokenOf(opsSvip);

	sandbox.tokens.expireAll(opsVip.secretId);
	expect(await useToken(opsVip, vip.value)).toBe(-107);
	expect(await useToken(opsSvip, svip.value)).toBe(0);
	expect((await tokenOf(opsVip)).value).not.toBe(vip.value);

	sandbox.tokens.forgetAll(opsVip.secretId);
	expect(await useToken(opsVip, vip.value)).toBe(-104);
});

it('refuses what is missing or wrong', async () => {
	const { secretId, secretKey } = sandbox.keys.opsVip;
	expect(await obtain({ secret_id: secretId })).toMatchObject({ code: -1, data: '' });
	expect(await obtain({ secret_key: secretKey })).toMatchObject({ code: -1 });
	expect(await obtain({ secret_id: secretId, secret_key: 'wrong' })).toMatchObject({ code: -2 });
	expect(await obtain({ secret_id: 'unknown', secret_key: 'x' })).toMatchObject({ code: -2 });
});

it.each(['get_secret_token', 'check_secret_token'])('-106: %s by GET', async (name) => {
	const { secretId, secretKey } = sandbox.keys.opsVip;
	const reply = await get(`${sandbox.hosts.authUrl}/api/${name}`, {
		secret_id: secretId,
		secret_key: secretKey,
	});
	expect(reply.json.code).toBe(-106);
});

it('keeps the secret key out of the log', async () => {
	await tokenOf(sandbox.keys.opsVip);
	expect(JSON.stringify(sandbox.log.entries())).not.toContain(sandbox.keys.opsVip.secretKey);
	expect(sandbox.log.last('/api/get_secret_token')?.parameters.secret_key).toBe('***');
});

describe('a forgotten token', () => {
	it('does nothing to calls without a good token, and waits for one', async () => {
		const { opsVip, opsSvip } = sandbox.keys;
		const ended = (await tokenOf(opsSvip)).value;
		sandbox.tokens.expireAll(opsSvip.secretId);
		const { value: token } = await tokenOf(opsVip);

		const fault: Fault = { kind: 'forgottenToken', code: -122, times: 1 };
		sandbox.faults.add(fault);
		expect(await codeWith(opsVip)).toBe(0);
		expect(await useToken(opsVip, 'mistyped')).toBe(-104);
		expect(await useToken(opsSvip, ended)).toBe(-107);
		await tokenOf(opsVip);
		expect(sandbox.faults.list()).toEqual([fault]);

		expect(await useToken(opsVip, token)).toBe(-122);
		expect(sandbox.faults.list()).toEqual([]);
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
		const { value: token } = await tokenOf(old);
		expect(await secretOf(orderId)).toEqual(old);

		const renewal = { time_type: 'DAY', time_number: '1' };
		sandbox.faults.add({ kind: 'changedKeyPair', code, path: '/api/reneworder', times: 1 });
		expect((await ask(sandbox, '/api/reneworder', old, renewal)).code).toBe(code);
		expect(sandbox.ledger.count()).toBe(0);
		expect(await codeWith(old)).toBe(code);
		expect(await useToken(old, token)).toBe(code);
		expect((await obtain({ secret_id: old.secretId, secret_key: old.secretKey })).code).toBe(-2);

		const changed = await secretOf(orderId);
		expect(changed.secretKey).not.toBe(old.secretKey);
		expect(changed.secretId === old.secretId).toBe(code === -104);
		expect(changed).toEqual(sandbox.store.orderNumbered(orderId).keys);
		expect((await ask(sandbox, '/api/reneworder', changed, renewal)).code).toBe(0);
		expect(await useToken(changed, (await tokenOf(changed)).value)).toBe(0);
		expect(await codeWith(old)).toBe(code);
	});

	it('is not that of the account', async () => {
		const { account } = sandbox.keys;
		sandbox.faults.add({ kind: 'changedKeyPair' });
		expect(await codeWith(account, '/api/getaccountbalance')).toBe(0);
		expect(sandbox.faults.list()).toHaveLength(1);
	});
});
