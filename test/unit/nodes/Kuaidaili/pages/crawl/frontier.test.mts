import fc from 'fast-check';

import {
	Frontier,
	type CrawlLimits,
	type FoundPage,
} from '../../../../../../nodes/Kuaidaili/pages/crawl/frontier.ts';

const LIMITS: CrawlLimits = { maxDepth: 1, maxPages: 100, links: [], except: [], sameSite: true };

/** A crawl from a page, which was opened. */
function begin(limits: Partial<CrawlLimits> = {}, url = 'https://example.com/', lastUrl = url) {
	const frontier = new Frontier({ ...LIMITS, ...limits });
	frontier.addSite(url);
	frontier.add([{ url, depth: 0 }]);
	const start = frontier.take();
	if (start === undefined) throw new Error('There is no start');
	frontier.open(start, lastUrl);
	const find = (finder: FoundPage, ...urls: string[]) =>
		frontier.add(frontier.worthFollowing(urls, finder));
	return { frontier, start, find };
}

function takeAll(frontier: Frontier): FoundPage[] {
	const pages: FoundPage[] = [];
	for (let page = frontier.take(); page !== undefined; page = frontier.take()) pages.push(page);
	return pages;
}

const urlsOf = (pages: readonly FoundPage[]) => pages.map(({ url }) => url);

it('follows each address once, whatever its fragment', () => {
	const { frontier, start, find } = begin();
	find(start, 'https://example.com/a#1', 'https://example.com/a', 'https://example.com/#top');
	find(start, 'https://example.com/a#2', 'https://example.com/b');
	expect(takeAll(frontier)).toEqual([
		{ url: 'https://example.com/a', depth: 1, finder: start },
		{ url: 'https://example.com/b', depth: 1, finder: start },
	]);
	find(start, 'https://example.com/a');
	expect(frontier.take()).toBeUndefined();
});

it('takes what is nearest to the start first, and goes no deeper than it may', () => {
	const { frontier, start, find } = begin({ maxDepth: 2 });
	find(start, 'https://example.com/a');
	const a = frontier.take();
	if (a === undefined) throw new Error('There is no page');
	find(a, 'https://example.com/a/1', 'https://example.com/late');
	find(start, 'https://example.com/b', 'https://example.com/late');
	const pages = takeAll(frontier);
	expect(pages.map(({ url, depth }) => [new URL(url).pathname, depth])).toEqual([
		['/b', 1],
		['/late', 1],
		['/a/1', 2],
	]);
	expect(pages[1].finder).toBe(start);
	find(pages[2], 'https://example.com/deeper');
	expect(frontier.waiting).toEqual([]);
});

it('takes no more pages than it may, and tells how many were left', () => {
	const { frontier, start, find } = begin({ maxPages: 3 });
	find(start, ...Array.from({ length: 5 }, (_, number) => `https://example.com/${number}`));
	expect(urlsOf(takeAll(frontier))).toEqual(['https://example.com/0', 'https://example.com/1']);
	expect(frontier.leftOut).toEqual({ forbidden: 0, beyondMaxPages: 3 });
});

it('takes another page for one that robots.txt forbids', () => {
	const { frontier, start, find } = begin({ maxPages: 2 });
	find(start, 'https://example.com/1', 'https://example.com/2');
	expect(frontier.take()).toBeDefined();
	frontier.forbid();
	expect(urlsOf(takeAll(frontier))).toEqual(['https://example.com/2']);
	expect(frontier.leftOut).toEqual({ forbidden: 1, beyondMaxPages: 0 });
});

it.each([
	['https://example.com/a', true],
	['http://www.example.com/a', true],
	['https://shop.example.com/a', false],
	['https://example.com:8443/a', false],
	['https://example.org/a', false],
])('stays at the site: %s', (url, isFollowed) => {
	const { frontier, start } = begin();
	expect(frontier.worthFollowing([url], start)).toHaveLength(Number(isFollowed));
	const anywhere = begin({ sameSite: false });
	expect(anywhere.frontier.worthFollowing([url], anywhere.start)).toHaveLength(1);
});

it.each([
	[['*/detail/*'], [], ['/detail/1']],
	[['*/Detail/*', '*?page=*'], [], ['/detail/1', '/list?page=2']],
	[['https://example.com/about'], [], ['/about']],
	[[], ['*/detail/*', '*.pdf'], ['/list?page=2', '/about', '/新闻/']],
	[['*/新闻/*'], [], ['/新闻/']],
	[['*'], ['*'], []],
	[['/detail/'], [], []],
])('follows what the patterns %j but %j describe', (links, except, paths) => {
	const { frontier, start } = begin({ links, except });
	const all = ['/detail/1', '/list?page=2', '/about', '/file.pdf', '/新闻/'].map(
		(path) => new URL(path, 'https://example.com').href,
	);
	const found = urlsOf(frontier.worthFollowing(all, start)).filter((url) => !url.endsWith('.pdf'));
	expect(found.map((url) => decodeURI(url.replace('https://example.com', '')))).toEqual(paths);
});

it('opens nothing twice that redirects lead to', () => {
	const { frontier, start, find } = begin({ maxPages: 4 });
	find(start, ...['a', 'b', 'c', 'd'].map((name) => `https://example.com/${name}`));
	const [a, b] = [frontier.take(), frontier.take()];
	if (a === undefined || b === undefined) throw new Error('There are too few pages');
	expect(frontier.open(a, 'https://example.com/c#1')).toBe(true);
	expect(frontier.open(b, 'https://example.com/c')).toBe(false);
	// Each has cost a proxy, and /c was opened
	expect(urlsOf(takeAll(frontier))).toEqual(['https://example.com/d']);
	expect(frontier.waiting).toEqual([]);
	expect(frontier.isFull).toBe(true);
});

it('takes what a redirect brings of a page that is under way, and nothing of it twice', () => {
	const { frontier, start, find } = begin();
	find(start, 'https://example.com/a', 'https://example.com/b');
	const [a, b] = takeAll(frontier);
	expect(frontier.open(a, b.url)).toBe(true);
	expect(frontier.open(b, b.url)).toBe(false);
});

it('lets a redirect lead to what could not be opened before', () => {
	const { frontier, start, find } = begin();
	find(start, 'https://example.com/a', 'https://example.com/b');
	const [a, b] = takeAll(frontier);
	frontier.fail(a);
	expect(frontier.open(b, a.url)).toBe(true);
});

it('takes each page of any site once, by the shortest way', () => {
	const site = fc.array(fc.array(fc.nat(19), { maxLength: 5 }), { minLength: 20, maxLength: 20 });
	fc.assert(
		fc.property(site, fc.nat(6), (linksOf, maxDepth) => {
			const url = (page: number) => `http://a/${page}`;
			const { frontier, find } = begin({ maxDepth, maxPages: 1000 }, 'http://b/');
			frontier.add([{ url: url(0), depth: 0 }]);
			const depths = new Map<number, number>();
			for (let page = frontier.take(); page !== undefined; page = frontier.take()) {
				const number = Number(page.url.slice('http://a/'.length));
				expect(depths.has(number)).toBe(false);
				depths.set(number, page.depth);
				frontier.open(page, page.url);
				find(page, ...linksOf[number].map(url));
			}
			const shortest = new Map([[0, 0]]);
			for (const [page, depth] of shortest) {
				if (depth === maxDepth) continue;
				for (const link of linksOf[page]) if (!shortest.has(link)) shortest.set(link, depth + 1);
			}
			expect(depths).toEqual(shortest);
		}),
	);
});
