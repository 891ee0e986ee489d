import type { IDataObject } from 'n8n-workflow';

import type { OrderKind } from '../../operations/world.mts';
import { n8nRecords, useDeduplicationRecords } from '../support/deduplication.mts';
import type { RunSettings } from '../support/engine.mts';
import { CONTINUE_WITH_ERRORS } from '../support/runSettings.mts';
import { detailsOf, type PageOpener, usePages } from './pageOpener.mts';

const { me, opener } = usePages();

beforeAll(useDeduplicationRecords);

/** Crawls from pages, each an input item. */
async function crawl(
	me: PageOpener,
	paths: readonly string[],
	fields: IDataObject = {},
	settings: Partial<RunSettings> = {},
) {
	const run = await me.open(
		paths.map((path) => me.page(path)),
		{ operation: 'crawl', ...fields },
		settings,
	);
	const pathOf = (url: unknown) =>
		typeof url === 'string' ? url.replace(me.sites.http, '') : undefined;
	const pages = run.items.map(({ json }) => [pathOf(json.url), json.depth, pathOf(json.foundOn)]);
	const hints = run.hints.map(({ message }) => message);
	return { ...run, hints, pages, paths: pages.map(([path]) => path) };
}

/** The number of proxies of each extraction. */
const extractions = ({ sandbox, orderId }: PageOpener) =>
	sandbox.extractions.entries({ orderId }).map(({ count }) => count);

const visited = (me: PageOpener) => me.visits.map(({ url }) => url.replace(me.sites.http, ''));

it('follows the links of a page, each once, and tells where it found them', async () => {
	const { items, pages, error } = await crawl(me, ['/shop?items=3']);
	expect(error).toBeUndefined();
	expect(pages).toEqual([
		['/shop?items=3', 0, undefined],
		['/shop/item/1?items=3', 1, '/shop?items=3'],
		['/shop/item/2?items=3', 1, '/shop?items=3'],
		['/shop/item/3?items=3', 1, '/shop?items=3'],
	]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(items.map(() => ({ item: 0 })));
	expect(items[1].json.data).toContain('<h1>Item 1</h1>');
	expect(Object.keys(items[1].json)).toEqual([
		'url',
		'depth',
		'foundOn',
		'data',
		'pageStatus',
		'pageDetails',
	]);
	expect(detailsOf(items[1])).toMatchObject({ url: items[1].json.url, statusCode: 200 });
	expect(visited(me).sort()).toEqual([...pages.map(([path]) => path), '/robots.txt'].sort());
	// robots.txt came through that of the start
	expect(me.extracted).toBe(4);
});

it('goes through a list and its next pages to the details', async () => {
	const follow = { links: '*/shop/item/*\n*/shop?page=*', selector: '.items, a[rel=next]' };
	const { pages, hints } = await crawl(me, ['/shop?each=10&items=25'], { follow, maxDepth: 3 });
	expect(hints.join(' ')).not.toContain('Max Depth');
	expect(pages.filter(([path]) => String(path).includes('/item/'))).toHaveLength(25);
	expect(pages.filter(([path]) => String(path).includes('/shop?'))).toEqual([
		['/shop?each=10&items=25', 0, undefined],
		['/shop?page=2&each=10&items=25', 1, '/shop?each=10&items=25'],
		['/shop?page=3&each=10&items=25', 2, '/shop?page=2&each=10&items=25'],
	]);
	expect(hints).toEqual([
		'Opened 28 of 28 pages. 28 proxies were extracted (1 per page), 972 are left in the order.',
	]);
});

it('crawls from each item, in their order, with one supply of proxies and one robots.txt', async () => {
	const { items, paths } = await crawl(me, ['/shop?items=2', '/shop/item/24', '/article'], {
		options: { pagesAtATime: 1 },
	});
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
		[0, 0, 0, 1, 1, 1, 2, 2].map((item) => ({ item })),
	);
	expect(paths.slice(3, 6)).toEqual(['/shop/item/24', '/shop/item/25', '/shop']);
	expect(visited(me).filter((path) => path === '/robots.txt')).toHaveLength(1);
});

