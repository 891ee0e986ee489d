import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { closeAtEnd } from '../support/closeAtEnd.mts';
import { inShop, list, success } from '../support/scriptedShop.mts';
import { CONTINUE } from '../support/nodeSettings.mts';
import { sleep } from '../support/sleep.mts';
import { detailsOf, usePages } from './pageOpener.mts';

const { bed, opener } = usePages();

const privateProxies = () => opener('dpsPerIp', 'DPS');

const AREAS = ['北京', '上海', '济南', '成都', '广州'];
/** The order may get an address again while it lives; nothing but that would need one more. */
const byArea = { filters: { area: '={{ $json.area }}', dedup: true } };
/** What would be extracted ahead, would be there then. */
const AHEAD_MS = 5000;

describe('no proxy is extracted for pages that need others', () => {
	it('when a run has several groups of them', async () => {
		const me = privateProxies();
		const pages = Array.from({ length: 30 }, (_, index) => ({
			url: me.page('/article'),
			area: AREAS[index < 15 ? 0 : 1],
		}));
		const { error } = await me.open(pages, byArea);
		await sleep(AHEAD_MS);
		expect(error).toBeUndefined();
		expect(me.extracted).toBe(30);
	});

	it('when an earlier run has left one for each', async () => {
		const me = privateProxies();
		const pages = AREAS.map((area) => ({ url: me.page('/slow?ms=300'), area }));
		const fields = { ...byArea, options: { pagesAtATime: 1 } };
		await me.open(pages, fields);
		await me.open(pages, fields);
		await sleep(AHEAD_MS);
		expect(me.extracted).toBe(AREAS.length);
	});
});

it.each([
	[449, 'reaches pages in China only'],
	[447, 'has to be verified with a real name'],
] as const)(
	'pages that no proxy lets through use up no more proxies: %s',
	async (status, reason) => {
		const me = privateProxies();
		me.sandbox.proxyFaults.add({ status, orderId: me.orderId });
		const pages = Array.from({ length: 20 }, () => me.page('/article'));
		const { items } = await me.open(pages, { reuse: false }, { settings: CONTINUE });
		for (const item of items) expect(detailsOf(item).error).toContain(reason);
		await sleep(AHEAD_MS);
		expect(me.visits).toEqual([]);
		expect(me.extracted).toBe(5);
	},
);

it('proxies that refused a wrong login are there again when it is right', async () => {
	const me = privateProxies();
	me.sandbox.proxyFaults.add({ status: 407, orderId: me.orderId });
	const pages = Array.from({ length: 4 }, () => me.page('/article'));
	await me.open(pages, {}, { settings: CONTINUE });
	const { extracted } = me;
	me.sandbox.proxyFaults.clear();
	await sleep(60_000);
	const again = await me.open(pages);
	expect(again.error).toBeUndefined();
	expect(me.extracted).toBe(extracted);
});

it('no proxy is extracted any more after an error has ended the run', async () => {
	const me = privateProxies();
	const pages = Array.from({ length: 60 }, (_, index) =>
		me.page(index === 13 ? '/status/404' : '/slow?ms=200'),
	);
	const { error } = await me.open(pages, { reuse: false, failedPages: 'error' });
	expect(error?.message).toBe('The page answered with status 404 [item 13]');
	const { extracted } = me;
	await sleep(AHEAD_MS);
	expect(me.extracted).toBe(extracted);
});

it('a run that an error ends has extracted only what those at work would have needed next', async () => {
	const me = privateProxies();
	const pages = Array.from({ length: 300 }, (_, index) =>
		me.page(index === 60 ? '/status/404' : '/slow?ms=300'),
	);
	const fields = { reuse: false, failedPages: 'error', options: { pagesAtATime: 10 } };
	const { error } = await me.open(pages, fields);
	expect(error?.message).toMatch(/status 404 \[item 60\]$/);
	// All that were in use have seen the page, or were about to
	const used = new Set(me.proxied.map(({ proxy }) => proxy)).size;
	// Four for each of the ten at work
	expect(me.extracted - used).toBeLessThanOrEqual(40);
	const unused = me.extracted - used;
	const words = unused === 0 ? '' : `, ${unused} of them not used`;
	const ofPage = `(${Number((me.extracted / 60).toFixed(2))} per page)`;
	const told = `${me.extracted} proxies were extracted ${ofPage}${words}, `;
	expect(error?.description).toContain(told);
});

it('a proxy is used although the service does not say how long it lives', async () => {
	const server = createServer((_request, response) => response.end('through the proxy'));
	closeAtEnd(async () => void server.close());
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await inShop(
		bed().engine,
		({ path }) => (path === '/api/getdps' ? list([`127.0.0.1:${port}`]) : success({})),
		async (shop) => {
			const fields = { resource: 'page', operation: 'open', product: 'DPS' };
			const { items } = await shop.run({ ...fields, url: 'http://example.com/' });
			expect(detailsOf(items[0]).attempts).toHaveLength(1);
			expect(items[0].json.data).toBe('through the proxy');
			expect(shop.extractions.filter(({ path }) => path === '/api/getdps')).toHaveLength(1);
		},
	);
});

it('a run that may extract no more says why the other pages were not tried', async () => {
	const me = privateProxies();
	const pages = Array.from({ length: 8 }, (_, index) => me.page(`/article/${index}`));
	const options = { maxExtractionsPerRun: 3 };
	const { hints, items } = await me.open(pages, { reuse: false, options });
	expect(items).toHaveLength(8);
	expect(me.extracted).toBe(3);
	expect(hints.map(({ message }) => message).join(' ')).toMatch(
		/5 not tried.* Not all pages were tried: 'Max Extractions per Execution' .* raise the limit in 'Options'\./,
	);
});
