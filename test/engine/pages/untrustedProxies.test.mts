import { once } from 'node:events';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';

import { inShop, success } from '../support/scriptedShop.mts';
import { detailsOf, outcomesOf, usePages } from './pageOpener.mts';

const { bed, opener } = usePages();

const privateProxies = () => opener('dpsPerIp', 'DPS');

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
		FORGERIES.flatMap(([what, answer]) =>
			['GET', 'POST'].map((method) => [what, method, answer] as const),
		),
	)('is not what a proxy makes up: %s to a %s', async (_what, method, answer) => {
		let connects = 0;
		const proxy = createServer((client) => {
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
					...{ resource: 'page', operation: 'open', product: 'DPS', maxAttempts: 1 },
					...{ url: 'https://bank.example/', method, body: method === 'POST' ? '{}' : '' },
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
		const me = privateProxies();
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
		const me = privateProxies();
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
						maxAttempts: 2,
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
