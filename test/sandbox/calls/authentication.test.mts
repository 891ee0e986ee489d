import { newOpenProxyOrder, type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { get, type Parameters, post, signed, withSignature } from '../client.mts';

const EXPIRY = '/api/getorderexpiretime';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ rateLimits: false, forwardProxies: false });
});

afterAll(() => sandbox.close());

afterEach(() => {
	sandbox.clock.reset();
	const account = sandbox.store.account(sandbox.keys.account.secretId);
	account.apiWhitelist = undefined;
});

async function codeOf(parameters: Parameters, path = EXPIRY): Promise<number> {
	return (await get(sandbox.hosts.baseUrl + path, parameters)).json.code;
}

function vip(): Parameters {
	return signed(sandbox.keys.opsVip, 'GET', EXPIRY);
}

function without(parameters: Parameters, name: string): Parameters {
	return Object.fromEntries(Object.entries(parameters).filter(([each]) => each !== name));
}

/** Signed correctly, but with something in it that is wrong. */
function signedWith(changes: Parameters): Parameters {
	const { signature: _old, ...parameters } = vip();
	return withSignature(sandbox.keys.opsVip, 'GET', EXPIRY, { ...parameters, ...changes });
}

function seconds(offset: number): string {
	return String(Math.floor(Date.now() / 1000) + offset);
}

it('refuses with an envelope, a text and empty data', async () => {
	const reply = await get(sandbox.hosts.baseUrl + EXPIRY);
	expect(reply.status).toBe(200);
	expect(reply.headers.get('content-type')).toContain('application/json');
	expect(reply.json).toEqual({ code: -101, msg: expect.stringMatching(/./), data: '' });
});

it.each<[code: number, why: string, parameters: () => Parameters]>([
	[-101, 'secret_id is missing', () => without(vip(), 'secret_id')],
	[-101, 'secret_id is empty', () => ({ ...vip(), secret_id: '' })],
	[-102, 'nobody has the key', () => ({ ...vip(), secret_id: 'unknown' })],
	[-103, 'signature is missing', () => without(vip(), 'signature')],
	[-103, 'signature is empty', () => ({ ...vip(), signature: '' })],
	[
		-104,
		'another key signed',
		() => ({
			...signed({ ...sandbox.keys.opsVip, secretKey: 'other' }, 'GET', EXPIRY),
		}),
	],
	[
		-104,
		'the token was never issued',
		() => ({
			secret_id: sandbox.keys.opsVip.secretId,
			signature: 'invented',
		}),
	],
	[-105, 'sign_type is unknown', () => ({ ...vip(), sign_type: 'simple' })],
	[-110, 'timestamp is missing', () => without(vip(), 'timestamp')],
	[-111, 'timestamp is no number', () => signedWith({ timestamp: '2026-01-01' })],
	[-111, 'timestamp has a fraction', () => signedWith({ timestamp: `${seconds(0)}.5` })],
	[-112, 'timestamp is in milliseconds', () => signedWith({ timestamp: String(Date.now()) })],
	[-112, 'timestamp is too old', () => signedWith({ timestamp: seconds(-302) })],
	[-112, 'timestamp is too far ahead', () => signedWith({ timestamp: seconds(303) })],
	[-113, 'nonce is no number', () => signedWith({ nonce: 'abc' })],
	[-113, 'nonce is zero', () => signedWith({ nonce: '0' })],
	[-113, 'nonce is negative', () => signedWith({ nonce: '-5' })],
	[-113, 'nonce is empty', () => signedWith({ nonce: '' })],
	[
		-122,
		'the secret key is sent in place of a token',
		() => ({
			secret_id: sandbox.keys.opsVip.secretId,
			signature: sandbox.keys.opsVip.secretKey,
		}),
	],
])('%i: %s', async (code, _why, parameters) => {
	expect(await codeOf(parameters())).toBe(code);
	expect(sandbox.log.last()).toMatchObject({ code, workDone: false, refusedByRateLimit: false });
});

it("accepts the service's own client: a slash at the end, signed as well, and a nonce of 19 digits", async () => {
	const { signature: _old, ...parameters } = vip();
	const sent = { ...parameters, nonce: '1795865400123456789' };
	const keys = sandbox.keys.opsVip;
	expect(await codeOf(withSignature(keys, 'GET', EXPIRY, sent), `${EXPIRY}/`)).toBe(-104);
	expect(await codeOf(withSignature(keys, 'GET', `${EXPIRY}/`, sent), `${EXPIRY}/`)).toBe(0);
	expect(sandbox.log.last()).toMatchObject({ path: `${EXPIRY}/`, workDone: true });
});

it('accepts a timestamp inside the tolerance', async () => {
	expect(await codeOf(signedWith({ timestamp: seconds(-298) }))).toBe(0);
	expect(await codeOf(signedWith({ timestamp: seconds(298) }))).toBe(0);
});

it('checks the timestamp against the clock that a test has moved', async () => {
	sandbox.clock.advance(10 * 60 * 1000);
	expect(await codeOf(vip())).toBe(-112);
	expect(await codeOf(signed(sandbox.keys.opsVip, 'GET', EXPIRY, {}, sandbox.clock.now()))).toBe(0);
});