it('stays at its site, unless it may leave, where typed cookies do not follow', async () => {
	const elsewhere = me.sites.http.replace('127.0.0.1', 'localhost');
	const start = `/redirect/1?to=${encodeURIComponent(`${elsewhere}/shop/item/25`)}`;
	const headers = { values: [{ name: 'Cookie', value: 'sid=typed' }] };
	const { items } = await crawl(me, [start], { headers });
	// It leads there, so that is its site, too
	expect(items.map(({ json }) => json.url).slice(1)).toEqual([`${elsewhere}/shop`]);
	const withCookie = me.visits.filter((visit) => visit.headers.cookie === 'sid=typed');
	expect(new Set(withCookie.map(({ url }) => url.startsWith(elsewhere)))).toEqual(new Set([false]));
});

it('asks few sites for a robots.txt that cannot be read, and counts them in one hint', async () => {
	const port = new URL(me.sites.http).port;
	const names = Array.from({ length: 30 }, (_, host) => `127.0.1.${host + 1}`);
	const links = names.map((name) => `<a href="http://${name}:${port}/article">${name}</a>`);
	me.sandbox.pages.faults.add({ path: '/article', kind: 'html', body: links.join('\n') });
	me.sandbox.pages.faults.add({ path: '/robots.txt', kind: 'status', status: 500 });
	const { paths, hints } = await crawl(me, ['/article'], { follow: { sameSite: false } });
	expect(paths).toEqual(['/article']);
	expect(me.extracted).toBeLessThanOrEqual(25);
	expect(hints).toContain('Links not followed: 30 because of robots.txt.');
	expect(hints.filter((hint) => hint.includes('could not be read'))).toEqual([
		expect.stringMatching(/^The robots\.txt of http:\S+ and of 29 other sites could not be read/),
	]);
});

describe('robots.txt', () => {
	it('forbids links, but not the start', async () => {
		const { paths, hints } = await crawl(me, ['/shop/cart', '/shop?items=1']);
		expect(paths).toEqual(['/shop/cart', '/shop?items=1', '/shop/item/1?items=1']);
		expect(hints).toContain('Links not followed: 1 because of robots.txt.');
		expect(visited(me).filter((path) => path === '/shop/cart')).toHaveLength(1);
	});

	it('keeps no start waiting where it is refused to the only proxy', async () => {
		const me = opener('kps', 'KPS');
		me.sandbox.pages.faults.add({ path: '/robots.txt', kind: 'status', status: 403 });
		const starts = ['/shop?items=1', '/shop/item/1', '/shop/item/2'];
		const { paths } = await crawl(me, starts, { maxAttempts: 2 });
		expect(paths).toEqual(expect.arrayContaining(starts));
		expect(paths.length).toBeGreaterThan(starts.length);
	});

	it('costs nothing where the start cannot be opened', async () => {
		me.sandbox.pages.faults.add({ path: '/shop', kind: 'status', status: 403 });
		await crawl(me, ['/shop'], { maxAttempts: 3 });
		expect(extractions(me)).toEqual([1, 1, 1]);
	});

	it('is not read where nobody wants it', async () => {
		const options = { respectRobots: false };
		const { paths, hints } = await crawl(me, ['/shop?items=1'], { options });
		expect(extractions(me)[0]).toBe(1);
		expect(paths).toContain('/shop/cart');
		expect(visited(me)).not.toContain('/robots.txt');
		expect(hints.join()).not.toContain('because of robots.txt');
	});

	it('lets nothing be followed where it cannot be read', async () => {
		me.sandbox.pages.faults.add({ path: '/robots.txt', kind: 'status', status: 500 });
		const { paths, hints } = await crawl(me, ['/shop?items=1'], { maxAttempts: 1 });
		expect(paths).toEqual(['/shop?items=1']);
		expect(hints).toEqual([
			expect.stringContaining('Opened 1 of 1 page. 1 proxy was extracted'),
			'Links not followed: 2 because of robots.txt.',
			expect.stringMatching(
				/^The robots\.txt of http:\S+ could not be read, and so forbids everything: .*status 500.*turn off 'Respect Robots\.txt' in 'Options'\.$/,
			),
		]);
	});
});

