import { startSandbox, type KeyPair, type Sandbox } from '../../../sandbox/sandbox.mts';
import { get, post, type Parameters } from '../client.mts';

const LIFE = 3600;
const EXPIRY = '/api/getorderexpiretime';

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

async function useToken({ secretId }: KeyPair, token: string, signType?: string): Promise<number> {
	const parameters: Parameters = { secret_id: secretId, signature: token };
	if (signType) parameters.sign_type = signType;
	return (await get(sandbox.hosts.baseUrl + EXPIRY, parameters)).json.code;
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

it('refuses what is missing or wrong', async () => {
	const { secretId, secretKey } = sandbox.keys.opsVip;
	expect(await obtain({ secret_id: secretId })).toMatchObject({ code: -1, data: '' });
	expect(await obtain({ secret_key: secretKey })).toMatchObject({ code: -1 });
	expect(await obtain({ secret_id: secretId, secret_key: 'wrong' })).toMatchObject({ code: -2 });
	expect(await obtain({ secret_id: 'unknown', secret_key: 'x' })).toMatchObject({ code: -2 });
});

it('-106: by GET', async () => {
	const { secretId, secretKey } = sandbox.keys.opsVip;
	const reply = await get(`${sandbox.hosts.authUrl}/api/get_secret_token`, {
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
