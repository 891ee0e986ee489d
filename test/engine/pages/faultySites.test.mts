import { once } from 'node:events';
import {
	type AddressInfo,
	createServer as createPlainServer,
	type Server,
	type Socket,
} from 'node:net';
import tls, { createServer, type TLSSocket } from 'node:tls';
import zlib, { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { CERTIFICATE, KEY } from '../../../sandbox/pages/certificate.mts';
import { CONTINUE } from '../support/runSettings.mts';
import { success } from '../support/scriptedService.mts';
import { inShop } from '../support/scriptedShop.mts';
import { sleep } from '../support/sleep.mts';
import { detailsOf, outcomesOf, usePages } from './pageOpener.mts';

const { bed, me } = usePages();

/** As long as nobody trusts the certificate of the site. */
async function distrusting<T>(work: () => Promise<T>): Promise<T> {
	const trusting = tls.createSecureContext;
	tls.createSecureContext = (options) => trusting({ ...options, ca: [] });
	return await work().finally(() => {
		tls.createSecureContext = trusting;
	});
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

/** What a site answers that no server of Node.js would. */
const ANSWERS: Readonly<Record<string, (socket: Socket) => void>> = {
	'/malformed': (socket) => socket.end('HTTP/1.1 200 OK\r\nA Header\r\n\r\nx'),
	'/two-lengths': (socket) => socket.end(`${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy`),
	'/length-and-chunks': (socket) =>
		socket.end(`${HEAD}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`),
	'/large-headers': (socket) => socket.end(`${HEAD}X-Large: ${'x'.repeat(20_000)}\r\n\r\nx`),
	'/short': (socket) => socket.end(`${HEAD}Content-Length: 100\r\n\r\nhalf`),
	'/slow': (socket) => void socket.write(`${HEAD}Content-Length: 100\r\n\r\nhalf`),
	'/silent': () => undefined,
	'/closed': (socket) => void socket.destroy(),
	'/large': (socket) => void socket.write(`${HEAD}Content-Length: 100000000\r\n\r\nbeginning`),
	'/packed': (socket) =>
		void socket.write(`${HEAD}Content-Encoding: gzip\r\nContent-Length: 100000000\r\n\r\nx`),
	'/moved': (socket) => {
		socket.write('HTTP/1.1 302 Found\r\nLocation: /here\r\n\r\n');
		const more = () =>
			void (socket.destroyed || socket.write(Buffer.alloc(60_000), () => setImmediate(more)));
		more();
	},
	'/here': (socket) => socket.end(`${HEAD}Content-Length: 2\r\n\r\nok`),
};

const sockets = new Set<Socket>();
let encrypted: Server;
let plain: Server;

function answer(socket: Socket): void {
	sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
	socket.once('data', (data) => ANSWERS[String(data).split(' ')[1]]?.(socket));
}

function portOf(server: Server): number {
	return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
	encrypted = createServer({ cert: CERTIFICATE, key: KEY }, answer).listen(0, '0.0.0.0');
	plain = createPlainServer(answer).listen(0, '0.0.0.0');
	await Promise.all([once(encrypted, 'listening'), once(plain, 'listening')]);
});
afterAll(() => {
	for (const server of [encrypted, plain]) server.close();
	for (const socket of sockets) socket.destroy();
});

describe('a fault of a site costs a proxy only for that site', () => {
	const urls: ReadonlyArray<[string, () => string]> = [
		['an untrusted certificate', () => `https://127.0.0.1:${portOf(encrypted)}/here`],
		['no encryption', () => `https://127.0.0.1:${portOf(plain)}/here`],
		...['short', 'slow', 'silent', 'closed'].map((name): [string, () => string] => [
			`an answer that is ${name}`,
			() => `https://127.0.0.1:${portOf(encrypted)}/${name}`,
		]),
	];

	it.each(urls)('%s', async (_what, url) => {
		const options = { attemptTimeout: 2, pagesAtATime: 1 };
		const open = async () =>
			await me.open([url()], { options, maxAttempts: 2 }, { settings: CONTINUE });
		const { items, hints } = await (url().endsWith('here') ? distrusting(open) : open());
		expect(detailsOf(items[0]).attempts).toHaveLength(2);
		expect(hints[0].message).not.toMatch(/, \d+ failed/);
		expect(me.extracted).toBe(2);
		// The same proxies serve another site, by another name of this machine
		const { port } = new URL(me.sites.http);
		const others = [1, 2].map((page) => `http://localhost:${port}/article/${page}`);
		const again = await me.open(others, { options });
		expect(again.items.map(outcomesOf)).toEqual(['opened 200', 'opened 200']);
		expect(me.extracted).toBe(2);
	});
});

it.each([
	['malformed', 'proxyFailed', /^The page breaks the rules of HTTP\. .*broken HTTP \(HPE_/],
	['two-lengths', 'proxyFailed', /^The page breaks the rules of HTTP\./],
	['length-and-chunks', 'proxyFailed', /^The page breaks the rules of HTTP\./],
	['large-headers', 'tooLarge', /^The headers of the page are too large\./],
])('HTTP that no proxy changes is the fault of the page: %s', async (name, outcome, words) => {
	const url = `https://127.0.0.1:${portOf(encrypted)}/${name}`;
	const { items, hints } = await me.open([url], {}, { settings: CONTINUE });
	expect(outcomesOf(items[0])).toBe(outcome);
	expect(detailsOf(items[0]).error).toMatch(words);
	expect(detailsOf(items[0]).error).not.toContain('Max Attempts');
	expect(hints[0].message).not.toMatch(/, \d+ failed/);
	expect(me.extracted).toBe(1);
});

it('a certificate that cannot be checked is accepted where that is wanted', async () => {
	const url = `https://127.0.0.1:${portOf(encrypted)}/here`;
	const strict = await distrusting(async () => await me.open([url], { maxAttempts: 1 }));
	expect(strict.error?.message).toMatch(/^The certificate of the page could not be trusted/);
	expect(strict.error?.description).toContain("'Ignore SSL Issues (Insecure)'");
	const options = { allowUnauthorizedCerts: true };
	const { items } = await distrusting(async () => await me.open([url], { options }));
	expect(outcomesOf(items[0])).toBe('opened 200');
	expect(items[0].json.data).toBe('ok');
});

it.each(['https', 'http'])(
	'a redirect with a body without an end is followed: %s',
	async (scheme) => {
		const port = portOf(scheme === 'https' ? encrypted : plain);
		const { items } = await me.open([`${scheme}://127.0.0.1:${port}/moved`]);
		expect(outcomesOf(items[0])).toBe('opened 200');
		await sleep(1000);
		expect(sockets.size).toBe(0);
	},
);

it.each(['https large', 'http packed'])(
	'a page that announces too much leaves no connection open: %s',
	async (what) => {
		const [scheme, path] = what.split(' ');
		const port = portOf(scheme === 'https' ? encrypted : plain);
		const urls = Array.from({ length: 5 }, () => `${scheme}://127.0.0.1:${port}/${path}`);
		const { items } = await me.open(urls, {}, { settings: CONTINUE });
		for (const item of items) expect(outcomesOf(item)).toBe('tooLarge 200');
		await sleep(1000);
		expect(sockets.size).toBe(0);
	},
);

const HTML = 'Content-Type: text/html\r\nConnection: close\r\n';
const OK = `HTTP/1.1 200 OK\r\n${HTML}`;

/** What a proxy answers to CONNECT in place of leading to the page. */
const FORGERIES: ReadonlyArray<[string, string | Buffer]> = [
	...['201 Created', '202 Accepted', '203 Other', '204 No Content', '404 Not Found'].map(
		(status): [string, string] => [status, `HTTP/1.1 ${status}\r\n${HTML}\r\nFORGED`],
	),
	...['100 Continue', '102 Processing', '103 Early Hints'].map((status): [string, string] => [
		`${status} and a 200 of its own`,
		`HTTP/1.1 ${status}\r\n\r\n${OK}Set-Cookie: forged=1\r\n\r\nFORGED`,
	]),
	[
		'a compressed 200 of its own',
		Buffer.concat([
			Buffer.from(`HTTP/1.1 103 Early Hints\r\n\r\n${OK}Content-Encoding: gzip\r\n\r\n`),
			gzipSync('FORGED'),
		]),
	],
];

describe('an encrypted page', () => {
	it.each(
		FORGERIES.map(([what, answer], row) => [what, row % 2 === 0 ? 'GET' : 'POST', answer] as const),
	)('is not what a proxy makes up: %s to a %s', async (_what, method, answer) => {
		let connects = 0;
		const proxy = createPlainServer((client) => {
			client.on('error', () => {});
			client.once('data', () => {
				connects += 1;
				client.end(answer);
			});
		});
		await once(proxy.listen(0, '127.0.0.1'), 'listening');
		const address = proxy.address();
		if (address === null || typeof address === 'string') throw new Error('It has no port');
		const entry = `127.0.0.1:${address.port},600`;
		await inShop(
			bed().engine,
			() => success({ count: 1, proxy_list: [entry] }),
			async (shop) => {
				const { items, error } = await shop.run({
					...{ resource: 'page', operation: 'open', product: 'DPS' },
					url: 'https://bank.example/',
					options: {
						maxAttempts: 1,
						request: { values: { method, body: method === 'POST' ? '{}' : '' } },
					},
				});
				expect(error?.description).toMatch(/the proxy (?:refused|answered)/);
				expect(error?.description).not.toContain('may have received');
				expect(JSON.stringify([items, error])).not.toMatch(/FORGED|forged/);
			},
		);
		expect(connects).toBe(1);
		await new Promise((closed) => proxy.close(closed));
	});

	it('is believed whatever its success, through one proxy', async () => {
		const urls = [201, 203, 204, 226].map((status) => me.securePage(`/status/${status}`));
		const read = await me.open(urls, { sessionKey: 'one' });
		expect(read.error).toBeUndefined();
		expect(read.items.map(outcomesOf)).toEqual([201, 203, 204, 226].map((s) => `opened ${s}`));
		expect(read.items.map((item) => detailsOf(item).sessionRestarted)).toEqual(
			urls.map(() => undefined),
		);
		expect(me.extracted).toBe(1);
	});
});

describe('nobody comes without a proxy', () => {
	const entries: ReadonlyArray<[string, unknown]> = [
		['nothing', { count: 0, proxy_list: [] }],
		['an empty entry', { count: 1, proxy_list: [''] }],
		['an address without a port', { count: 1, proxy_list: ['127.0.0.1'] }],
		['a port alone', { count: 1, proxy_list: [':22989'] }],
		['a port that is none', { count: 1, proxy_list: ['127.0.0.1:0,600'] }],
		['a name without a number', { count: 1, proxy_list: ['localhost:http,600'] }],
		['a socks proxy', { count: 1, proxy_list: ['socks5://127.0.0.1:1080,600'] }],
		['a list of nothing', { count: 1, proxy_list: [null] }],
		['an address that nobody has', { count: 1, proxy_list: ['127.9.9.9:9,600'] }],
	];

	it.each(entries)('when the service gives %s', async (_what, data) => {
		await inShop(
			bed().engine,
			() => success(data),
			async (shop) => {
				for (const url of [me.page('/article'), me.securePage('/article')]) {
					const fields = {
						resource: 'page',
						operation: 'open',
						product: 'DPS',
						url,
						options: { maxAttempts: 2 },
					};
					const { error, items } = await shop.run(fields);
					expect(error).toBeDefined();
					expect(items).toEqual([]);
				}
			},
		);
		expect(me.sandbox.pages.visits.entries()).toEqual([]);
	});
});

describe('an answer', () => {
	const TEXT = Buffer.from('The harbor has many boats. '.repeat(100));

	/** Long enough that half of it has something to unpack. */
	const PACKED = gzipSync(
		Array.from({ length: 20_000 }, (_, line) => `Boat ${line * line}`).join('\n'),
	);

	/** With a beginning that announces what it is. */
	function damaged(packed: Buffer): Buffer {
		return Buffer.concat([packed.subarray(0, 10), Buffer.alloc(packed.length - 10, 0xff)]);
	}

	const BODIES: Readonly<Record<string, Buffer>> = {
		gzip: gzipSync(TEXT),
		'gzip-damaged': damaged(gzipSync(TEXT)),
		'gzip-more': Buffer.concat([gzipSync(TEXT), damaged(gzipSync(TEXT))]),
		'gzip-never': TEXT,
		'deflate-never': TEXT,
		'gzip-half': PACKED.subarray(0, PACKED.length / 2),
		'br-never': TEXT,
		'br-damaged': damaged(brotliCompressSync(TEXT)),
		br: brotliCompressSync(TEXT),
		deflate: deflateSync(TEXT),
		'gzip,gzip': gzipSync(gzipSync(TEXT)),
		// One block of 12 bytes as they are
		zstd: Buffer.concat([Buffer.from('28b52ffd200c610000', 'hex'), Buffer.from('<p>hello</p>')]),
		identity: TEXT,
	};

	const CUT_IN_UTF8 = Buffer.concat([
		Buffer.from('今天的新闻和价格').subarray(0, -1),
		Buffer.from('...'),
	]);

	/** An answer that no server of Node.js would give. */
	function rawAnswer(path: string): Buffer {
		const name = path.slice(1);
		const body = BODIES[name] ?? (name === 'cut' ? CUT_IN_UTF8 : Buffer.from('a text'));
		const head = [
			name === 'status-000' ? 'HTTP/1.1 000 Nothing' : 'HTTP/1.1 200 OK',
			'Content-Type: text/plain',
			...(name === 'gzip-half' ? [] : [`Content-Length: ${body.length}`]),
			...(name in BODIES ? [`Content-Encoding: ${name.split('-')[0]}`] : []),
			'Connection: close',
		];
		return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
	}

	/** What was asked for, such as "GET /gzip". */
	const requests: string[] = [];
	let server: Server;
	let site: string;

	function answer(socket: TLSSocket): void {
		socket.on('error', () => undefined);
		socket.once('data', (data) => {
			const [method, path] = String(data).split(' ');
			requests.push(`${method} ${path}`);
			socket.end(rawAnswer(path));
		});
	}

	beforeAll(async () => {
		server = createServer({ cert: CERTIFICATE, key: KEY }, answer).listen(0, '127.0.0.1');
		await once(server, 'listening');
		site = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	beforeEach(() => void requests.splice(0));
	afterAll(() => new Promise((done) => server.close(done)));

	it.each(['gzip', 'deflate', 'br', 'identity'])(
		'a page that is packed well is opened: %s',
		async (path) => {
			const { items } = await me.open([`${site}/${path}`]);
			expect(items[0].json.data).toBe(String(TEXT));
			expect(outcomesOf(items[0])).toBe('opened 200');
		},
	);

	describe('a page that n8n does not unpack', () => {
		const headers = { values: [{ name: 'Accept-Encoding', value: 'gzip, deflate, br, zstd' }] };

		it('is none, and says which header may have asked for it', async () => {
			const { error } = await me.open([`${site}/gzip,gzip`], { headers });
			expect(error?.message).toBe('The compressed content of the page could not be read');
			expect(error?.description).toMatch(
				/came compressed as "gzip,gzip", which n8n cannot unpack\. .*'Accept-Encoding' with the value 'identity' in 'Headers'/,
			);
			expect(me.extracted).toBe(1);
		});

		it('never comes out packed, whether Node.js knows zstd or not', async () => {
			const settings = { settings: CONTINUE };
			const { items } = await me.open([`${site}/zstd`], { headers }, settings);
			const isKnown = 'createZstdDecompress' in zlib;
			expect(outcomesOf(items[0])).toBe(isKnown ? 'opened 200' : 'proxyFailed 200');
			expect(items[0].json.data).toBe(isKnown ? '<p>hello</p>' : '');
		});
	});

	it('a page in UTF-8 with a broken character loses only that', async () => {
		const { items } = await me.open([`${site}/cut`]);
		expect(items[0].json.data).toBe('今天的新闻和价\uFFFD...');
	});

	describe.each([
		'gzip-damaged',
		'gzip-more',
		'gzip-never',
		'deflate-never',
		'br-never',
		'br-damaged',
	])('a page whose compressed content is broken: %s', (path) => {
		it('was reached, and says what may help', async () => {
			const { error } = await me.open([`${site}/${path}`], { maxAttempts: 2 });
			expect(error?.message).toBe(
				'The compressed content of the page could not be read in 2 attempts',
			);
			expect(error?.description).toMatch(
				/the compressed content of the page could not be read \([A-Z_0-9]+\)\. Raise 'Max Attempts'.*'Accept-Encoding'/,
			);
			expect(me.extracted).toBe(2);
		});
	});

	it("a compressed page that ends in the middle, and doesn't say its length, is noticed by what it lacks", async () => {
		const url = `${site}/gzip-half`;
		const { items } = await me.open([url]);
		expect(items[0].json.data).toMatch(/^Boat 0\nBoat 1\nBoat 4\n/);
		const lacking = { retryIf: { lacks: '399960001' } };
		const { items: noticed } = await me.open([url], lacking, { settings: CONTINUE });
		expect(outcomesOf(noticed[0])).toBe('blocked 200, blocked 200, blocked 200');
	});

	it('a page comes uncompressed where that is asked for', async () => {
		const headers = { values: [{ name: 'Accept-Encoding', value: 'identity' }] };
		await me.open([me.page('/echo')], { headers });
		expect(me.visits[0].headers['accept-encoding']).toBe('identity');
	});

	describe('an answer with a status that there is not', () => {
		it('is none, and another proxy is tried', async () => {
			const settings = { settings: CONTINUE };
			const { items } = await me.open([`${site}/status-000`], {}, settings);
			expect(outcomesOf(items[0])).toBe('proxyFailed, proxyFailed, proxyFailed');
			expect(detailsOf(items[0]).error).toMatch(/^The page could not be reached in 3 attempts/);
			expect(items[0].json.data).toBe('');
		});

		it('to a POST may have come from the page', async () => {
			const fields = { method: 'POST', bodyType: 'json', body: '{"a":1}' };
			const { error } = await me.open([`${site}/status-000`], fields);
			expect(error?.description).toContain('The page may have received what was sent');
			expect(requests).toEqual(['POST /status-000']);
		});
	});
});
