import { once } from 'node:events';
import {
	type AddressInfo,
	createServer as createPlainServer,
	type Server,
	type Socket,
} from 'node:net';
import tls, { createServer } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

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

const TEXT = Buffer.from('The harbor has many boats. '.repeat(100));

/** With a beginning that announces what it is. */
function damaged(packed: Buffer): Buffer {
	return Buffer.concat([packed.subarray(0, 10), Buffer.alloc(packed.length - 10, 0xff)]);
}

/** Bodies by their encoding, and what is wrong with them. */
const PACKED: Readonly<Record<string, Buffer>> = {
	gzip: gzipSync(TEXT),
	'gzip-damaged': damaged(gzipSync(TEXT)),
	'gzip-more': Buffer.concat([gzipSync(TEXT), damaged(gzipSync(TEXT))]),
	'gzip-never': TEXT,
	br: brotliCompressSync(TEXT),
	'br-damaged': damaged(brotliCompressSync(TEXT)),
	'br-never': TEXT,
	deflate: deflateSync(TEXT),
	'gzip,gzip': gzipSync(gzipSync(TEXT)),
};

function packedAnswer(name: string): Buffer {
	const [encoding] = name.split('-');
	const lines = `Content-Encoding: ${encoding}\r\nContent-Length: ${PACKED[name].length}\r\n\r\n`;
	return Buffer.concat([Buffer.from(`${HEAD}${lines}`), PACKED[name]]);
}

/** What a site answers that no server of Node.js would. */
const ANSWERS: Readonly<Record<string, (socket: Socket) => void>> = {
	'/malformed': (socket) => socket.end('HTTP/1.1 200 OK\r\nA Header\r\n\r\nx'),
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
	...Object.fromEntries(
		Object.keys(PACKED).map((name) => [
			`/${name}`,
			(socket: Socket) => void socket.end(packedAnswer(name)),
		]),
	),
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

it.each([
	['https', 'large', 'tooLarge 200'],
	['http', 'packed', 'tooLarge 200'],
	['https', 'moved', 'opened 200'],
])(
	'a page that goes on for too long leaves no connection open: %s %s',
	async (scheme, path, outcome) => {
		const port = portOf(scheme === 'https' ? encrypted : plain);
		const urls = Array.from({ length: 5 }, () => `${scheme}://127.0.0.1:${port}/${path}`);
		const { items } = await me.open(urls, {}, { settings: CONTINUE });
		for (const item of items) expect(outcomesOf(item)).toBe(outcome);
		await sleep(1000);
		expect(sockets.size).toBe(0);
	},
);

const HTML = 'Content-Type: text/html\r\nConnection: close\r\n';
const OK = `HTTP/1.1 200 OK\r\n${HTML}`;

/** What a proxy answers to CONNECT in place of leading to the page. */
const FORGERIES: ReadonlyArray<[string, string | Buffer]> = [
	['201 Created', `HTTP/1.1 201 Created\r\n${HTML}\r\nFORGED`],
	['404 Not Found', `HTTP/1.1 404 Not Found\r\n${HTML}\r\nFORGED`],
	[
		'103 Early Hints and a 200 of its own',
		`HTTP/1.1 103 Early Hints\r\n\r\n${OK}Set-Cookie: forged=1\r\n\r\nFORGED`,
	],
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
});

describe('nobody comes without a proxy', () => {
	const entries: ReadonlyArray<[string, unknown]> = [
		['nothing', { count: 0, proxy_list: [] }],
		['an empty entry', { count: 1, proxy_list: [''] }],
		['a socks proxy', { count: 1, proxy_list: ['socks5://127.0.0.1:1080,600'] }],
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

it.each(['gzip', 'deflate', 'br'])('a page that is packed well is opened: %s', async (path) => {
	const { items } = await me.open([`https://127.0.0.1:${portOf(encrypted)}/${path}`]);
	expect(items[0].json.data).toBe(String(TEXT));
	expect(outcomesOf(items[0])).toBe('opened 200');
});

it('a page that n8n does not unpack is none, and says which header may have asked for it', async () => {
	const headers = { values: [{ name: 'Accept-Encoding', value: 'gzip, deflate, br, zstd' }] };
	const url = `https://127.0.0.1:${portOf(encrypted)}/gzip,gzip`;
	const { error } = await me.open([url], { headers });
	expect(error?.message).toBe('The compressed content of the page could not be read');
	expect(error?.description).toMatch(
		/came compressed as "gzip,gzip", which n8n cannot unpack\. .*'Accept-Encoding' with the value 'identity' in 'Headers'/,
	);
	expect(me.extracted).toBe(1);
});

it.each(['gzip-damaged', 'gzip-more', 'gzip-never', 'br-damaged', 'br-never'])(
	'a page whose compressed content is broken was reached, and says what may help: %s',
	async (path) => {
		const url = `https://127.0.0.1:${portOf(encrypted)}/${path}`;
		const { error } = await me.open([url], { maxAttempts: 2 });
		expect(error?.message).toBe(
			'The compressed content of the page could not be read in 2 attempts',
		);
		expect(error?.description).toMatch(
			/the compressed content of the page could not be read \([A-Z_0-9]+\)\. Raise 'Max Attempts'.*'Accept-Encoding'/,
		);
		expect(me.extracted).toBe(2);
	},
);
