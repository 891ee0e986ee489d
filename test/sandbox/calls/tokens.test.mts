import { startSandbox, type KeyPair, type Sandbox } from '../../../sandbox/sandbox.mts';
import { get, post, type Parameters } from '../client.mts';

const LIFE = 3600;

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, forwardProxies: false });
});

afterEach(() => sandbox.close());

async function obtain(parameters: Parameters) {
	return (await post(`${sandbox.hosts.authUrl}/api/get_secret_token`, parameters)).json;
}

async function tokenOf({
	secretId,
	secretKey,
}: KeyPair): Promise<{ value: string; expire: number }> {
	const { data } = await obtain({ secret_id: secretId, secret_key: secretKey });
	const { secret_token: value, expire } = Object(data);
	return { value, expire };
}

async function check(keys: KeyPair, token: string) {
	const parameters = { secret_id: keys.secretId, secret_token: token };
	return (await post(`${sandbox.hosts.authUrl}/api/check_secret_token`, parameters)).json;
}

async function useToken(keys: KeyPair, token: string, signType?: string): Promise<number> {
	const parameters: Parameters = { secret_id: keys.secretId, signature: token };
	if (signType) parameters.sign_type = signType;
	return (await get(`${sandbox.hosts.baseUrl}/api/getorderexpiretime`, parameters)).json.code;
}

it('gives a token that stands for the signature', async () => {
	const keys = sandbox.keys.opsVip;
	const token = await tokenOf(keys);
	expect(token.value).toMatch(/^\w{20,}$/);
	expect(token.expire).toBeGreaterThan(LIFE - 3);
	expect(await useToken(keys, token.value)).toBe(0);
	expect(await useToken(keys, token.value, 'token')).toBe(0);
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

describe('check_secret_token', () => {
	it('says how long a token lives', async () => {
		const { value } = await tokenOf(sandbox.keys.opsVip);
		const fresh = await check(sandbox.keys.opsVip, value);
		expect(fresh).toMatchObject({ code: 0, msg: 'ok' });
		expect(Object(fresh.data).expire).toBeGreaterThan(LIFE - 3);

		sandbox.clock.advance((LIFE - 240) * 1000);
		const late = await check(sandbox.keys.opsVip, value);
		expect(late).toMatchObject({ code: -5, msg: 'expiring' });
		expect(Object(late.data).expire).toBeGreaterThan(230);
		expect(Object(late.data).expire).toBeLessThanOrEqual(240);

		sandbox.clock.advance(240_000);
		expect(await check(sandbox.keys.opsVip, value)).toEqual({
			code: -107,
			msg: 'expired',
			data: { expire: 0 },
		});
	});

	it('refuses what is missing, wrong or of another key', async () => {
		const { value } = await tokenOf(sandbox.keys.opsVip);
		expect((await check(sandbox.keys.opsVip, '')).code).toBe(-1);
		expect((await check(sandbox.keys.opsVip, 'wrong')).code).toBe(-2);
		expect((await check(sandbox.keys.opsSvip, value)).code).toBe(-2);
	});
});
