import { once } from 'node:events';
import { createServer } from 'node:net';

import { inShop, success } from '../support/scriptedShop.mts';
import { outcomesOf, usePages } from './pageOpener.mts';

const { bed, opener } = usePages();

const privateProxies = () => opener('dpsPerIp', 'DPS');

describe('an encrypted page', () => {
	it.each(['201 Created', '202 Accepted', '204 No Content'])(
		'is not what a proxy makes up with %s',
		async (status) => {
			const head = `HTTP/1.1 ${status}\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n`;
			const proxy = createServer((client) => {
				client.on('error', () => {});
				client.once('data', () => client.end(`${head}FORGED`));
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
						resource: 'page',
						operation: 'open',
						product: 'DPS',
						url: 'https://bank.example/',
						maxAttempts: 1,
					});
					expect(error?.description).toContain('the proxy itself may have answered');
					expect(JSON.stringify([items, error])).not.toContain('FORGED');
				},
			);
			await new Promise((closed) => proxy.close(closed));
		},
	);

	it('is believed with 201 and 203 when two proxies bring the same, and a POST is sent once', async () => {
		const me = privateProxies();
		const urls = [me.securePage('/status/201'), me.securePage('/status/203')];
		const read = await me.open(urls);
		expect(read.error).toBeUndefined();
		expect(read.items.map(outcomesOf)).toEqual([
			'proxyFailed 201, opened 201',
			'proxyFailed 203, opened 203',
		]);
		expect(me.visits).toHaveLength(4);
		const posted = await me.open(urls, { method: 'POST' });
		expect(posted.items.map(outcomesOf)).toEqual(['opened 201', 'opened 203']);
		expect(me.visits).toHaveLength(6);
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
