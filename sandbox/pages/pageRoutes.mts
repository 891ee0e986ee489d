import { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { createGzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { pause } from '../http/outgoing.mts';
import { article, CAPTCHA, chinesePage, linkList, PICTURE, short } from './bodies.mts';
import { CHINESE_TEXTS, isCharset } from './chineseTexts.mts';
import { addProductRoutes, PRODUCT_LIST } from './products.mts';
import { addShopRoutes, SHOP_LIST } from './shop.mts';

const CHUNK = 64 * 1024;

/** What there is to visit, and what its query can change. */
const PAGE_LIST: ReadonlyArray<readonly [path: string, what: string]> = [
	...SHOP_LIST,
	...PRODUCT_LIST,
	['/ip', 'the address and port that the page sees, as JSON'],
	['/article', 'text for people, with all that is around it; /article/7 has the 7 in its title'],
	['/json', 'JSON'],
	['/echo', 'method, headers, and body of the request, as JSON'],
	['/picture', 'a PNG'],
	['/status/404', 'that status'],
	['/captcha', 'a captcha, with status 200'],
	['/challenge', 'the page of Cloudflare that wants JavaScript, with status 403'],
	['/verify', 'the same as the captcha, where blocked visitors are redirected to'],
	['/empty', 'status 200 and no body'],
	['/bytes/5000000', 'so many bytes; ?gzip=1 packed'],
	['/endless', 'a body without an end'],
	['/slow', 'an answer after ?ms=1000'],
	['/drip', 'a body that comes byte by byte, one after ?ms=200'],
	['/hang', 'no answer'],
	['/redirect/3', 'three redirects; ?to= the last one leads there, ?status=301'],
	['/charset/gbk', `Chinese; ?by=header (default), meta, or nothing; ${names(CHINESE_TEXTS)}`],
	['/cookies', 'the cookies that were sent, as JSON'],
	['/cookies/set', '?cookie= sets one, as a Set-Cookie header has it, and redirects to /cookies'],
	['/login', 'a form; POST user=demo and password=demo, then /account'],
	['/account', 'who is logged in, as long as the address stays the same; else back to /login'],
];

/** Everything but the pages that need to know their visitors. */
export function addPageRoutes(app: FastifyInstance, closing: AbortSignal): void {
	const html = (reply: FastifyReply, body: string | Buffer) =>
		reply.type('text/html; charset=utf-8').send(body);

	app.get('/', (_request, reply) => html(reply, linkList('Pages', PAGE_LIST)));

	app.get('/ip', ({ socket }) => ({ address: socket.remoteAddress, port: socket.remotePort }));
	app.get('/article', (_request, reply) => html(reply, article('The harbor')));
	app.get<{ Params: { number: string } }>('/article/:number', ({ params }, reply) =>
		html(reply, article(`Article ${params.number}`)),
	);
	app.get('/json', () => ({ title: 'The harbor', boats: [{ name: 'Anna' }, { name: 'Möwe' }] }));
	app.all('/echo', ({ method, headers, body }) => ({
		method,
		headers,
		body: Buffer.isBuffer(body) ? body.toString() : '',
	}));
	app.get('/picture', (_request, reply) => reply.type('image/png').send(PICTURE));
	app.all<{ Params: { status: string } }>('/status/:status', ({ params: { status } }, reply) =>
		html(reply.code(Number(status)), short(`Status ${status}`, 'As you wished.')),
	);
	app.get('/captcha', (_request, reply) => html(reply, CAPTCHA));
	app.get('/challenge', (_request, reply) =>
		html(
			reply.code(403).header('cf-mitigated', 'challenge'),
			short('Just a moment...', 'Checking'),
		),
	);
	app.get('/verify', (_request, reply) => html(reply, CAPTCHA));
	app.get('/empty', (_request, reply) => html(reply, ''));

	addShopRoutes(app, closing);
	addProductRoutes(app);
	addRedirects(app);
	addSizes(app);
	addMisbehavior(app, closing);

	app.get<{ Params: { charset: string }; Querystring: { by?: string } }>(
		'/charset/:charset',
		({ params: { charset }, query: { by = 'header' } }, reply) => {
			if (!isCharset(charset)) return reply.code(404).send();
			const type = by === 'header' ? `text/html; charset=${charset}` : 'text/html';
			// `type` of Fastify adds a character set of its own
			return reply.header('content-type', type).send(chinesePage(charset, by === 'meta'));
		},
	);
}

function addRedirects(app: FastifyInstance): void {
	app.all<{ Params: { count: string }; Querystring: { to?: string; status?: string } }>(
		'/redirect/:count',
		({ params, query, url }, reply) => {
			const left = Number(params.count) - 1;
			const next = url.replace(/^\/redirect\/\d+/, `/redirect/${left}`);
			return reply.redirect(
				left > 0 ? next : (query.to ?? '/article'),
				Number(query.status ?? 302),
			);
		},
	);
}

function addSizes(app: FastifyInstance): void {
	app.get<{ Params: { count: string }; Querystring: { gzip?: string } }>(
		'/bytes/:count',
		({ params: { count }, query: { gzip } }, reply) => {
			const body = Readable.from(chunks(Number(count)));
			reply.type('text/plain; charset=utf-8');
			if (gzip) return reply.header('content-encoding', 'gzip').send(body.pipe(createGzip()));
			return reply.header('content-length', count).send(body);
		},
	);
	app.get('/endless', (_request, reply) =>
		reply.type('text/plain; charset=utf-8').send(Readable.from(chunks(Infinity))),
	);
}

function* chunks(bytes: number): Generator<Buffer> {
	const whole = Buffer.alloc(CHUNK, 'abcdefghijklmnopqrstuvwxyz\n');
	for (let left = bytes; left > 0; left -= CHUNK) yield whole.subarray(0, Math.min(left, CHUNK));
}

function addMisbehavior(app: FastifyInstance, closing: AbortSignal): void {
	const milliseconds = ({ ms }: { ms?: string }, usual: number) => Number(ms ?? usual);

	app.get<{ Querystring: { ms?: string } }>('/slow', async ({ query }, reply) => {
		await pause(milliseconds(query, 1000), closing);
		return html(reply);
	});
	app.get<{ Querystring: { ms?: string } }>('/drip', ({ query }, reply) => {
		async function* bytes() {
			for (const byte of 'Slow and steady') {
				await pause(milliseconds(query, 200), closing);
				yield byte;
			}
		}
		return reply.type('text/plain').send(Readable.from(bytes()));
	});
	app.get('/hang', (_request, reply) => void reply.hijack());

	function html(reply: FastifyReply) {
		return reply.type('text/html; charset=utf-8').send(article('Slow'));
	}
}

export function cutShort(reply: FastifyReply): void {
	const body = Buffer.from(article('Half'));
	reply.hijack();
	reply.raw.writeHead(200, {
		'content-type': 'text/html; charset=utf-8',
		'content-length': String(body.length),
	});
	reply.raw.write(body.subarray(0, body.length / 2), () => reply.raw.destroy());
}

export function resetConnection(reply: FastifyReply): void {
	reply.hijack();
	const { socket } = reply.raw;
	// A TLS socket has no handle to reset
	if (socket instanceof TLSSocket) socket.destroy();
	else socket?.resetAndDestroy();
}

function names(texts: object): string {
	return Object.keys(texts).join(', ');
}
