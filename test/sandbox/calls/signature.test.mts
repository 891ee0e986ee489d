import * as sandboxSignature from '../../../sandbox/authentication/authenticate.mts';
import { newOpenProxyOrder, startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import {
	get,
	hmac,
	post,
	signed,
	stringToSign,
	withSignature,
	type Parameters,
} from '../client.mts';

const PATH = '/api/getorderexpiretime';

// The two worked examples of the service's documentation, of today and of its previous generation.
const EXAMPLES: Array<{ secretKey: string; parameters: Parameters; signature: string }> = [
	{
		secretKey: 'jd1gzm6ant2u7pojhbtl0bam0xpzsm1c',
		parameters: {
			secret_id: 'o1fjh1re9o28876h7c08',
			sign_type: 'hmacsha1',
			timestamp: '1555069980',
		},
		signature: 'ooCUlI6XTxoPS5PG8gNMT37YVl4=',
	},
	{
		secretKey: 'u8n5a0f2hu39o80lpir3hq1kug37tb5i',
		parameters: { orderid: '954763036233510', sign_type: 'hmacsha1', timestamp: '1555069980' },
		signature: '+hLAH7Rlyoq3SSB2xUbzGpyOZn4=',
	},
];

it.each(EXAMPLES)('the documented signature $signature comes out', (example) => {
	const { parameters } = example;
	expect(hmac(stringToSign('GET', PATH, parameters), example.secretKey)).toBe(example.signature);

	const text = sandboxSignature.stringToSign('GET', PATH, new Map(Object.entries(parameters)));
	expect(text).toBe(stringToSign('GET', PATH, parameters));
	expect(sandboxSignature.signatureOf(text, example.secretKey)).toBe(example.signature);
});

describe('the sandbox', () => {
	const keys = {
		secretId: 'o1fjh1re9o28876h7c08',
		secretKey: 'jd1gzm6ant2u7pojhbtl0bam0xpzsm1c',
	};
	let sandbox: Sandbox;
	let url: string;

	beforeAll(async () => {
		const now = new Date(1555069980 * 1000);
		sandbox = await startSandbox({ now, rateLimits: false, forwardProxies: false });
		const account = sandbox.store.account(sandbox.keys.account.secretId);
		sandbox.store.addOrder(newOpenProxyOrder('documented', account, now, { plan: 'VIP', keys }));
		url = sandbox.hosts.baseUrl + PATH;
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
		expect((await post(url, signed(keys, 'POST', PATH, {}, now()))).json.code).toBe(0);
		expect((await post(url, signed(keys, 'GET', PATH, {}, now()))).json.code).toBe(-104);
	});

	it('takes values as they are before URL encoding, empty ones and dotted names included', async () => {
		const parameters = {
			'kps.city': '',
			'kps.ip_count': '2',
			kps_x: 'a+b c/d=&?%20',
			area: '北京,上海',
			Zone: '1',
		};
		expect((await get(url, signed(keys, 'GET', PATH, parameters, now()))).json.code).toBe(0);
	});

	it('wants every parameter that is sent to be signed, and no other', async () => {
		const added = { ...signed(keys, 'GET', PATH, {}, now()), extra: '' };
		expect((await get(url, added)).json.code).toBe(-104);

		const { extra: _left, ...less } = signed(keys, 'GET', PATH, { extra: '' }, now());
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
		const { signature } = withSignature(keys, 'GET', PATH, encoded);
		expect((await get(url, { ...parameters, signature: String(signature) })).json.code).toBe(-104);
	});

	it('reads nothing but the form body of a POST', async () => {
		const parameters = signed(keys, 'POST', PATH, {}, now());
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
