import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import zlib, { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { CERTIFICATE, KEY } from '../../../sandbox/pages/certificate.mts';
import { CONTINUE } from '../support/nodeSettings.mts';
import { detailsOf, outcomesOf, usePages } from './pageOpener.mts';

const { opener } = usePages();

const privateProxies = () => opener('dpsPerIp', 'DPS');

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
		const { items } = await privateProxies().open([`${site}/${path}`]);
		expect(items[0].json.data).toBe(String(TEXT));
		expect(outcomesOf(items[0])).toBe('opened 200');
	},
);

describe('a page that n8n does not unpack', () => {
	const headers = { values: [{ name: 'Accept-Encoding', value: 'gzip, deflate, br, zstd' }] };

	it('is none, and says which header may have asked for it', async () => {
		const me = privateProxies();
		const { error } = await me.open([`${site}/gzip,gzip`], { headers });
		expect(error?.message).toBe('The compressed content of the page could not be read');
		expect(error?.description).toMatch(
			/came compressed as "gzip,gzip", which n8n cannot unpack\. Remove your own 'Accept-Encoding' from 'Headers'/,
		);
		expect(me.extracted).toBe(1);
	});

	it('never comes out packed, whether Node.js knows zstd or not', async () => {
		const settings = { settings: CONTINUE };
		const { items } = await privateProxies().open([`${site}/zstd`], { headers }, settings);
		const isKnown = 'createZstdDecompress' in zlib;
		expect(outcomesOf(items[0])).toBe(isKnown ? 'opened 200' : 'proxyFailed 200');
		expect(items[0].json.data).toBe(isKnown ? '<p>hello</p>' : '');
	});

	it('has no body to a HEAD', async () => {
		const fields = { headers, method: 'HEAD' };
		const { items } = await privateProxies().open([`${site}/zstd`], fields);
		expect(outcomesOf(items[0])).toBe('opened 200');
	});
});

it('a page in UTF-8 with a broken character loses only that', async () => {
	const { items } = await privateProxies().open([`${site}/cut`]);
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
		const me = privateProxies();
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
	const me = privateProxies();
	const url = `${site}/gzip-half`;
	const { items } = await me.open([url]);
	expect(items[0].json.data).toMatch(/^Boat 0\nBoat 1\nBoat 4\n/);
	const lacking = { retryIf: { lacks: '399960001' } };
	const { items: noticed } = await me.open([url], lacking, { settings: CONTINUE });
	expect(outcomesOf(noticed[0])).toBe('blocked 200, blocked 200, blocked 200');
});

it('a page comes uncompressed where that is asked for', async () => {
	const me = privateProxies();
	const headers = { values: [{ name: 'Accept-Encoding', value: 'identity' }] };
	await me.open([me.page('/echo')], { headers });
	expect(me.visits[0].headers['accept-encoding']).toBe('identity');
});

describe('an answer with a status that there is not', () => {
	it('is none, and another proxy is tried', async () => {
		const settings = { settings: CONTINUE };
		const { items } = await privateProxies().open([`${site}/status-000`], {}, settings);
		expect(outcomesOf(items[0])).toBe('proxyFailed, proxyFailed, proxyFailed');
		expect(detailsOf(items[0]).error).toMatch(/^The page could not be reached in 3 attempts/);
		expect(items[0].json.data).toBe('');
	});

	it('to a POST may have come from the page', async () => {
		const fields = { method: 'POST', body: '{"a":1}' };
		const { error } = await privateProxies().open([`${site}/status-000`], fields);
		expect(error?.description).toContain('The page may have received what was sent');
		expect(requests).toEqual(['POST /status-000']);
	});
});
