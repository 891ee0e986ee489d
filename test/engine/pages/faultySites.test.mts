import { once } from 'node:events';
import {
	createServer as createPlainServer,
	type AddressInfo,
	type Server,
	type Socket,
} from 'node:net';
import tls, { createServer } from 'node:tls';

import { CERTIFICATE, KEY } from '../../../sandbox/pages/certificate.mts';
import { sleep } from '../support/sleep.mts';
import { CONTINUE } from '../support/nodeSettings.mts';
import { detailsOf, outcomesOf, usePages } from './pageOpener.mts';

const { opener } = usePages();

const privateProxies = () => opener('dpsPerIp', 'DPS');

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
		...['malformed', 'short', 'slow', 'silent', 'closed'].map((name): [string, () => string] => [
			`an answer that is ${name}`,
			() => `https://127.0.0.1:${portOf(encrypted)}/${name}`,
		]),
	];

	it.each(urls)('%s', async (_what, url) => {
		const me = privateProxies();
		const options = { attemptTimeout: 2000, pagesAtATime: 1 };
		const open = async () =>
			await me.open([url()], { options, maxAttempts: 2 }, { settings: CONTINUE });
		const { items, hints } = await (url().endsWith('here') ? distrusting(open) : open());
		expect(detailsOf(items[0]).attempts).toHaveLength(2);
		expect(hints[0].message).not.toContain('failed');
		expect(me.extracted).toBe(2);
		// The same proxies serve another site, by another name of this machine
		const { port } = new URL(me.sites.http);
		const others = [1, 2].map((page) => `http://localhost:${port}/article/${page}`);
		const again = await me.open(others, { options });
		expect(again.items.map(outcomesOf)).toEqual(['opened 200', 'opened 200']);
		expect(me.extracted).toBe(2);
	});
});

it('a certificate that cannot be checked is accepted where that is wanted', async () => {
	const me = privateProxies();
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
		const me = privateProxies();
		const port = portOf(scheme === 'https' ? encrypted : plain);
		const { items } = await me.open([`${scheme}://127.0.0.1:${port}/moved`]);
		expect(outcomesOf(items[0])).toBe('opened 200');
		await sleep(1000);
		expect(sockets.size).toBe(0);
	},
);

it.each(['https large', 'http large', 'https packed', 'http packed'])(
	'a page that announces too much leaves no connection open: %s',
	async (what) => {
		const me = privateProxies();
		const [scheme, path] = what.split(' ');
		const port = portOf(scheme === 'https' ? encrypted : plain);
		const urls = Array.from({ length: 5 }, () => `${scheme}://127.0.0.1:${port}/${path}`);
		const { items } = await me.open(urls, {}, { settings: CONTINUE });
		for (const item of items) expect(outcomesOf(item)).toBe('tooLarge 200');
		await sleep(1000);
		expect(sockets.size).toBe(0);
	},
);
