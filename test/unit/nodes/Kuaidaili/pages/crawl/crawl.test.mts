import { gzipSync } from 'node:zlib';

import fc from 'fast-check';

import type { CrawlLimits } from '../../../../../../nodes/Kuaidaili/pages/crawl/crawlRequest.ts';
import {
	type FoundPage,
	Frontier,
} from '../../../../../../nodes/Kuaidaili/pages/crawl/frontier.ts';
import { readRobots } from '../../../../../../nodes/Kuaidaili/pages/crawl/robots.ts';
import {
	readSitemap,
	readSitemaps,
} from '../../../../../../nodes/Kuaidaili/pages/crawl/sitemap.ts';

describe('the pages to open', () => {
	const LIMITS: CrawlLimits = { maxDepth: 1, maxPages: 100, links: [], except: [], sameSite: true };

	/** A crawl from a page, which was opened. */
	function begin(limits: Partial<CrawlLimits> = {}, url = 'https://example.com/', lastUrl = url) {
		const frontier = new Frontier({ ...LIMITS, ...limits }, url);
		frontier.add([{ url, depth: 0, state: 'waiting' }]);
		const start = frontier.take();
		if (start === undefined) throw new Error('There is no start');
		frontier.arrive(start, lastUrl);
		const find = (finder: FoundPage, ...urls: string[]) =>
			frontier.add(frontier.pagesToFollow(urls, finder));
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
		expect(takeAll(frontier).map(({ url, finder }) => [url, finder])).toEqual([
			['https://example.com/a', start],
			['https://example.com/b', start],
		]);
		find(start, 'https://example.com/a');
		expect(frontier.take()).toBeUndefined();
	});

	it('opens what a redirect leads to, although its own address led somewhere else before', () => {
		const { frontier, start, find } = begin();
		find(start, 'https://example.com/a', 'https://example.com/old');
		const [a, old] = takeAll(frontier);
		expect(frontier.arrive(a, 'https://example.com/consent')).toBe(true);
		expect(frontier.arrive(old, 'https://example.com/a')).toBe(true);
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
		expect(frontier.waiting).toHaveLength(3);
	});

	it('takes another page for one that robots.txt forbids', () => {
		const { frontier, start, find } = begin({ maxPages: 2 });
		find(start, 'https://example.com/1', 'https://example.com/2');
		expect(frontier.take()).toBeDefined();
		frontier.uncount();
		expect(urlsOf(takeAll(frontier))).toEqual(['https://example.com/2']);
		expect(frontier.waiting).toEqual([]);
	});

	it.each([
		['https://example.com/a', true],
		['http://www.example.com/a', true],
		['https://shop.example.com/a', false],
		['https://example.com:8443/a', false],
		['https://example.org/a', false],
	])('stays at the site: %s', (url, isFollowed) => {
		const { frontier, start } = begin();
		expect(frontier.pagesToFollow([url], start)).toHaveLength(Number(isFollowed));
		const anywhere = begin({ sameSite: false });
		expect(anywhere.frontier.pagesToFollow([url], anywhere.start)).toHaveLength(1);
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
		const found = urlsOf(frontier.pagesToFollow(all, start)).filter((url) => !url.endsWith('.pdf'));
		expect(found.map((url) => decodeURI(url.replace('https://example.com', '')))).toEqual(paths);
	});

	it('opens nothing twice that redirects lead to', () => {
		const { frontier, start, find } = begin({ maxPages: 4 });
		find(start, ...['a', 'b', 'c', 'd'].map((name) => `https://example.com/${name}`));
		const [a, b] = [frontier.take(), frontier.take()];
		if (a === undefined || b === undefined) throw new Error('There are too few pages');
		expect(frontier.arrive(a, 'https://example.com/c#1')).toBe(true);
		expect(frontier.arrive(b, 'https://example.com/c')).toBe(false);
		// Each has cost a proxy, and /c was opened
		expect(urlsOf(takeAll(frontier))).toEqual(['https://example.com/d']);
		expect(frontier.waiting).toEqual([]);
		expect(frontier.isExhausted).toBe(true);
	});

	it('takes what a redirect brings of a page that is under way, and nothing of it twice', () => {
		const { frontier, start, find } = begin();
		find(start, 'https://example.com/a', 'https://example.com/b');
		const [a, b] = takeAll(frontier);
		expect(frontier.arrive(a, b.url)).toBe(true);
		expect(frontier.arrive(b, b.url)).toBe(false);
	});

	it('lets a redirect lead to what could not be opened before', () => {
		const { frontier, start, find } = begin();
		find(start, 'https://example.com/a', 'https://example.com/b');
		const [a, b] = takeAll(frontier);
		expect(frontier.arrive(b, a.url)).toBe(true);
	});

	it('takes each page of any site once, by the shortest way', () => {
		const site = fc.array(fc.array(fc.nat(19), { maxLength: 5 }), { minLength: 20, maxLength: 20 });
		fc.assert(
			fc.property(site, fc.nat(6), (linksOf, maxDepth) => {
				const url = (page: number) => `http://a/${page}`;
				const { frontier, find } = begin({ maxDepth, maxPages: 1000 }, 'http://b/');
				frontier.add([{ url: url(0), depth: 0, state: 'waiting' }]);
				const depths = new Map<number, number>();
				for (let page = frontier.take(); page !== undefined; page = frontier.take()) {
					const number = Number(page.url.slice('http://a/'.length));
					expect(depths.has(number)).toBe(false);
					depths.set(number, page.depth);
					frontier.arrive(page, page.url);
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
});

describe('robots.txt', () => {
	const SITE = 'https://example.com';

	async function robots(text: string, userAgent = '') {
		const { allows, sitemaps } = await readRobots(text, `${SITE}/robots.txt`, userAgent);
		return { allows: async (path: string) => await allows(`${SITE}${path}`), sitemaps };
	}

	it.each([
		['/', true],
		['/private', false],
		['/private/page', false],
		['/privateer', false],
		['/Private', true],
		['/private/open', true],
		['/private/open/page', true],
	])('keeps to the longest rule: %s', async (path, isAllowed) => {
		const { allows } = await robots(
			'User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /p',
		);
		expect(await allows(path)).toBe(isAllowed);
	});

	// RFC 9309, 5.2
	it('lets what allows go before what forbids as long', async () => {
		const { allows } = await robots('User-Agent: *\nDisallow: /page\nAllow: /page');
		expect(await allows('/page')).toBe(true);
	});

	// RFC 9309, 5.1
	it.each([
		['', '/example/page.html', false],
		['foobot', '/publications/', false],
		['foobot', '/example/page.html', true],
		['foobot', '/example/allowed.gif', true],
		['Mozilla/5.0 (compatible; BarBot/1.0)', '/example/page.html', false],
		['bazbot/2.1', '/example/page.html', false],
		['quxbot', '/anything', true],
	])('reads the groups of a program: %s, %s', async (userAgent, path, isAllowed) => {
		const { allows } = await robots(
			`User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot

EOF`,
			userAgent,
		);
		expect(await allows(path)).toBe(isAllowed);
	});

	it('puts all groups of one program together, and reads sitemaps and unknown lines in between', async () => {
		const { allows, sitemaps } = await robots(
			'\uFEFFuser-agent: *\r\nSitemap: https://cdn.example.com/a.xml\r\nCrawl-delay: 5\r\ndisallow: /a # why\r\n\r\nuser-agent: x\ndisallow: /b\n\nUSER-AGENT : *\ndisallow: /c\nsitemap: /b.xml\nsitemap: http://\nsitemap: ftp://example.com/c.xml',
		);
		expect(await Promise.all(['/a', '/b', '/c'].map(allows))).toEqual([false, true, false]);
		expect(sitemaps).toEqual(['https://cdn.example.com/a.xml', `${SITE}/b.xml`]);
	});

	it.each([
		['/*.php$', '/a/b.php', false],
		['/*.php$', '/a/b.php?c', true],
		['/*.php$', '/a.php/b.php', false],
		['/a*b*c', '/abbc/d', false],
		['/a*b*c', '/acb', true],
		['/*', '/', false],
		['*/end$', '/the/end', false],
		['/a$b', '/a$b', false],
		['/a$b', '/a', true],
		['/aa*a$', '/aa', true],
		['/?q=', '/?q=1', false],
	])('understands * and $: %s, %s', async (pattern, path, isAllowed) => {
		expect(await (await robots(`User-agent: *\nDisallow: ${pattern}`)).allows(path)).toBe(
			isAllowed,
		);
	});

	// RFC 9309, 2.2.2 and 2.2.3
	it.each([
		['/foo/bar?baz=quz', '/foo/bar?baz=quz'],
		['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https://foo.bar'],
		['/foo/bar/ツ', '/foo/bar/%E3%83%84'],
		['/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84'],
		['/foo/bar/%62%61%7A', '/foo/bar/baz'],
		['/path/file-with-a-%2A.html', '/path/file-with-a-*.html'],
		['/path/foo-%24', '/path/foo-$'],
	])('compares whatever is encoded: %s, %s', async (pattern, path) => {
		expect(await (await robots(`User-agent: *\nDisallow: ${pattern}`)).allows(path)).toBe(false);
	});

	it.each([
		['nothing', ''],
		['no rules', 'User-agent: *\nDisallow:'],
		['rules of nobody', 'Disallow: /'],
		['a page of the site in place of it', '<!doctype html>\n<a href="https://a">Disallow: /</a>'],
	])('forbids nothing where there is %s', async (_what, text) => {
		expect(await (await robots(text)).allows('/page')).toBe(true);
	});

	it('takes no longer for a pattern that is made to', async () => {
		const { allows } = await robots(`User-agent: *\nDisallow: /${'*a'.repeat(5000)}b$`);
		const start = performance.now();
		expect(await allows(`/${'a'.repeat(20_000)}`)).toBe(true);
		expect(performance.now() - start).toBeLessThan(1000);
	});
});

describe('a sitemap', () => {
	const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

	function urlset(...urls: string[]): string {
		const entries = urls.map((url) => `<url>\n<loc>${url}</loc><priority>1</priority></url>`);
		return `<?xml version="1.0"?>\n<urlset ${NAMESPACE}>${entries.join('')}</urlset>`;
	}

	function index(...urls: string[]): string {
		const entries = urls.map((url) => `<sitemap><loc> ${url} </loc></sitemap>`);
		return `<sitemapindex ${NAMESPACE}>${entries.join('\n')}</sitemapindex>`;
	}

	const bytes = (text: string) => new Uint8Array(Buffer.from(text));

	it.each([
		['plain', bytes],
		['packed', (text: string) => new Uint8Array(gzipSync(text))],
	])('reads pages, %s', async (_how, packed) => {
		const text = urlset('https://example.com/a?b=1&amp;c=2', 'https://example.com/中');
		expect(await readSitemap(packed(text))).toEqual({
			isIndex: false,
			urls: ['https://example.com/a?b=1&c=2', 'https://example.com/%E4%B8%AD'],
		});
	});

	it('reads what programs write besides', async () => {
		const text = `<?xml-stylesheet href="a"?><!-- <url><loc>http://a/old</loc></url> -->
<ns0:urlset xmlns:ns0="http://www.sitemaps.org/schemas/sitemap/0.9"><ns0:url><ns0:loc><![CDATA[http://a/b?c[]=1&d]]></ns0:loc>
<image:image><image:loc>http://a/picture</image:loc></image:image></ns0:url>
<ns0:url><ns0:loc>http://a/&#x41;&#66;&apos;&unknown;</ns0:loc></ns0:url><ns0:url><ns0:loc>/relative</ns0:loc></ns0:url>`;
		const { urls } = await readSitemap(bytes(text));
		expect(urls).toEqual(['http://a/b?c[]=1&d', "http://a/AB'&unknown;"]);
	});

	it('reads a list of addresses', async () => {
		const list = bytes('\uFEFFhttp://a/1\r\n\r\nhttp://a/2\nno address\nftp://a/3\n');
		expect(await readSitemap(list)).toEqual({ isIndex: false, urls: ['http://a/1', 'http://a/2'] });
	});

	it.each([
		[
			'a page',
			'<!doctype html><title>Not found</title>',
			'it has neither a urlset nor a sitemapindex, and is no feed',
		],
		['nothing', ' ', 'it has no addresses'],
		['something else', '{"error": 404}', 'it has no addresses'],
	])('refuses %s', async (_what, text, reason) => {
		await expect(readSitemap(bytes(text))).rejects.toThrow(reason);
	});

	it('unpacks no more than a sitemap may have', async () => {
		const bomb = new Uint8Array(gzipSync(Buffer.alloc(60_000_000)));
		await expect(readSitemap(bomb)).rejects.toThrow('it has no addresses');
		await expect(readSitemap(bomb.subarray(0, 1000))).rejects.toThrow('it has no addresses');
	});

	it.each([
		['comments that never end', '<!--'],
		['entries that never end', '<loc>'],
		['entities that are none', '<loc>&&#&#x'],
	])('takes no longer for %s', async (_what, part) => {
		const start = performance.now();
		await readSitemap(bytes(`<urlset >${part.repeat(200_000)}`));
		expect(performance.now() - start).toBeLessThan(2000);
	});

	/** Reads the sitemaps of a site from `/first`. */
	async function read(site: Record<string, string>) {
		const fetched: string[] = [];
		const pages: string[] = [];
		const left = await readSitemaps(
			['http://a/first'],
			async (url) => {
				const { pathname } = new URL(url);
				fetched.push(pathname);
				return await readSitemap(bytes(site[pathname]));
			},
			async (urls) => {
				pages.push(...urls.map((url) => new URL(url).pathname));
				return await Promise.resolve(true);
			},
		);
		return { fetched, pages, left };
	}

	it('follows an index, each sitemap once and no deeper than sites have them', async () => {
		const site = {
			'/first': index('http://a/second', 'http://a/pages', 'http://a/first'),
			'/second': index('http://a/pages', 'http://a/third'),
			'/third': index('http://a/fourth'),
			'/pages': urlset('http://a/1', 'http://a/2'),
		};
		expect(await read(site)).toEqual({
			fetched: ['/first', '/second', '/pages', '/third'],
			pages: ['/1', '/2'],
			left: 0,
		});
	});

	it('tells how many sitemaps it left', async () => {
		const names = Array.from({ length: 80 }, (_, number) => `/${number}`);
		const site = Object.fromEntries(names.map((name) => [name, urlset(`http://a/page${name}`)]));
		const all = { ...site, '/first': index(...names.map((name) => `http://a${name}`)) };
		const { fetched, left } = await read(all);
		expect([fetched.length, left]).toEqual([50, 31]);
	});
});