describe('sitemaps', () => {
	it.each(['/article', '/sitemap.xml'])('are found from %s', async (start) => {
		const { pages, hints } = await crawl(me, [start], { startFrom: 'sitemap' });
		expect(pages).toHaveLength(26);
		expect(pages[0]).toEqual(['/shop/item/1', 1, '/sitemap-items.xml.gz']);
		expect(pages[25]).toEqual(['/shop', 1, '/sitemap-lists.txt']);
		expect(hints.slice(1)).toEqual(['Links not followed: 1 because of robots.txt.']);
		expect(extractions(me)[0]).toBe(1);
	});

	it('that are none are an error', async () => {
		const { error } = await crawl(me, ['/article/sitemap'], { startFrom: 'sitemap' });
		expect(error?.message).toContain('The sitemap could not be read');
		expect(error?.description).toContain('/article/sitemap: it has neither a urlset');
	});
});

it('gives only a start that cannot be opened to the error output', async () => {
	const alone = await crawl(me, ['/status/404']);
	expect(alone.error?.message).toContain('The page answered with status 404');
	me.sandbox.pages.faults.add({ path: '/shop/item/1', kind: 'status', status: 404 });
	const { items, errorItems } = await crawl(
		me,
		['/status/404', '/shop?items=2'],
		{},
		{ settings: CONTINUE_WITH_ERRORS },
	);
	expect(errorItems.map(({ json }) => json.details)).toEqual([
		{ url: me.page('/status/404'), statusCode: 404, outcome: 'status' },
	]);
	expect(items.map(({ json, pairedItem }) => [json.pageStatus, pairedItem])).toEqual([
		['opened', { item: 1 }],
		['status 404', { item: 1 }],
		['opened', { item: 1 }],
	]);
});

it('puts out a start that cannot be opened, or is no address, among the pages of others', async () => {
	const urls = ['the page', me.page('/status/404'), me.page('/shop?items=1')];
	const starts = urls.map((url) => ({ url }));
	const { items, hints, error } = await me.open(starts, { operation: 'crawl' });
	expect(error).toBeUndefined();
	expect(items[0].json).toMatchObject({ url: 'the page', depth: 0, data: '' });
	expect(detailsOf(items[0]).error).toContain("'URL' is text, not an address");
	expect(items.map((item) => detailsOf(item).outcome)).toEqual([
		...['notTried', 'status', 'opened', 'opened'],
	]);
	expect(hints[0].message).toContain(
		'Opened 2 of 4 pages. Not opened: 1 not tried: not an address, 1 status 404.',
	);
});

/* Pages that once waited for each other for ever. */

it.each<[string, OrderKind, string, string, IDataObject]>([
	['the www host, with default settings', 'dpsPerIp', 'DPS', 'www.localhost', {}],
	[
		'another host, through the only proxy of a list',
		'kps',
		'KPS',
		'127.0.0.1',
		{ follow: { sameSite: false } },
	],
])('ends when all pages lead on to %s', async (_where, kind, product, host, fields) => {
	const me = opener(kind, product);
	const { faults } = me.sandbox.pages;
	const [site, elsewhere] = ['localhost', host].map((name) =>
		me.sites.http.replace('127.0.0.1', name),
	);
	const paths = Array.from({ length: 8 }, (_none, n) => `/shop/item/${n + 1}`);
	const links = paths.map((path) => `<a href="${path}">x</a>`);
	faults.add({ path: '/article', kind: 'html', body: links.join('\n') });
	for (const [n, path] of paths.entries()) {
		faults.add({ path, kind: 'redirect', location: `${elsewhere}/article/${n + 1}` });
	}
	const { items } = await me.open([`${site}/article`], { operation: 'crawl', ...fields });
	expect(items.map(({ json }) => json.url)).toEqual(
		['/article', ...paths].map((path) => `${site}${path}`),
	);
});