describe('-114', () => {
	it('comes when the same request comes again', async () => {
		const parameters = vip();
		expect(await codeOf(parameters)).toBe(0);
		expect(await codeOf(parameters)).toBe(-114);
	});

	it('comes when nonce and timestamp are used again for another call', async () => {
		const { signature: _old, ...parameters } = vip();
		const keys = sandbox.keys.opsVip;
		expect(await codeOf(withSignature(keys, 'GET', EXPIRY, parameters))).toBe(0);
		const other = withSignature(keys, 'GET', EXPIRY, { ...parameters, more: '1' });
		expect(await codeOf(other)).toBe(-114);
	});

	it('does not come for the nonce of another key', async () => {
		const { signature: _old, secret_id: _id, ...parameters } = vip();
		for (const keys of [sandbox.keys.opsVip, sandbox.keys.opsSvip]) {
			const own = { ...parameters, secret_id: keys.secretId };
			expect(await codeOf(withSignature(keys, 'GET', EXPIRY, own))).toBe(0);
		}
	});

	it('does not come after a request that was not believed', async () => {
		const parameters = vip();
		expect(await codeOf({ ...parameters, signature: 'wrong' })).toBe(-104);
		expect(await codeOf(parameters)).toBe(0);
	});
});

describe('what an account demands', () => {
	async function token(): Promise<Parameters> {
		const { secretId } = sandbox.keys.opsVip;
		return { secret_id: secretId, signature: sandbox.tokens.obtain(secretId).value };
	}

	it('-108: an address that is not on the list', async () => {
		const account = sandbox.store.account(sandbox.keys.account.secretId);
		account.apiWhitelist = ['192.0.2.1'];
		expect(await codeOf(vip())).toBe(-108);
		expect(await codeOf(await token())).toBe(-108);
		const { secretId, secretKey } = sandbox.keys.opsVip;
		const obtained = await post(`${sandbox.hosts.authUrl}/api/get_secret_token`, {
			secret_id: secretId,
			secret_key: secretKey,
		});
		expect(obtained.json.code).toBe(-108);

		account.apiWhitelist = ['192.0.2.1', '127.0.0.1'];
		expect(await codeOf(vip())).toBe(0);
	});
});

it('writes common codes as JSON, whatever format was asked for', async () => {
	const parameters = { num: '1', format: 'text' };
	const { json } = await get(`${sandbox.hosts.baseUrl}/api/getproxy`, parameters);
	expect(json.code).toBe(-101);
});

// The worked example of the service's documentation
describe('a signature', () => {
	const keys = {
		secretId: 'o1fjh1re9o28876h7c08',
		secretKey: 'jd1gzm6ant2u7pojhbtl0bam0xpzsm1c',
	};
	let sandbox: Sandbox;
	let url: string;

	beforeAll(async () => {
		const now = new Date(1555069980 * 1000);
		sandbox = await startSandbox({ rateLimits: false, forwardProxies: false });
		sandbox.clock.set(now);
		const account = sandbox.store.account(sandbox.keys.account.secretId);
		sandbox.store.addOrder(newOpenProxyOrder('documented', account, now, { plan: 'VIP', keys }));
		url = sandbox.hosts.baseUrl + EXPIRY;
	});

	afterAll(() => sandbox.close());

	const now = () => sandbox.clock.now();

	it('accepts the documented example as it is printed', async () => {
		const reply = await fetch(
			`${url}?secret_id=o1fjh1re9o28876h7c08&sign_type=hmacsha1&timestamp=1555069980` +
				'&signature=ooCUlI6XTxoPS5PG8gNMT37YVl4%3D',
		);
		expect(await reply.json()).toEqual({
			code: 0,
			msg: '',
			data: { expire_time: '2019-05-12 19:53:00' },
		});
	});

	it('accepts a form body that is signed as POST, not one that is signed as GET', async () => {
		expect((await post(url, signed(keys, 'POST', EXPIRY, {}, now()))).json.code).toBe(0);
		expect((await post(url, signed(keys, 'GET', EXPIRY, {}, now()))).json.code).toBe(-104);
	});

	it('takes values as they are before URL encoding, empty ones and dotted names included', async () => {
		const parameters = {
			'kps.city': '',
			'kps.ip_count': '2',
			kps_x: 'a+b c/d=&?%20',
			area: '北京,上海',
			Zone: '1',
		};
		expect((await get(url, signed(keys, 'GET', EXPIRY, parameters, now()))).json.code).toBe(0);
	});

	it('wants every parameter that is sent to be signed, and no other', async () => {
		const added = { ...signed(keys, 'GET', EXPIRY, {}, now()), extra: '' };
		expect((await get(url, added)).json.code).toBe(-104);

		const { extra: _left, ...less } = signed(keys, 'GET', EXPIRY, { extra: '' }, now());
		expect((await get(url, less)).json.code).toBe(-104);
	});

	it('does not take a signature over encoded values', async () => {
		const parameters = {
			secret_id: keys.secretId,
			sign_type: 'hmacsha1',
			timestamp: String(Math.floor(now().getTime() / 1000)),
			area: '北京',
		};
		const encoded = { ...parameters, area: encodeURIComponent('北京') };
		const { signature } = withSignature(keys, 'GET', EXPIRY, encoded);
		expect((await get(url, { ...parameters, signature: String(signature) })).json.code).toBe(-104);
	});

	it('reads nothing but the form body of a POST', async () => {
		const parameters = signed(keys, 'POST', EXPIRY, {}, now());
		const inQuery = await fetch(`${url}?${new URLSearchParams(parameters)}`, { method: 'POST' });
		expect(await inQuery.json()).toMatchObject({ code: -101 });

		const asJson = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(parameters),
		});
		expect(await asJson.json()).toMatchObject({ code: -101 });
	});
});
