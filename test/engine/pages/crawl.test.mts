import type { IDataObject } from 'n8n-workflow';

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

it('opens no more pages than it may, and says how many links it left', async () => {
	const { paths, hints } = await crawl(me, ['/shop?each=30'], { maxPages: 4 });
	expect(paths).toHaveLength(4);
	expect(me.extracted).toBe(4);
	expect(hints.slice(1)).toEqual([
		"'Follow' is empty, so all links of the site were followed: 3.",
		"Links not followed: 23 because of 'Max Pages'.",
		"There are more pages, whose links were not followed because of 'Max Depth'.",
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

it('puts out once what redirects lead to', async () => {
	const { paths, hints } = await crawl(me, ['/shop/item/25'], { maxDepth: 1 });
	expect(visited(me)).toContain('/shop/old/25');
	expect(paths).toEqual(['/shop/item/25', '/shop']);
	// The page that redirects back
	expect(hints[0]).toContain('Opened 2 of 2 pages, and 1 without an item, such as robots.txt.');
});

it('opens no more pages than it may where links redirect to one that was opened', async () => {
	for (let item = 1; item <= 30; item += 1) {
		const location = me.page('/article/99');
		me.sandbox.pages.faults.add({ path: `/shop/item/${item}`, kind: 'redirect', location });
	}
	// Or another of them may be the first that comes
	const options = { pagesAtATime: 1 };
	const { paths, hints } = await crawl(me, ['/shop?items=30'], { maxPages: 10, options });
	expect(paths).toEqual(['/shop?items=30', '/shop/item/1?items=30']);
	expect(me.extracted).toBe(10);
	expect(hints).toContain(
		'Left out, because they are pages that were opened under other addresses: 8.',
	);
	expect(hints.join(' ')).toMatch(
		/9 pages redirected to http:\S+\/article\/99, to which no link leads\. .*'Retry If', 'Redirected To'/,
	);
});

it('follows what the patterns say', async () => {
	const follow = { links: '*/shop/*', except: '*/old/*\n*/ITEM/7*' };
	const { paths } = await crawl(me, ['/shop?each=30'], { follow });
	expect(paths).toHaveLength(25);
	expect(paths).not.toContain('/shop/item/7?each=30');
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

it('drops and counts pages that redirect to another site, or to what Except leaves out', async () => {
	const elsewhere = me.sites.http.replace('127.0.0.1', 'localhost');
	const redirected = (item: number, location: string) =>
		me.sandbox.pages.faults.add({ path: `/shop/item/${item}`, kind: 'redirect', location });
	redirected(1, `${elsewhere}/article`);
	redirected(2, '/article/7');
	redirected(3, '/shop/cart');
	const { paths, hints } = await crawl(me, ['/shop?items=4'], { follow: { except: '*/article*' } });
	expect(paths).toEqual(['/shop?items=4', '/shop/item/4?items=4']);
	expect(hints).toContain(
		"Left out, because they redirect to other sites, or to what 'Except' or robots.txt leaves out: 3.",
	);
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

	it('is asked for once for each site', async () => {
		const { paths } = await crawl(me, ['/shop?items=1', '/shop/item/1', '/shop/cart']);
		expect(paths.length).toBeGreaterThan(3);
		expect(extractions(me)[0]).toBe(3);
		expect(visited(me).filter((path) => path === '/robots.txt')).toHaveLength(1);
	});

	it('comes through the proxy of the start, so that the links wait for one call only', async () => {
		await crawl(me, ['/shop?items=3']);
		expect(extractions(me)).toEqual([1, 3]);
		const [start, robots] = me.proxied.map(({ proxy }) => proxy);
		expect(robots).toBe(start);
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

	it.each([404, 403])('forbids nothing where there is none: status %d', async (status) => {
		me.sandbox.pages.faults.add({ path: '/robots.txt', kind: 'status', status });
		const { paths, hints } = await crawl(me, ['/shop?items=1'], { maxAttempts: 2 });
		expect(paths).toContain('/shop/cart');
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

	it('that lead to no page are told of', async () => {
		const follow = { links: '*/nothing-like-this/*' };
		const fields = { startFrom: 'sitemap', follow };
		const { hints, items, error } = await crawl(me, ['/sitemap.xml'], fields);
		expect(error).toBeUndefined();
		expect(items).toEqual([]);
		expect(hints.join(' ')).toMatch(/A sitemap led to no page: check 'Follow'/);
	});

	it('are not read further than there are pages to open', async () => {
		const fields = { startFrom: 'sitemap', maxPages: 2 };
		const { paths } = await crawl(me, ['/sitemap.xml'], fields);
		expect(paths).toEqual(['/shop/item/1', '/shop/item/2']);
		expect(visited(me)).not.toContain('/sitemap-lists.txt');
	});

	it('that cannot be read are counted beside the pages of the others', async () => {
		me.sandbox.pages.faults.add({ path: '/sitemap-lists.txt', kind: 'status', status: 404 });
		const { hints, items } = await crawl(me, ['/sitemap.xml'], { startFrom: 'sitemap' });
		expect(items.length).toBeGreaterThan(1);
		expect(hints).toContain('Sitemaps not read: 1.');
	});

	it('that are none are an error', async () => {
		const { error } = await crawl(me, ['/article/sitemap'], { startFrom: 'sitemap' });
		expect(error?.message).toContain('The sitemap could not be read');
		expect(error?.description).toContain('/article/sitemap: it has neither a urlset');
	});
});

it('puts out a page that cannot be opened among the others', async () => {
	me.sandbox.pages.faults.add({ path: '/shop/item/2', kind: 'status', status: 404 });
	const { items, error } = await crawl(me, ['/shop?items=3']);
	expect(error).toBeUndefined();
	expect(items.map((item) => detailsOf(item).error?.slice(0, 38))).toEqual([
		undefined,
		undefined,
		'The page answered with status 404. htt',
		undefined,
	]);
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

it('opens files as such, each page its own', async () => {
	const { items } = await crawl(me, ['/shop?items=2'], { responseFormat: 'file' });
	const files = items.map(({ binary }) => binary?.data.fileName);
	expect(files).toEqual(['shop', '1', '2']);
});

describe('Skip Opened Pages', () => {
	const follow = { links: '*/shop/item/*\n*/shop?page=*', selector: '.items, a[rel=next]' };
	const fields = { follow, maxDepth: 5, maxPages: 12 };

	it('goes on where the execution before has stopped, also behind next pages', async () => {
		const day = async (maxPages = 12) =>
			await crawl(
				me,
				['/shop?each=10&items=25'],
				{ ...fields, maxPages, options: { skipOpened: true, reuse: false } },
				{ executionId: 'of one node' },
			);
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

	it('opens a page again in place of which a wall came', async () => {
		me.sandbox.pages.faults.add({ kind: 'captcha', path: '/article/1', times: 3 });
		const day = async () =>
			await me.open(
				[me.page('/article/0'), me.page('/article/1')],
				{ options: { skipOpened: true } },
				{ executionId: 'of walls' },
			);
		const { items, hints } = await day();
		expect(detailsOf(items[1])).toMatchObject({ outcome: 'blocked', statusCode: 200 });
		expect(JSON.stringify(items[1].json)).not.toContain('请完成');
		expect(hints[0].message).toMatch(/^Opened 1 of 2 pages\. Not opened: 1 blocked\./);
		expect((await day()).items.map(({ json }) => json.url)).toEqual([me.page('/article/1')]);
	});

	it('gets on through more next pages than it may open at a time', async () => {
		const day = async () =>
			await crawl(
				me,
				['/shop?each=1&items=12'],
				{
					...{ follow: { selector: 'a[rel=next]' }, maxDepth: 20, maxPages: 5 },
					options: { skipOpened: true },
				},
				{ executionId: 'of a chain' },
			);
		const days = [await day(), await day(), await day()];
		expect(days.map(({ paths }) => paths.length)).toEqual([5, 5, 2]);
	});

	it('gets on where pages link to themselves by a redirect', async () => {
		const follow = { links: '*/shop/item/*\n*/shop/old/*' };
		const options = { skipOpened: true, pagesAtATime: 1 };
		const day = async () =>
			await crawl(
				me,
				['/shop/item/1'],
				{ follow, maxDepth: 20, maxPages: 5, options },
				{ executionId: 'of links back' },
			);
		const items = (...numbers: number[]) => numbers.map((item) => `/shop/item/${item}`);
		expect((await day()).paths).toEqual(items(1, 2, 3));
		expect((await day()).paths.slice(0, 2)).toEqual(items(4, 5));
	});

	it('opens a page without a row once more: it may have been blocked', async () => {
		const day = async (maxPages = 10) =>
			await crawl(
				me,
				['/shop?items=3&each=3'],
				{
					...{ responseFormat: 'fields', rowSelector: '.price', maxPages },
					...{ follow: { links: '*/shop/item/*' }, options: { skipOpened: true } },
				},
				{ executionId: 'of rows' },
			);
		const blocked = '/shop/item/2';
		const html = '<h1>Nothing to see</h1>';
		me.sandbox.pages.faults.add({ path: blocked, kind: 'html', body: html });
		expect((await day()).paths).toHaveLength(2);
		me.sandbox.pages.faults.clear();
		expect((await day()).paths).toEqual([expect.stringContaining(blocked)]);
		expect((await day()).paths).toEqual([]);
	});

	it('tells of a start that was opened before and fails', async () => {
		const day = async () =>
			await crawl(
				me,
				['/shop?items=6'],
				{ maxPages: 3, options: { skipOpened: true } },
				{ executionId: 'of a start' },
			);
		expect((await day()).paths).toHaveLength(3);
		me.sandbox.pages.faults.add({ path: '/shop', kind: 'status', status: 403 });
		expect((await day()).error?.message).toMatch(/^The site refused to show the page/);
	});
});

it("says that a start led nowhere, where 'Follow' wants none of its links", async () => {
	const follow = { selector: '.item-list' };
	const { hints, pages } = await crawl(me, ['/shop?items=3'], { follow });
	expect(pages).toHaveLength(1);
	expect(hints.join(' ')).toContain("A start led to no other page. Check 'Follow'");
});

it('names a column that no page has', async () => {
	const columns = [
		{ name: 'title', selector: 'h1' },
		{ name: 'price', selector: '.prize' },
	];
	const fields = { responseFormat: 'fields', fields: { values: columns } };
	const { hints } = await crawl(me, ['/shop?items=3'], fields);
	expect(hints.join(' ')).toContain(
		"'price' was found on no page. Check the selector in 'Fields'.",
	);
	expect(hints.join(' ')).not.toContain("'title'");
});

describe("'Skip Opened Pages'", () => {
	let nodes = 0;

	/** Runs of one node, each an execution of its own. */
	function node(me: PageOpener, fields: IDataObject = {}) {
		nodes += 1;
		const id = `node ${nodes}`;
		return async (paths: readonly string[], onError?: 'continueRegularOutput') => {
			const { items, hints, error } = await me.open(
				paths.map((path) => me.page(path)),
				{ maxAttempts: 1, ...fields, options: { skipOpened: true } },
				{ executionId: id, settings: { id, onError } },
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

	it('does each time what a POST does', async () => {
		const run = node(me, { method: 'POST', body: '{}' });
		await run(['/echo']);
		expect((await run(['/echo'])).opened).toEqual(['/echo']);
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

describe('links of a crawl', () => {
	async function crawled(...links: string[]): Promise<string[]> {
		me.sandbox.pages.faults.clear();
		me.sandbox.pages.faults.add({ path: '/article', kind: 'html', body: links.join('\n') });
		const { items } = await me.open([me.page('/article')], { operation: 'crawl' });
		return items.map(({ json }) => String(json.url).replace(me.page(''), '')).slice(1);
	}

	const link = (path: string, more = '') => `<a ${more} href="${me.page(path)}">x</a>`;

	it('that differ by what tells where a visitor comes from lead to one page, requested as the first', async () => {
		const same = [
			'/article/1/?b=2&a=1&utm_source=x',
			'/article/1?a=1&b=2',
			'/article/1;jsessionid=A1?b=2&a=1&spm=1.2&gclid=3&fbclid=4',
			'/article/1/?a=1&b=2#part',
		];
		const others = ['/article/1?a=2&b=1', '/article/1', '/article/12/'];
		expect(await crawled(...[...same, ...others].map((path) => link(path)))).toEqual([
			same[0],
			...others,
		]);
	});

	it('lead to one page where pages name one address as their own, and are followed in any case', async () => {
		me.sandbox.pages.faults.clear();
		const canonical = `<link rel="canonical" href="${me.page('/article/1')}">`;
		const bodies = {
			'/article': [link('/article/1'), link('/article/2'), link('/article/3')],
			'/article/1': [canonical],
			'/article/2': [canonical, link('/article/4')],
			'/article/3': [canonical.replace('/article/1', '/article')],
		};
		for (const [path, lines] of Object.entries(bodies)) {
			me.sandbox.pages.faults.add({ path, kind: 'html', body: lines.join('\n') });
		}
		const fields = { operation: 'crawl', options: { pagesAtATime: 1, maxDepth: 2 } };
		const { items, hints } = await me.open([me.page('/article')], fields);
		expect(items.map(({ json }) => json.url)).toEqual(
			['', '/1', '/3', '/4'].map((end) => me.page(`/article${end}`)),
		);
		expect(hints.map(({ message }) => message)).toContain(
			'Left out, because they are pages that were opened under other addresses: 1.',
		);
	});

	it('marked nofollow are not followed', async () => {
		const links = [link('/article/1', 'rel="noopener nofollow"'), link('/article/2')];
		expect(await crawled(...links)).toEqual(['/article/2']);
		const meta = '<meta name="robots" content="index, nofollow">';
		expect(await crawled(meta, ...links)).toEqual([]);
	});
});