it("with 'Skip Opened Pages' goes on where the execution before has stopped, also behind next pages", async () => {
	const fields = {
		follow: { links: '*/shop/item/*\n*/shop?page=*', selector: '.items, a[rel=next]' },
		...{ maxDepth: 5, maxPages: 12, options: { skipOpened: true, reuse: false } },
	};
	const day = async () =>
		await crawl(me, ['/shop?each=10&items=25'], fields, { executionId: 'of one node' });
	const days = [await day(), await day(), await day(), await day()];
	expect(days.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined]);
	const all = days.flatMap(({ paths }) => paths);
	// Each once: 3 lists and 25 items
	expect(all.length).toBe(new Set(all).size);
	expect(all).toHaveLength(28);
	const [visits, calls] = [visited(me).length, extractions(me).length];
	const { items, hints } = await day();
	expect(items).toEqual([]);
	expect(visited(me).length - visits).toBeLessThanOrEqual(2);
	// None for links that are not there
	const extracted = extractions(me).slice(calls);
	expect(extracted.reduce((sum, count) => sum + count, 0)).toBe(visited(me).length - visits);
	expect(hints[1]).toMatch(/^Left out, because earlier executions opened them: 1\d\.$/);
});

describe("'Skip Opened Pages'", () => {
	let nodes = 0;

	/** Runs of one node, each an execution of its own. */
	function node(me: PageOpener, fields: IDataObject = {}) {
		nodes += 1;
		const id = `node ${nodes}`;
		return async (paths: readonly string[]) => {
			const { items, hints, error } = await me.open(
				paths.map((path) => me.page(path)),
				{ maxAttempts: 1, ...fields, options: { skipOpened: true } },
				{ executionId: id, settings: { id } },
			);
			const opened = items.map(({ json }) => String(json.url).replace(me.sites.http, ''));
			return { opened, hints: hints.map(({ message }) => message), error };
		};
	}

	it('opens a page again that had no row, and so put nothing out', async () => {
		const rows = { rowSelector: '.product', responseFormat: 'fields' };
		const run = node(me, { ...rows, fields: { values: [{ name: 'name', selector: 'h3' }] } });
		const paths = ['/shop/products?page=1', '/article/1'];
		expect((await run(paths)).opened).toHaveLength(12);
		const { opened, hints } = await run(paths);
		expect(opened).toEqual([]);
		expect(hints).toContain('Left out, because earlier executions opened them: 1.');
		expect(hints.join(' ')).toContain('1 page without a row');
		expect(me.visits).toHaveLength(3);
	});

	it('opens only what earlier executions did not', async () => {
		const run = node(me);
		expect((await run(['/article/1', '/article/2'])).opened).toHaveLength(2);
		const { opened, hints } = await run(['/article/1#part', '/article/2', '/article/3']);
		expect(opened).toEqual(['/article/3']);
		expect(hints).toEqual([
			expect.stringContaining('Opened 1 of 1 page.'),
			'Left out, because earlier executions opened them: 2.',
		]);
		expect((await run(['/article/1', '/article/2'])).hints).toEqual([
			'Left out, because earlier executions opened them: 2.',
		]);
		expect(me.visits).toHaveLength(3);
		// Another node has its own records
		expect((await node(me)(['/article/1'])).opened).toEqual(['/article/1']);
	});

	it('opens again what failed, or was opened by an execution that failed', async () => {
		const run = node(me);
		me.sandbox.pages.faults.add({ path: '/article/2', kind: 'status', status: 404, times: 2 });
		expect((await run(['/article/2'])).error).toBeDefined();
		await run(['/article/1', '/article/2']);
		expect((await run(['/article/1', '/article/2'])).opened).toEqual(['/article/2']);
	});

	it('does nothing where n8n keeps no records, and says so', async () => {
		const run = node(me);
		await run(['/article/1']);
		n8nRecords.isOut = true;
		const { opened, hints } = await run(['/article/1']);
		n8nRecords.isOut = false;
		expect(opened).toEqual(['/article/1']);
		expect(hints.join(' ')).toContain(
			"'Skip Opened Pages' did nothing, because n8n's records of this node could not be read",
		);
	});
});
