import type { IDataObject } from 'n8n-workflow';

import { useDeduplicationRecords } from '../support/deduplication.mts';
import type { RunResult } from '../support/engine.mts';
import { usePages } from './pageOpener.mts';

const { me, opener } = usePages();

beforeAll(useDeduplicationRecords);

const HOUR_MS = 3_600_000;

/** @returns the addresses of the items, or a word where an hour of virtual time was too short */
async function urlsOf(run: Promise<RunResult>): Promise<unknown> {
	const tooLong = new Promise<string>((resolve) => {
		AbortSignal.timeout(HOUR_MS).addEventListener('abort', () => resolve('no end'));
	});
	const urls = run.then(({ items }) => items.map(({ json }) => json.url));
	return await Promise.race([urls, tooLong]);
}

/**
 * Makes a first page with so many links, each of which leads on to a page of another host.
 *
 * @returns the paths of all pages of the crawl
 */
function addPages(count: number, elsewhere: string): string[] {
	const { faults } = me.sandbox.pages;
	const paths = Array.from({ length: count }, (_none, n) => `/shop/item/${n + 1}`);
	const links = paths.map((path) => `<a href="${path}">x</a>`);
	faults.add({ path: '/article', kind: 'html', body: links.join('\n') });
	for (const [n, path] of paths.entries()) {
		faults.add({ path, kind: 'redirect', location: `${elsewhere}/article/${n + 1}` });
	}
	return ['/article', ...paths];
}

it('a crawl with default settings ends when all pages lead on to the www host', async () => {
	const site = me.sites.http.replace('127.0.0.1', 'localhost');
	const paths = addPages(8, site.replace('localhost', 'www.localhost'));
	const run = me.open([`${site}/article`], { operation: 'crawl', options: {} });
	expect(await urlsOf(run)).toEqual(paths.map((path) => site + path));
});

it.each([
	[1, 3],
	[5, 8],
])(
	'a crawl of %i pages at a time ends when all %i pages lead on to another host',
	async (pagesAtATime, count) => {
		const paths = addPages(count, me.sites.http.replace('127.0.0.1', 'localhost'));
		const run = me.open([me.page('/article')], {
			...{ operation: 'crawl', follow: { sameSite: false }, options: { pagesAtATime } },
		});
		expect(await urlsOf(run)).toEqual(paths.map((path) => me.page(path)));
	},
);

it('a crawl through the only proxy of a list ends when all pages lead on to another host', async () => {
	const ofList = opener('kps', 'KPS');
	const paths = addPages(3, me.sites.http.replace('127.0.0.1', 'localhost'));
	const run = ofList.open([me.page('/article')], {
		...{ operation: 'crawl', follow: { sameSite: false } },
	});
	expect(await urlsOf(run)).toEqual(paths.map((path) => me.page(path)));
});

describe('a crawl of one page at a time ends', () => {
	const crawl = async (url: string, fields: IDataObject = {}) =>
		await urlsOf(me.open([url], { operation: 'crawl', ...fields, options: { pagesAtATime: 1 } }));
	const local = (host: string, path: string) =>
		me.sites.http.replace('127.0.0.1', host).concat(path);

	it('where another host leaves the question for its robots.txt unanswered', async () => {
		addPages(3, local('localhost', ''));
		me.sandbox.pages.faults.add({ path: '/robots.txt', host: 'localhost', kind: 'hang' });
		const urls = await crawl(me.page('/article'), { follow: { sameSite: false } });
		expect(urls).toEqual([me.page('/article')]);
	});

	it('where the start leads on to another host', async () => {
		const location = local('www.localhost', '/shop?items=3');
		me.sandbox.pages.faults.add({ path: '/article', kind: 'redirect', location });
		expect(await crawl(local('localhost', '/article'))).toHaveLength(4);
	});

	it('from a sitemap on another host, whose pages lead on', async () => {
		const { faults } = me.sandbox.pages;
		const sitemap = `Sitemap: ${local('www.localhost', '/sitemap.xml')}`;
		faults.add({ path: '/robots.txt', kind: 'html', body: sitemap });
		const location = local('www.localhost', '/article/1');
		faults.add({ path: '/shop/item/1', kind: 'redirect', location });
		const follow = { links: '*/shop/item/*', sameSite: false };
		const fields = { startFrom: 'sitemap', maxPages: 3, follow };
		expect(await crawl(local('localhost', '/article'), fields)).toHaveLength(3);
	});

	it('from sitemaps that a sitemap lists', async () => {
		const urls = await crawl(me.page('/sitemap.xml'), { startFrom: 'sitemap' });
		expect(urls).toHaveLength(26);
	});
});
