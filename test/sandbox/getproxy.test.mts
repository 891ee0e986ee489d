import type { OpenProxy } from '../../sandbox/catalogue/openProxy.mts';
import { newOpenProxyOrder, startSandbox, type Sandbox } from '../../sandbox/sandbox.mts';
import { call, post, signed, type Parameters, type Reply } from './client.mts';

const PATH = '/api/getproxy';

type KeyName = keyof Sandbox['keys'];

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		rateLimits: false,
		forwardProxies: false,
		catalogueSize: 4000,
		seed: 7,
	});
});

afterAll(() => sandbox.close());

afterEach(() => sandbox.clock.reset());

async function ask(parameters: Parameters, key: KeyName = 'opsVip'): Promise<Reply> {
	const host = key === 'opsSvip' ? sandbox.hosts.svipUrl : sandbox.hosts.baseUrl;
	return await call(host, PATH, sandbox.keys[key], parameters, sandbox.clock.now());
}

async function entries(parameters: Parameters, key: KeyName = 'opsVip'): Promise<string[]> {
	return (await ask(parameters, key)).text.split('\r\n');
}

/** What the sandbox knows about the addresses of an answer. */
async function proxies(parameters: Parameters, key: KeyName = 'opsVip'): Promise<OpenProxy[]> {
	const places = await entries(parameters, key);
	return places.map((place) => {
		const proxy = sandbox.catalogue.find(({ address, port }) => `${address}:${port}` === place);
		if (!proxy) throw new Error(`"${place}" is not in the catalogue`);
		return proxy;
	});
}

describe('formats', () => {
	it('text is the default, with CRLF between the entries and none at the end', async () => {
		const reply = await ask({ num: '3' });
		expect(reply.headers.get('content-type')).toContain('text/plain');
		expect(reply.text).toMatch(/^127(\.\d+){3}:\d+\r\n127(\.\d+){3}:\d+\r\n127(\.\d+){3}:\d+$/);
	});

	it.each([
		['1', '\r\n'],
		['2', '\n'],
		['3', ' '],
		['4', '|'],
	])('sep %s', async (sep, separator) => {
		const { text } = await ask({ num: '3', sep });
		expect(text.split(separator)).toHaveLength(3);
		expect(text).toMatch(/^[\d.:]+([\r\n |]+[\d.:]+){2}$/);
	});

	it('json', async () => {
		const reply = await ask({ num: '2', format: 'json' });
		expect(reply.headers.get('content-type')).toContain('application/json');
		expect(reply.json).toEqual({
			code: 0,
			msg: '',
			data: {
				count: 2,
				proxy_list: [expect.stringMatching(/^127\./), expect.stringMatching(/^127\./)],
			},
		});
	});

	it('xml', async () => {
		const reply = await ask({ num: '2', format: 'xml' });
		expect(reply.headers.get('content-type')).toContain('xml');
		expect(reply.text.replaceAll('\n', '')).toMatch(
			/^<result><code>0<\/code><msg><\/msg><data><count>2<\/count><proxy_list>(<proxy>127[\d.:]+<\/proxy>){2}<\/proxy_list><\/data><\/result>$/,
		);
	});

	it('a failure comes in the format that was asked for', async () => {
		const wrong = { num: '0' };
		expect((await ask({ ...wrong, format: 'text' })).text).toMatch(/^ERROR\(-3\): .+$/);
		expect((await ask({ ...wrong, format: 'json' })).json).toEqual({
			code: -3,
			msg: expect.stringMatching(/./),
			data: '',
		});
		expect((await ask({ ...wrong, format: 'xml' })).text).toMatch(
			/<code>-3<\/code>\n<msg>.+<\/msg>\n<data><\/data>/,
		);
	});

	it('long answers are compressed', async () => {
		const reply = await ask({ num: '500' });
		expect(reply.headers.get('content-encoding')).toBe('gzip');
		expect(reply.text.split('\r\n')).toHaveLength(500);
	});

	it('POST does the same', async () => {
		const parameters = signed(sandbox.keys.opsVip, 'POST', PATH, { num: '2', area: '北京' });
		const { text } = await post(sandbox.hosts.baseUrl + PATH, parameters);
		expect(text.split('\r\n')).toHaveLength(2);
	});
});

