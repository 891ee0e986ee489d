import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import { call, post, signed, type Parameters } from '../client.mts';
import { ask, entries, type KeyName, PATH, sandbox } from './extractingOpen.mts';

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
