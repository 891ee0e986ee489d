import { AsyncLocalStorage } from 'node:async_hooks';

import type { CrawlRequest } from '../../../../../../nodes/Kuaidaili/pages/crawl/crawlRequest.ts';
import type { PageResult } from '../../../../../../nodes/Kuaidaili/pages/run/pageResult.ts';
import { PageRun } from '../../../../../../nodes/Kuaidaili/pages/run/pageRun.ts';
import { Slots } from '../../../../../../nodes/shared/api/wait.ts';
import type { FakeAnswer } from '../run/fakePages.mts';
import { crawl } from './fakeCrawl.mts';

const HTML = { 'content-type': 'text/html' };

function linksTo(count: number): FakeAnswer {
	const links = Array.from({ length: count }, (_, at) => `<a href="/${at + 1}">link ${at}</a>`);
	return { headers: HTML, body: links.join('') };
}

/** A site whose pages lie on others, each with a robots.txt, an index of sitemaps, and sitemaps. */
function answerOf(url: string): FakeAnswer {
	const { hostname, pathname } = new URL(url);
	const number = Number(pathname.slice(1));
	const loc = (...urls: string[]) => urls.map((at) => `<url><loc>${at}</loc></url>`).join('');
	switch (pathname) {
		case '/robots.txt':
			return {
				body: 'User-agent: *\nDisallow: /forbidden\nSitemap: http://maps.example/index.xml',
			};
		case '/index.xml':
			return {
				body: `<sitemapindex>${loc('http://maps.example/a.xml', 'http://site.example/b.xml').replaceAll('url>', 'sitemap>')}</sitemapindex>`,
			};
		case '/a.xml':
			return { body: `<urlset>${loc('http://site.example/1', 'http://site.example/2')}</urlset>` };
		case '/b.xml':
			return { body: `<urlset>${loc('http://site.example/3', 'http://site.example/4')}</urlset>` };
		default:
			if (hostname !== 'site.example') return linksTo(3);
			if (number > 0) {
				return { status: 302, headers: { location: `http://site${number % 7}.example/${number}` } };
			}
			return linksTo(20);
	}
}

async function crawlSites(pagesAtATime: number, changes: Partial<CrawlRequest>) {
	const { urls, requests } = await crawl(({ url }) => answerOf(url), changes, { pagesAtATime });
	return { pages: urls.length, requests: requests.length };
}

describe('nothing that has a slot waits for one', () => {
	/** The slots of which one is held, for all that puts a page out. */
	const held = new AsyncLocalStorage<unknown>();
	let waitedFor = 0;
	let taken = 0;

	beforeEach(() => {
		const { acquire } = Slots.prototype;
		const { open } = PageRun.prototype;
		waitedFor = 0;
		taken = 0;
		jest.spyOn(Slots.prototype, 'acquire').mockImplementation(async function (this: Slots, of) {
			if (held.getStore() === this) waitedFor += 1;
			taken += 1;
			return await acquire.call(this, of);
		});
		jest.spyOn(PageRun.prototype, 'open').mockImplementation(async function (
			this: PageRun,
			route,
			page,
			putOut,
			kept,
		) {
			const inSlot = async (result: PageResult) =>
				await held.run(Reflect.get(this, 'slots'), async () => await putOut(result));
			return await open.call(this, route, page, inSlot as typeof putOut, kept);
		} as PageRun['open']);
	});

	afterEach(() => jest.restoreAllMocks());

	it.each<[what: string, pagesAtATime: number, changes: Partial<CrawlRequest>, pages: number]>([
		['links that redirect to other sites, one at a time', 1, {}, 21],
		['links that redirect to other sites, several at a time', 5, {}, 21],
		['links behind links', 3, { maxDepth: 3 }, 39],
		['sitemaps on other sites', 1, { startsFromSitemap: true }, 4],
	])('%s', async (_what, pagesAtATime, changes, pages) => {
		const crawled = await crawlSites(pagesAtATime, changes);
		expect(crawled.pages).toBe(pages);
		// A robots.txt or a sitemap takes none of those that pages wait for
		expect(taken).toBeGreaterThanOrEqual(pages);
		expect(crawled.requests).toBeGreaterThan(pages);
		expect(waitedFor).toBe(0);
	});
});