describe('extra fields', () => {
	it('come after the address, in a fixed order', async () => {
		const all = await entries({ num: '50', f_sp: '1', f_pr: '1', f_an: '1', f_loc: '1' });
		for (const entry of all) {
			expect(entry).toMatch(/^127[\d.]+:\d+,[^,]+,(高匿名|匿名|透明),(HTTP|HTTPS),\d+\.\d\d$/);
		}
	});

	it('come only when asked for', async () => {
		expect((await entries({ num: '1', f_an: '1', f_sp: '1' }))[0]).toMatch(
			/^[\d.:]+,(高匿名|匿名|透明),[\d.]+$/,
		);
		const { json } = await ask({ num: '1', f_loc: '1', format: 'json' });
		expect(Object(json.data).proxy_list[0]).toMatch(/^[\d.:]+,[^,]+$/);
	});
});

describe('filters', () => {
	const NUM = '200';

	it.each<[parameters: Parameters, test: (proxy: OpenProxy) => boolean]>([
		[{ area: '浙江' }, ({ region }) => region.province === '浙江省'],
		[
			{ area: '广州市,美国' },
			({ region }) => region.city === '广州市' || region.country === '美国',
		],
		[{ area_ex: '中国' }, ({ region }) => region.country !== '中国'],
		[
			{ area: '浙江', area_ex: '杭州' },
			({ region }) => region.province === '浙江省' && region.city !== '杭州市',
		],
		[{ port: '3128,8118' }, ({ port }) => port === 3128 || port === 8118],
		[{ port_ex: '3128,8118' }, ({ port }) => port !== 3128 && port !== 8118],
		[{ carrier: '4' }, ({ carrier }) => carrier === 4],
		[{ protocol: '2' }, ({ supportsHttps }) => supportsHttps],
		[{ method: '2' }, ({ supportsPost }) => supportsPost],
		[{ quality: '1' }, ({ quality }) => quality >= 1],
		[{ an_ha: '1' }, ({ anonymity }) => anonymity === 'high'],
		[{ an_an: '1' }, ({ anonymity }) => anonymity === 'anonymous'],
		[{ an_ha: '1', an_tr: '1' }, ({ anonymity }) => anonymity !== 'anonymous'],
		[{ ipstart: '127.1' }, ({ address }) => address.startsWith('127.1')],
		[{ ipstart: '127.12.,127.13.' }, ({ address }) => /^127\.1[23]\./.test(address)],
		[{ ipstart_ex: '127.1,127.2' }, ({ address }) => !/^127\.[12]/.test(address)],
	])('%j', async (parameters, test) => {
		const matching = sandbox.catalogue.filter(test);
		const found = await proxies({ ...parameters, num: NUM });
		expect(found).toHaveLength(Math.min(Number(NUM), matching.length));
		expect(found.every(test)).toBe(true);
		expect(matching.length).toBeLessThan(sandbox.catalogue.length);
	});

	it.each([[{ protocol: '1' }], [{ method: '1' }], [{ carrier: '0' }], [{ area: '' }]])(
		'%j leaves nothing out',
		async (parameters) => {
			expect(await entries({ ...parameters, num: '1000' })).toHaveLength(1000);
		},
	);

	it('quality 2 is what SVIP gets', async () => {
		const found = await proxies({ quality: '2', num: '100' }, 'opsSvip');
		expect(found.every(({ quality }) => quality === 2)).toBe(true);
	});

	it('3: nothing matches', async () => {
		const reply = await ask({ num: '5', area: '火星', format: 'json' });
		expect(reply.json.code).toBe(3);
		expect(sandbox.log.last()).toMatchObject({ code: 3, workDone: false });
	});

	it('fewer than asked for, when fewer match', async () => {
		const [one] = sandbox.catalogue;
		const found = await proxies({ num: '5', ipstart: String(one?.address) });
		expect(found).toEqual([one]);
	});
});

describe('order of the entries', () => {
	it('each call draws anew, without doubles, and calls overlap', async () => {
		const first = await entries({ num: '1000' });
		const second = await entries({ num: '1000' });
		expect(new Set(first).size).toBe(1000);
		expect(second).not.toEqual(first);
		const both = new Set([...first, ...second]).size;
		expect(both).toBeGreaterThan(1500);
		expect(both).toBeLessThan(1950);
	});

	it('the same seed draws the same', async () => {
		const draw = async (seed: number) => {
			const other = await startSandbox({ seed, forwardProxies: false });
			const { text } = await call(other.hosts.baseUrl, PATH, other.keys.opsVip, { num: '10' });
			await other.close();
			return text;
		};
		expect(await draw(1)).toBe(await draw(1));
		expect(await draw(1)).not.toBe(await draw(2));
	});

	it('sort 1 gives the fastest first, sort 2 the last checked', async () => {
		const fastest = await proxies({ num: '50', sort: '1' });
		const speeds = sandbox.catalogue.map(({ responseSeconds }) => responseSeconds);
		expect(fastest.map(({ responseSeconds }) => responseSeconds)).toEqual(
			speeds.sort((left, right) => left - right).slice(0, 50),
		);

		const recent = await proxies({ num: '50', sort: '2' }, 'opsSvip');
		const ages = sandbox.catalogue.map(({ checkedSecondsAgo }) => checkedSecondsAgo);
		expect(recent.map(({ checkedSecondsAgo }) => checkedSecondsAgo)).toEqual(
			ages.sort((left, right) => left - right).slice(0, 50),
		);
	});
});

