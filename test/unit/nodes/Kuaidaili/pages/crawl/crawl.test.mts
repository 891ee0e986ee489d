import { gzipSync } from 'node:zlib';

import fc from 'fast-check';

import type { CrawlRequest } from '../../../../../../nodes/Kuaidaili/pages/crawl/crawlRequest.ts';
import {
	type FoundPage,
	Frontier,
} from '../../../../../../nodes/Kuaidaili/pages/crawl/frontier.ts';
import { eventLoopYielder } from '../../../../../../nodes/shared/api/wait.ts';
import { readRobots } from '../../../../../../nodes/Kuaidaili/pages/crawl/robots.ts';
import {
	readSitemap,
	readSitemaps,
} from '../../../../../../nodes/Kuaidaili/pages/crawl/sitemap.ts';
import { expectInProportion } from '../../../../support/growth.mts';

describe('the pages to open', () => {
	const REQUEST: CrawlRequest = {
		startsFromSitemap: false,
		maxDepth: 1,
		maxPages: 100,
		links: [],
		except: [],
		sameSite: true,
		respectsRobots: true,
	};

	/** A crawl from a page, which was opened. */
	function begin(changes: Partial<CrawlRequest> = {}, url = 'https://example.com/', lastUrl = url) {
		const frontier = new Frontier({ ...REQUEST, ...changes }, url);
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

	it('takes no page again that is found nearer while it is under way', () => {
		const { frontier, start, find } = begin({ maxDepth: 2 });
		find(start, 'https://example.com/a');
		const [a] = takeAll(frontier);
		find(a, 'https://example.com/deep');
		expect(urlsOf(takeAll(frontier))).toEqual(['https://example.com/deep']);
		find(start, 'https://example.com/deep');
		expect(frontier.take()).toBeUndefined();
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
		[['*https://example.com/ab*'], [], ['/about']],
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

	describe('knows a page by the address that it names as its own', () => {
		const named = (canonical: string, url = 'https://example.com/a?color=red') => {
			const { frontier, start, find } = begin({}, 'https://example.com/list');
			find(start, url, 'https://example.com/a');
			const page = frontier.take();
			if (page === undefined) throw new Error('There is no page');
			frontier.arrive(page, page.url);
			return { frontier, page, isNew: frontier.arriveAt(page, canonical) };
		};

		it('so that a link to that is not opened any more', () => {
			const { frontier, isNew } = named('https://example.com/a');
			expect([isNew, frontier.take()]).toEqual([true, undefined]);
			expect(frontier.unfollowedCount).toBe(0);
		});

		it('so that it is none that is new where that was opened', () => {
			const { frontier, start, find } = begin({}, 'https://example.com/list');
			find(start, 'https://example.com/a', 'https://example.com/a?color=red');
			const [a, red] = takeAll(frontier);
			for (const page of [a, red]) frontier.arrive(page, page.url);
			expect(frontier.arriveAt(a, a.url)).toBe(true);
			expect(frontier.arriveAt(red, a.url)).toBe(false);
			expect([a.state, red.state]).toEqual(['opened', 'leftOut']);
		});

		it('so that one that is under way is none that is new when it comes', () => {
			const { frontier, start, find } = begin({}, 'https://example.com/list');
			find(start, 'https://example.com/a', 'https://example.com/a?color=red');
			const [a, red] = takeAll(frontier);
			frontier.arrive(red, red.url);
			expect(frontier.arriveAt(red, a.url)).toBe(true);
			expect(frontier.arrive(a, a.url)).toBe(false);
		});

		it.each([
			['the start', 'https://example.com/list'],
			["the site's root", 'https://example.com/'],
			['a page to which no link leads', 'https://example.com/b'],
			['a page of another site', 'https://other.example/a'],
			['itself', 'https://example.com/a?color=red#top'],
		])('but not by %s', (_what, canonical) => {
			const { frontier, page, isNew } = named(canonical);
			expect([isNew, page.state]).toEqual([true, 'opened']);
			expect(urlsOf(takeAll(frontier))).toEqual(['https://example.com/a']);
		});
	});

	it('knows a page by any spelling of its address, and follows no login', () => {
		const { frontier, start, find } = begin();
		find(start, 'https://example.com/%e4%b8%ad', 'https://example.com/%E4%B8%AD');
		find(
			start,
			'https://example.com/%7Ea',
			'https://example.com/~a',
			'https://u:pw@example.com/~a',
		);
		expect(urlsOf(takeAll(frontier))).toEqual([
			'https://example.com/%e4%b8%ad',
			'https://example.com/%7Ea',
		]);
		find(start, 'https://u:pw@example.com/b', `https://example.com/${'x'.repeat(10_000)}`);
		expect(urlsOf(takeAll(frontier))).toEqual(['https://example.com/b']);
	});

	it('knows a page whatever tells where a visitor comes from, and requests it as it was linked first', () => {
		const { frontier, start, find } = begin();
		const urls = [
			'https://example.com/1/?b=2&a=1&utm_source=x',
			'https://example.com/1?a=1&b=2',
			'https://example.com/1;jsessionid=A1?b=2&a=1&spm=1.2&gclid=3&fbclid=4',
			'https://example.com/1?a=2&b=1',
			'https://example.com/1',
			'https://example.com/12/',
		];
		find(start, ...urls);
		expect(urlsOf(takeAll(frontier))).toEqual([urls[0], ...urls.slice(3)]);
	});

	it('keeps ten times the pages that it may take, and counts the other links', () => {
		const { frontier, start, find } = begin({ maxPages: 31 });
		const links = Array.from({ length: 5000 }, (_, page) => `https://example.com/${page}`);
		find(start, ...links.slice(0, 100));
		expect([frontier.hasRoom, start.hasUncollectedLinks]).toEqual([true, undefined]);
		find(start, ...links.slice(100));
		expect([frontier.hasRoom, start.hasUncollectedLinks]).toEqual([false, true]);
		expect(frontier.waiting).toHaveLength(300);
		expect(takeAll(frontier)).toHaveLength(30);
		expect(frontier.unfollowedCount).toBe(4970);
	});

	it.each([
		['https://example.com/b', false],
		['https://www.example.com/b', false],
		['https://example.org/b', true],
		['https://example.com/left-out', true],
	])('tells where a page must not lead: %s', (lastUrl, isMisled) => {
		const { frontier, start, find } = begin({ except: ['*/left-out'] });
		find(start, 'https://example.com/a');
		const [page] = takeAll(frontier);
		expect(frontier.isMisled(page, lastUrl)).toBe(isMisled);
		expect(frontier.isMisled(start, lastUrl)).toBe(false);
		frontier.addSite('https://example.org/robots.txt');
		expect(frontier.isMisled(page, 'https://example.org/c')).toBe(false);
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
		const { allows, sitemaps } = readRobots(text, `${SITE}/robots.txt`, userAgent);
		// As a crawl does, which looks at other pages in between
		const pause = eventLoopYielder();
		const allowsPage = async (path: string) => {
			await pause();
			return allows(`${SITE}${path}`);
		};
		return { allows: allowsPage, sitemaps };
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

	it('holds for all where words stand behind the star', async () => {
		expect(await (await robots('User-agent: * all of you\nDisallow: /a')).allows('/a')).toBe(false);
	});

	it.each([
		['nothing', ''],
		['no rules', 'User-agent: *\nDisallow:'],
		['rules of nobody', 'Disallow: /'],
		['a sentence', 'User-agent: *\nDisallow / to nobody'],
		['a page of the site in place of it', '<!doctype html>\n<a href="https://a">Disallow: /</a>'],
	])('forbids nothing where there is %s', async (_what, text) => {
		expect(await (await robots(text)).allows('/page')).toBe(true);
	});

	it.each([
		['360Spider/1.0', '360Spider'],
		['MJ12bot/v1.4.8 (http://mj12bot.com/)', 'mj12bot'],
		['Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)', 'Sogou web spider'],
		['Mozilla/5.0 (compatible; MyBot; +http://example.com/bot)', 'MyBot'],
		['MyBot/1.0', 'MyBot/2.0'],
		['The MyBot of a shop', 'MyBot'],
		['MyBot 1.0', 'MyBot 2'],
		['MyBot', 'Mozilla/5.0 (compatible; MyBot/1.0; +http://example.com/)'],
		['My_Bot-2/1.0', 'my_bot-2 (+http://example.com/)'],
	])('knows the user agent %s by the name %s', async (userAgent, name) => {
		const text = `User-agent: *\nDisallow: /all\n\nUser-agent: ${name}\nDisallow: /named`;
		const { allows } = await robots(text, userAgent);
		expect([await allows('/all'), await allows('/named')]).toEqual([true, false]);
	});

	it.each([
		['Googlebot-Image/1.0', 'Googlebot'],
		['MyBot2/1.0', 'MyBot'],
		['Mozilla/5.0 (compatible; MyBot; +http://example.com/otherbot)', 'otherbot'],
		['', 'MyBot'],
	])('does not take the user agent %s for %s', async (userAgent, name) => {
		const text = `User-agent: *\nDisallow: /all\n\nUser-agent: ${name}\nDisallow: /named`;
		const { allows } = await robots(text, userAgent);
		expect([await allows('/all'), await allows('/named')]).toEqual([false, true]);
	});

	it('lets the longest name count where several do', async () => {
		const text =
			'User-agent: sogou\nDisallow: /a\nUser-agent: sogou web spider\nDisallow: /b\nUser-agent: web\nDisallow: /c';
		const { allows } = await robots(text, 'Sogou web spider/4.0');
		expect(await Promise.all(['/a', '/b', '/c'].map(allows))).toEqual([true, false, true]);
	});

	it.each(['', 'Crawl-delay: 10\n', 'Sitemap: https://example.com/a.xml\n'])(
		'lets an agent go everywhere whose group has no rules but %j',
		async (other) => {
			const text = `User-agent: *\nDisallow: /\n\nUser-agent: quxbot\n${other}`;
			expect(await (await robots(text, 'quxbot')).allows('/page')).toBe(true);
			expect(await (await robots(text)).allows('/page')).toBe(false);
		},
	);

	it.each([
		['/{id}/x', '/{id}/x'],
		['/{id}/x', '/%7Bid%7d/x'],
		['/%7bid}/x', '/{id}/x'],
		['/a"b', '/a"b'],
		['/c|d', '/c%7Cd'],
		['/c%7cd', '/c|d'],
		['/e<f>', '/e<f>'],
		['/?q={"a":1}', '/?q={"a":1}'],
		['/g^h`i', '/g^h`i'],
	])('compares signs whether they are encoded or not: %s, %s', async (pattern, path) => {
		expect(await (await robots(`User-agent: *\nDisallow: ${pattern}`)).allows(path)).toBe(false);
	});

	it.each([
		'user-agent *\ndisallow /a',
		'useragent: *\ndisalow: /a',
		'User Agent: *\nDissallow: /a',
		'User-agent\t:\t*\nDisallow\t:\t/a',
	])('reads lines as search engines do: %j', async (text) => {
		const { allows } = await robots(text);
		expect([await allows('/a'), await allows('/b')]).toEqual([false, true]);
	});

	it.each([
		['many rules', (rule: number) => `/folder/${rule}/`],
		['many rules with wildcards', (rule: number) => `/*x${rule}*y`],
	])('takes time in proportion to %s', async (_what, rule) => {
		await expectInProportion(1000, async (count) => {
			const rules = Array.from({ length: count }, (_, at) => `Disallow: ${rule(at)}`);
			const { allows } = await robots(`User-agent: *\n${rules.join('\n')}`);
			for (let page = 0; page < 10; page += 1) await allows(`/${'x'.repeat(500)}/${page}`);
		});
	});

	it.each([' ', 'a', '-', ':', '#', '*', '%', '%e4', '/', '(', ';', 'user-agent:', '\n'])(
		'takes time in proportion to 2 MB of %j',
		async (part) => {
			await expectInProportion(500_000, async (size) => {
				const much = part.repeat(size / part.length);
				for (const text of [much, `User-agent: ${much}`, `User-agent: *\nDisallow: /${much}`]) {
					await (await robots(text, 'MyBot/1.0')).allows(`/${part}`);
				}
			});
		},
	);

	it('takes no longer for a pattern that is made to', async () => {
		await expectInProportion(5000, async (size) => {
			const { allows } = await robots(`User-agent: *\nDisallow: /${'*a'.repeat(5000)}b$`);
			expect(await allows(`/${'a'.repeat(size)}`)).toBe(true);
		});
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

	it('reads permanent addresses of entries without a link', async () => {
		const guid = (path: string, more = '') => `<guid${more}>https://example.com/${path}</guid>`;
		const items = [
			guid('1', ' isPermaLink="true"'),
			guid('2'),
			`<link>https://example.com/3</link>${guid('no')}`,
			`${guid('no')}<link>https://example.com/4</link>`,
			`<link>no address</link>${guid('5')}`,
			guid('no', ' isPermaLink="false"'),
			'<guid>123</guid>',
		];
		const text = `<rss><channel>${items.map((item) => `<item>${item}</item>`).join('')}</channel></rss>`;
		const { urls } = await readSitemap(bytes(text));
		expect(urls).toEqual(['1', '2', '3', '4', '5'].map((path) => `https://example.com/${path}`));
	});

	it('reads addresses that are relative to its own', async () => {
		const { urls } = await readSitemap(
			bytes(urlset('/a', '?b', 'c', 'https://example.com/d')),
			'',
			'https://example.com/x/sitemap.xml',
		);
		expect(urls).toEqual([
			'https://example.com/a',
			'https://example.com/x/sitemap.xml?b',
			'https://example.com/d',
		]);
	});

	const ONE = ['https://example.com/1'];

	it.each<[string, string]>([
		[
			'attributes',
			'<urlset><url><loc xml:space="preserve">https://example.com/1</loc></url></urlset>',
		],
		[
			'white space in tags',
			'<urlset ><url ><loc\n>\n https://example.com/1\t</loc ></url></urlset>',
		],
		['capitals', '<URLSET><URL><LOC>https://example.com/1</LOC></URL></URLSET>'],
		[
			'words before it',
			'Warning: x\n<?xml version="1.0"?><urlset><loc>https://example.com/1</loc></urlset>',
		],
		[
			'a prefix of its own',
			'<urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><s:url><s:loc>https://example.com/1</s:loc><image:image><image:loc>https://example.com/2</image:loc></image:image></s:url></urlset>',
		],
		[
			'comments and CDATA',
			'<urlset><!-- <loc>https://a/</loc> --><loc><!-- -->https://<![CDATA[example.com/1]]></loc></urlset>',
		],
		['no end', '<urlset><url><loc>https://example.com/1</loc></url><url><loc>https://exa'],
		[
			'RSS',
			'<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>https://example.com/</link><atom:link href="https://example.com/feed" rel="self"/><item><title>A</title><link>https://example.com/1</link></item></channel></rss>',
		],
		[
			'RSS 1.0',
			'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><link>https://example.com/</link></channel><item><link>https://example.com/1</link></item></rdf:RDF>',
		],
		[
			'Atom',
			'<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.com/"/><entry><link rel="self" href="https://example.com/2"/><link rel=\'alternate\' href=\'https://example.com/1\'/></entry></feed>',
		],
		[
			'a declaration of UTF-16, as .NET writes it in UTF-8',
			'<?xml version="1.0" encoding="utf-16"?><urlset><url><loc>https://example.com/1</loc></url></urlset>',
		],
		[
			'xml:base of the feed',
			'<feed xml:base="https://example.com/"><entry><link href="1"/></entry></feed>',
		],
		[
			'xml:base of the link itself, behind its address',
			'<feed xml:base="https://a.example/"><entry><link href="1" xml:base="https://example.com/"/></entry></feed>',
		],
		[
			'xml:base of an entry, relative to that of its feed',
			'<feed xml:base="https://example.com/a/"><entry><title xml:base="/x/">t</title></entry><entry xml:base="../"><link href="1"/></entry></feed>',
		],
		[
			'xml:base of RSS',
			'<rss xml:base="https://example.com/"><channel><item><link>1</link></item></channel></rss>',
		],
		['a list with other columns', 'https://example.com/1\t2026-11-28 0.5\n'],
		['a list with old line ends', '\rhttps://example.com/1\rno address\r'],
	])('reads one with %s', async (_what, text) => {
		expect((await readSitemap(bytes(text))).urls).toEqual(ONE);
		expect((await readSitemap(new Uint8Array(gzipSync(text)))).urls).toEqual(ONE);
	});

	it.each([
		['UTF-16', Buffer.from(`\uFEFF${urlset('https://example.com/\u65b0')}`, 'utf16le'), ''],
		['UTF-16 without a mark', Buffer.from(urlset('https://example.com/\u65b0'), 'utf16le'), ''],
		[
			'GBK by its declaration',
			Buffer.concat([
				Buffer.from('<?xml version="1.0" encoding="GB2312"?><urlset><loc>https://example.com/'),
				Buffer.from([0xd0, 0xc2]),
				Buffer.from('</loc></urlset>'),
			]),
			'',
		],
		[
			'GBK by its header',
			Buffer.concat([Buffer.from('https://example.com/'), Buffer.from([0xd0, 0xc2])]),
			'text/plain; charset=gbk',
		],
		[
			'UTF-8 whatever is said',
			Buffer.from('https://example.com/\u65b0'),
			'text/plain; charset=gbk',
		],
		[
			'UTF-8 whatever it declares',
			Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${urlset('https://example.com/\u65b0')}`),
			'application/xml; charset=utf-16',
		],
		[
			'UTF-8 whatever it declares, far down',
			Buffer.from(
				`<?xml version="1.0" encoding="GBK"?><urlset>${' '.repeat(40_000)}<loc>https://example.com/\u65b0</loc></urlset>`,
			),
			'',
		],
		[
			'GBK by its declaration, far down',
			Buffer.concat([
				Buffer.from('<?xml version="1.0" encoding="GBK"?><urlset>'),
				Buffer.alloc(40_000, ' '),
				Buffer.from('<loc>https://example.com/'),
				Buffer.from([0xd0, 0xc2]),
				Buffer.from('</loc></urlset>'),
			]),
			'',
		],
		[
			'Big5 by its declaration, far down',
			Buffer.concat([
				Buffer.from('<?xml version="1.0" encoding="Big5"?><urlset>'),
				Buffer.alloc(40_000, ' '),
				Buffer.from('<loc>https://example.com/'),
				Buffer.from([0xb7, 0x73]),
				Buffer.from('</loc></urlset>'),
			]),
			'',
		],
	])('reads one in %s', async (_what, body, type) => {
		const { urls } = await readSitemap(new Uint8Array(body), type);
		expect(urls).toEqual(['https://example.com/%E6%96%B0']);
	});

	it('reads addresses of Atom that are relative to its own, whatever they begin with', async () => {
		const text =
			'<feed><entry><link href="a/1"/></entry><entry><link>no address</link></entry></feed>';
		const { urls } = await readSitemap(bytes(text), '', 'https://example.com/x/feed.xml');
		expect(urls).toEqual(['https://example.com/x/a/1']);
	});

	it('gives what came of a packed one with other things behind it, or without its end', async () => {
		const urls = Array.from({ length: 5000 }, (_, page) => `https://example.com/${page * 7919}`);
		const packed = gzipSync(urlset(...urls));
		const behind = (rest: Buffer) => new Uint8Array(Buffer.concat([packed, rest]));
		expect((await readSitemap(behind(Buffer.from('<!-- cached -->')))).urls).toEqual(urls);
		const small = Buffer.concat([gzipSync(urlset(...ONE)), Buffer.from('<!-- cached -->')]);
		expect((await readSitemap(new Uint8Array(small))).urls).toEqual(ONE);
		expect((await readSitemap(behind(Buffer.alloc(100)))).urls).toEqual(urls);
		expect((await readSitemap(behind(packed))).urls).toEqual([...urls, ...urls]);
		const half = (await readSitemap(new Uint8Array(packed.subarray(0, packed.length / 2)))).urls;
		expect(half).toEqual(urls.slice(0, half.length));
		expect(half.length).toBeGreaterThan(1000);
	});

	it('gives 50,000 addresses at most', async () => {
		const urls = Array.from({ length: 60_000 }, (_, page) => `https://example.com/${page}`);
		expect((await readSitemap(bytes(urlset(...urls)))).urls).toEqual(urls.slice(0, 50_000));
		expect((await readSitemap(bytes(urls.join('\n')))).urls).toEqual(urls.slice(0, 50_000));
	});

	it('reads characters whole that stand where one part ends and another begins', async () => {
		const urls = [11, 12, 13, 14].map((page) => `https://example.com/${'新'.repeat(2000)}${page}`);
		const read = await readSitemap(bytes(urls.join('\n')));
		expect(read.urls.map(decodeURI)).toEqual(urls);
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
		await expectInProportion(50_000, async (count) => {
			await readSitemap(bytes(`<urlset >${part.repeat(count)}`));
		});
	});

	it.each([
		'<',
		'<loc>',
		'<!--',
		'<![CDATA[',
		'&',
		'&a;',
		' ',
		'\n',
		'<a ',
		'https://a/ ',
		'<loc>https://a/',
	])('takes time in proportion to 2 MB of %j', async (part) => {
		await expectInProportion(500_000, async (size) => {
			const much = part.repeat(size / part.length);
			for (const text of [`<urlset>${much}`, `<feed><entry><link ${much}`, `x${much}`]) {
				await readSitemap(bytes(text)).catch(() => undefined);
			}
		});
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