describe('dedup', () => {
	let other: Sandbox;

	beforeEach(async () => {
		other = await startSandbox({
			rateLimits: false,
			forwardProxies: false,
			catalogueSize: 25,
			now: new Date('2026-03-01T12:00:00Z'),
		});
	});

	afterEach(() => other.close());

	async function extract(parameters: Parameters, key: KeyName = 'opsVip'): Promise<string[]> {
		const { text } = await call(
			key === 'opsSvip' ? other.hosts.svipUrl : other.hosts.baseUrl,
			PATH,
			other.keys[key],
			parameters,
			other.clock.now(),
		);
		return text.split('\r\n');
	}

	it('leaves out what the order has got today, until nothing is left', async () => {
		const plain = await extract({ num: '10' });
		const rest = await extract({ num: '10', dedup: '1' });
		const last = await extract({ num: '10', dedup: '1' });
		expect([plain.length, rest.length, last.length]).toEqual([10, 10, 5]);
		expect(new Set([...plain, ...rest, ...last]).size).toBe(25);
		expect((await extract({ num: '10', dedup: '1' }))[0]).toMatch(/^ERROR\(3\)/);
		expect(await extract({ num: '10' })).toHaveLength(10);
	});

	it('is a matter of one order', async () => {
		await extract({ num: '25' });
		expect(await extract({ num: '25', dedup: '1' }, 'opsSvip')).toHaveLength(25);
	});

	it('begins again with the next day in China', async () => {
		await extract({ num: '25' });
		other.clock.set(new Date('2026-03-01T15:59:00Z'));
		expect((await extract({ num: '1', dedup: '1' }))[0]).toMatch(/^ERROR\(3\)/);
		other.clock.set(new Date('2026-03-01T16:00:10Z'));
		expect(await extract({ num: '25', dedup: '1' })).toHaveLength(25);
	});
});

describe('refusals', () => {
	it.each<[code: number, key: KeyName, parameters: Parameters]>([
		[-1, 'opsVip', {}],
		[-5, 'kps', { num: '1' }],
		[-6, 'dps', { num: '1' }],
		[-7, 'tps', { num: '1' }],
		[2, 'opsExpired', { num: '1' }],
		[-23, 'opsRegular', { num: '501' }],
		[-35, 'opsVip', { num: '1001' }],
		[-45, 'opsSvip', { num: '2001' }],
		[-24, 'opsRegular', { num: '1', sort: '1' }],
		[-24, 'opsRegular', { num: '1', sort: '2' }],
		[-25, 'opsRegular', { num: '1', f_loc: '1' }],
		[-25, 'opsRegular', { num: '1', f_an: '1' }],
		[-25, 'opsRegular', { num: '1', f_pr: '1' }],
		[-25, 'opsRegular', { num: '1', f_sp: '1' }],
		[-31, 'opsRegular', { num: '1', quality: '1' }],
		[-32, 'opsRegular', { num: '1', quality: '2' }],
		[-32, 'opsVip', { num: '1', quality: '2' }],
	])('%i for %s with %j', async (code, key, parameters) => {
		expect((await ask(parameters, key)).text).toMatch(new RegExp(`^ERROR\\(${code}\\): .`));
		expect(sandbox.log.last()).toMatchObject({ code, workDone: false });
	});

	it.each(['json', 'xml'])('-26 as text when a regular order asks for %s', async (format) => {
		expect((await ask({ num: '1', format }, 'opsRegular')).text).toMatch(/^ERROR\(-26\): ./);
	});

	it('the largest number of each plan is served', async () => {
		expect(await entries({ num: '500' }, 'opsRegular')).toHaveLength(500);
		expect(await entries({ num: '1000' }, 'opsVip')).toHaveLength(1000);
		expect(await entries({ num: '2000' }, 'opsSvip')).toHaveLength(2000);
	});

	it('-33 when an order that is not SVIP comes to the SVIP host', async () => {
		for (const key of ['opsRegular', 'opsVip'] as const) {
			const reply = await call(sandbox.hosts.svipUrl, PATH, sandbox.keys[key], { num: '1' });
			expect(reply.text).toMatch(/^ERROR\(-33\)/);
		}
	});

	it('an SVIP order is served on the base host with the limits of its plan', async () => {
		const { baseUrl } = sandbox.hosts;
		const reply = await call(baseUrl, PATH, sandbox.keys.opsSvip, { num: '2000', quality: '2' });
		expect(reply.text).not.toContain('ERROR');
	});

	it.each<Parameters>([
		{ num: '' },
		{ num: '0' },
		{ num: '-1' },
		{ num: '1.5' },
		{ num: '1e2' },
		{ num: 'many' },
		{ quality: '3' },
		{ port: '80,' },
		{ port: '70000' },
		{ port: 'http' },
		{ port_ex: '0' },
		{ area: '北京,,上海' },
		{ area_ex: ',' },
		{ carrier: '7' },
		{ carrier: 'x' },
		{ protocol: '0' },
		{ protocol: '3' },
		{ method: '3' },
		{ ipstart: '300.' },
		{ ipstart: '.127' },
		{ ipstart: '1.2.3.4.' },
		{ ipstart_ex: 'abc' },
		{ dedup: '0' },
		{ an_ha: '2' },
		{ an_an: 'true' },
		{ an_tr: '' },
		{ sort: '3' },
		{ f_loc: '0' },
		{ f_an: 'x' },
		{ f_pr: '2' },
		{ f_sp: '' },
		{ format: 'csv' },
		{ sep: '5' },
	])('-3 for %j', async (parameters) => {
		expect((await ask({ num: '1', ...parameters })).text).toMatch(/^ERROR\(-3\): ./);
	});

	it.each([
		[-11, 'WAIT_PAY'],
		[-12, 'OPENING'],
		[-12, 'OWING'],
		[-12, 'CLOSED'],
		[-14, 'FORBIDDEN'],
		[-16, 'REFUNDED'],
		[2, 'EXPIRED'],
	] as const)('%i when the order is %s', async (code, status) => {
		const order = sandbox.store.order(sandbox.keys.opsVip.secretId);
		order.status = status;
		const { text } = await ask({ num: '1' });
		order.status = 'VALID';
		expect(text).toMatch(new RegExp(`^ERROR\\(${code}\\)`));
	});

	it.each([2, -13, -15] as const)('%i when that is the code for an expired order', async (code) => {
		const account = sandbox.store.account(sandbox.keys.account.secretId);
		const { keys } = sandbox.store.addOrder(
			newOpenProxyOrder(`expired${code}`, account, new Date(), {
				plan: 'VIP',
				expiresAt: new Date(Date.now() - 1),
				codeWhenExpired: code,
			}),
		);
		const reply = await call(sandbox.hosts.baseUrl, PATH, keys, { num: '1', format: 'json' });
		expect(reply.json.code).toBe(code);
	});

	it('an order expires when its time has come', async () => {
		expect((await ask({ num: '1' })).text).not.toContain('ERROR');
		sandbox.clock.advance(31 * 24 * 60 * 60 * 1000);
		expect((await ask({ num: '1' })).text).toMatch(/^ERROR\(2\)/);
	});
});

it('writes down what was handed out; it is taken from nothing', async () => {
	sandbox.extractions.clear();
	await ask({ num: '7' });
	await ask({ num: '0' });
	const { orderId } = sandbox.store.order(sandbox.keys.opsVip.secretId);
	expect(sandbox.extractions.entries()).toMatchObject([
		{ path: PATH, product: 'OPS', orderId, count: 7, usedUp: 0 },
	]);
});

it('makes a large catalogue with different addresses, away from 127.0.0', async () => {
	const other = await startSandbox({
		catalogueSize: 120_000,
		forwardProxies: false,
		rateLimits: false,
	});
	const addresses = new Set(other.catalogue.map(({ address }) => address));
	const seconds = new Set([...addresses].map((address) => address.split('.')[1]));
	const { text } = await call(other.hosts.svipUrl, PATH, other.keys.opsSvip, { num: '2000' });
	await other.close();
	expect(addresses.size).toBe(120_000);
	expect(seconds.size).toBe(254);
	expect(seconds.has('0')).toBe(false);
	expect(new Set(text.split('\r\n')).size).toBe(2000);
}, 30_000);
