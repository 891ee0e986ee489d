import type { CrawlRequest } from '../../../../../../nodes/Kuaidaili/pages/crawl/crawlRequest.ts';
import { robotsOf } from '../../../../../../nodes/Kuaidaili/pages/crawl/robots.ts';
import type { PageRequest } from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import type { FakeAnswer } from '../run/fakePages.mts';
import { crawl } from './fakeCrawl.mts';

const SITE = 'http://site.example';
const html = (body: string): FakeAnswer => ({ headers: { 'content-type': 'text/html' }, body });
const links = (...to: string[]) => html(to.map((href) => `<a href="${href}">x</a>`).join(''));
const redirect = (location: string): FakeAnswer => ({ status: 302, headers: { location } });
const urlset = (...paths: string[]): FakeAnswer => ({
	body: `<urlset>${paths.map((path) => `<url><loc>${path}</loc></url>`).join('')}</urlset>`,
});
const robots = (body: string): FakeAnswer => ({ body });

/** Pages of the site by their paths, and of others by their addresses. Pages without an answer have only a text. */
async function crawlSite(
	pages: Readonly<Record<string, FakeAnswer>>,
	changes: Partial<CrawlRequest> = {},
	ofPage: Partial<PageRequest> = {},
	kept?: Set<string>,
) {
	const short = (url: unknown) => String(url).replace(SITE, '');
	const { urls, requests, hints, errors } = await crawl(
		({ url }) => pages[short(url)] ?? (url.endsWith('/robots.txt') ? { status: 404 } : html('x')),
		changes,
		{ pagesAtATime: 1, ...ofPage },
		kept,
	);
	return { urls: urls.map(short), asked: requests.map(({ url }) => short(url)), hints, errors };
}

// After some milliseconds of work, others go first: on a busy machine, the order of pages would be another one
beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(0));
afterEach(() => jest.restoreAllMocks());

const OPENED = (told: string) => expect.stringContaining(`Opened ${told}.`) as unknown as string;
const ALL = (count: number) =>
	`'Follow' is empty, so all links of the site were followed: ${count}.`;
const NO_LINKS = expect.stringMatching(/^A start led to no other page/) as unknown as string;
const NO_PAGES = expect.stringMatching(/^A sitemap led to no page/) as unknown as string;
const LED_ASTRAY = (count: number) =>
	expect.stringMatching(
		`^${count} pages redirected to ${SITE}/captcha, to which no link`,
	) as unknown as string;
const TOO_DEEP = expect.stringMatching(
	/^There are more pages.*'Max Depth' in 'Options'\.$/,
) as unknown as string;
const FORBIDDEN = 'Links not followed: 1 because of robots.txt.';
const BEYOND = (count: number) =>
	`Links not followed: ${count} because of 'Max Pages' in 'Options'.`;
const sitemap = { startsFromSitemap: true };

describe('a crawl asks for', () => {
	it.each<
		[string, Readonly<Record<string, FakeAnswer>>, Partial<CrawlRequest>, string[], string[]]
	>([
		['no robots.txt without a link', {}, {}, ['/'], [NO_LINKS]],
		[
			'no robots.txt where it may open the start only',
			{ '/': links('/1') },
			{ maxPages: 1 },
			['/'],
			[BEYOND(1)],
		],
		[
			'no robots.txt that nobody respects',
			{ '/': links('/1') },
			{ respectsRobots: false },
			['/', '/1'],
			[OPENED('2 of 2 pages'), ALL(1)],
		],
		[
			'robots.txt before the links',
			{ '/': links('/1') },
			{},
			['/', '/robots.txt', '/1'],
			[OPENED('2 of 2 pages'), ALL(1)],
		],
		[
			'that of another site for its links',
			{ '/': links('http://b.example/1') },
			{},
			['/', 'http://b.example/robots.txt', 'http://b.example/1'],
			[OPENED('2 of 2 pages, and 1 without an item, such as robots.txt'), ALL(1)],
		],
		[
			'what robots.txt allows',
			{ '/': links('/no/1', '/1'), '/robots.txt': robots('User-agent: *\nDisallow: /no') },
			{},
			['/', '/robots.txt', '/1'],
			[OPENED('2 of 2 pages'), ALL(1), FORBIDDEN],
		],
		[
			'another page in place of one that robots.txt forbids',
			{ '/': links('/no/1', '/1', '/2'), '/robots.txt': robots('User-agent: *\nDisallow: /no') },
			{ maxPages: 2 },
			['/', '/robots.txt', '/1'],
			[OPENED('2 of 2 pages'), ALL(1), FORBIDDEN, BEYOND(1)],
		],
		[
			'no more than it may go deep',
			{ '/': links('/1'), '/1': links('/2'), '/2': links('/3') },
			{ maxDepth: 2 },
			['/', '/robots.txt', '/1', '/2'],
			[OPENED('3 of 3 pages'), ALL(2), TOO_DEEP],
		],
		[
			'no links of other sites',
			{ '/': links('http://b.example/1') },
			{ sameSite: true },
			['/'],
			[NO_LINKS],
		],
		[
			'nothing behind pages that lead back',
			{ '/': links('/1'), '/1': links('/', '/1') },
			{},
			['/', '/robots.txt', '/1'],
			[OPENED('2 of 2 pages'), ALL(1)],
		],
		[
			'the pages of the host on which robots.txt is',
			{
				'/robots.txt': redirect('http://b.example/robots.txt'),
				'http://b.example/robots.txt': robots('Sitemap: http://b.example/s'),
				'http://b.example/s': urlset('http://b.example/1', 'http://c.example/1'),
			},
			{ ...sitemap, sameSite: true },
			[
				'/robots.txt',
				'http://b.example/robots.txt',
				'http://b.example/s',
				'http://b.example/robots.txt',
				'http://b.example/1',
			],
			[OPENED('1 of 1 page, and 3 without an item, such as robots.txt')],
		],
		[
			'no pages of a host to which a sitemap of another site redirects',
			{
				'/robots.txt': robots('Sitemap: http://a.example/s'),
				'http://a.example/s': redirect('http://b.example/s'),
				'http://b.example/s': urlset('http://b.example/1', `${SITE}/1`),
			},
			{ ...sitemap, sameSite: true },
			['/robots.txt', 'http://a.example/s', 'http://b.example/s', '/1'],
			[OPENED('1 of 1 page, and 2 without an item, such as robots.txt')],
		],
		[
			'the pages of a sitemap in the encoding that its header says',
			{
				'/sitemap.xml': {
					headers: { 'content-type': 'text/plain; charset=big5' },
					body: Buffer.from(`${SITE}/\xb7\x73`, 'latin1'),
				},
			},
			sitemap,
			['/robots.txt', '/sitemap.xml', '/%E6%96%B0'],
			[OPENED('1 of 1 page, and 2 without an item, such as robots.txt')],
		],
		[
			'links that patterns describe',
			{ '/': links('/a1', '/b1') },
			{ links: ['*/a*'] },
			['/', '/robots.txt', '/a1'],
			[OPENED('2 of 2 pages')],
		],
		[
			'links that no pattern excepts',
			{ '/': links('/a1', '/b1') },
			{ except: ['*/a*'] },
			['/', '/robots.txt', '/b1'],
			[OPENED('2 of 2 pages')],
		],
		[
			'links that a selector picks',
			{ '/': html('<nav><a href=/1></a></nav><p><a href=/2></a>') },
			{ selector: 'p' },
			['/', '/robots.txt', '/2'],
			[OPENED('2 of 2 pages')],
		],
		[
			'no links that are marked nofollow',
			{ '/': html('<a rel=nofollow href=/1></a><a href=/2></a>') },
			{},
			['/', '/robots.txt', '/2'],
			[OPENED('2 of 2 pages'), ALL(1)],
		],
		[
			'the pages of a sitemap, without their links',
			{ '/robots.txt': robots('Sitemap: /s'), '/s': urlset('/1', '/2'), '/1': links('/3') },
			sitemap,
			['/robots.txt', '/s', '/1', '/2'],
			[OPENED('2 of 2 pages, and 2 without an item, such as robots.txt')],
		],
		[
			'the usual sitemap where robots.txt names none',
			{ '/sitemap.xml': urlset('/1') },
			sitemap,
			['/robots.txt', '/sitemap.xml', '/1'],
			[OPENED('1 of 1 page, and 2 without an item, such as robots.txt')],
		],
		[
			'no page of a sitemap where there is none',
			{ '/sitemap.xml': urlset() },
			sitemap,
			['/robots.txt', '/sitemap.xml'],
			[OPENED('0 of 0 pages, and 2 without an item, such as robots.txt'), NO_PAGES],
		],
		[
			'no page of a sitemap that robots.txt forbids',
			{
				'/robots.txt': robots('User-agent: *\nDisallow: /no'),
				'/sitemap.xml': urlset('/no', '/1'),
			},
			sitemap,
			['/robots.txt', '/sitemap.xml', '/1'],
			[OPENED('1 of 1 page, and 2 without an item, such as robots.txt'), FORBIDDEN],
		],
		[
			'the other sitemaps where one cannot be read',
			{
				'/robots.txt': robots('Sitemap: /a\nSitemap: /b'),
				'/a': html('<p>none'),
				'/b': urlset('/1'),
			},
			sitemap,
			['/robots.txt', '/a', '/b', '/1'],
			[OPENED('1 of 1 page, and 3 without an item, such as robots.txt'), 'Sitemaps not read: 1.'],
		],
		[
			'no other sitemap where there are enough pages',
			{ '/robots.txt': robots('Sitemap: /a\nSitemap: /b'), '/a': urlset('/1', '/2') },
			{ ...sitemap, maxPages: 1 },
			['/robots.txt', '/a', '/1'],
			[OPENED('1 of 1 page, and 2 without an item, such as robots.txt'), BEYOND(1)],
		],
	])('%s', async (_what, pages, changes, asked, hints) => {
		const run = await crawlSite(pages, changes);
		expect(run.asked).toEqual(asked);
		expect(run.hints).toEqual(hints);
		expect(run.errors).toEqual([]);
	});

	it.each<[string, string, boolean, string[]]>([
		['a sitemap', '/sitemap.xml', true, ['/robots.txt', '/sitemap.xml', '/1']],
		['a sitemap, where nobody respects robots.txt', '/list.xml.gz', false, ['/list.xml.gz', '/1']],
		['a robots.txt', '/robots.txt', false, ['/robots.txt', '/s', '/1']],
		['a page, where nobody respects robots.txt', '/page', false, ['/robots.txt', '/s', '/1']],
	])('the pages of %s', async (_what, path, respectsRobots, expected) => {
		const all = { [path]: urlset('/1'), '/s': urlset('/1'), '/robots.txt': robots('Sitemap: /s') };
		const { asked } = await crawlSite(all, { ...sitemap, respectsRobots }, { url: SITE + path });
		expect(asked).toEqual(expected);
	});

	it('robots.txt and sitemaps, whatever pages should look like', async () => {
		const retryIf = { statuses: new Set<number>(), contains: [], lacks: ['price'] };
		const pages = { '/robots.txt': robots('Sitemap: /s'), '/s': urlset('/1'), '/1': html('price') };
		const { urls, hints } = await crawlSite(pages, sitemap, { retryIf });
		expect([urls, hints[0]]).toEqual([
			['/1'],
			OPENED('1 of 1 page, and 2 without an item, such as robots.txt'),
		]);
	});

	it.each([
		['MyBot/1.0', ['/', '/robots.txt', '/2']],
		['Other/1.0', ['/', '/robots.txt', '/1', '/2']],
	])('what robots.txt allows the user agent %s', async (agent, expected) => {
		const pages = {
			'/': links('/1', '/2'),
			'/robots.txt': robots('User-agent: MyBot\nDisallow: /1'),
		};
		const { asked } = await crawlSite(pages, {}, { headers: { 'User-Agent': agent } });
		expect(asked).toEqual(expected);
	});

	it.each([
		[510, 600, 511, 0],
		[1300, 3, 3, 1298],
	])(
		'of %i links with %i pages at most %i, and counts the others: %i',
		async (count, maxPages, opened, left) => {
			const paths = Array.from({ length: count }, (_none, page) => `/${page + 1}`);
			const { urls, hints } = await crawlSite(
				{ '/': links(...paths) },
				{ maxPages, respectsRobots: false },
			);
			expect(urls).toHaveLength(opened);
			const beyond = hints.filter((hint) => hint.includes("'Max Pages'"));
			expect(beyond).toEqual(left === 0 ? [] : [BEYOND(left).replace('1298', '1,298')]);
		},
	);
});

it('pages come out in the order of their links, whichever comes first', async () => {
	const pages = { '/': links('/1', '/2'), '/1': redirect('/1/now'), '/1/now': redirect('/1/here') };
	const { urls, asked } = await crawlSite(pages, {}, { pagesAtATime: 2 });
	expect(asked.at(-1)).toBe('/1/here');
	expect(urls).toEqual(['/', '/1', '/2']);
});

describe('a crawl that skips opened pages asks the next time for', () => {
	const site = { '/': links('/list'), '/list': links('/item'), '/robots.txt': robots('') };
	const all = ['/', '/robots.txt', '/list', '/item'];
	const [rows, lost] = [{ format: 'fields', rowSelector: 'li' } as const, { status: 500 }];

	it.each<
		[
			string,
			Readonly<Record<string, FakeAnswer>>,
			Partial<CrawlRequest>,
			Partial<PageRequest>,
			string[],
		]
	>([
		['no page that it has put out', {}, {}, {}, ['/']],
		['no page that is not there', { '/item': { status: 404 } }, {}, {}, ['/']],
		['a page that failed, and what leads there', { '/item': lost }, {}, {}, all],
		['a page that was too many, and what leads there', {}, { maxPages: 2 }, {}, all],
		[
			'no page that leads elsewhere',
			{ '/item': redirect('http://b.example/') },
			{ sameSite: true },
			{},
			['/'],
		],
		[
			'no page that robots.txt forbids',
			{ '/robots.txt': robots('User-agent: *\nDisallow: /item') },
			{},
			{},
			['/'],
		],
		[
			'a page that had no row',
			{ '/': html('<li>1<a href=/list>x'), '/list': html('<li>1<a href=/item>x') },
			{},
			rows,
			all,
		],
		['a start that failed', { '/': lost }, {}, {}, all],
	])('%s', async (_what, before, changes, ofPage, asked) => {
		const kept = new Set<string>();
		const request = { maxDepth: 2, ...changes };
		const page = { skipOpened: true, maxAttempts: 1, ...ofPage };
		await crawlSite({ ...site, ...before }, request, page, kept);
		const again = await crawlSite(site, { ...request, maxPages: 9 }, page, kept);
		expect(again.asked).toEqual(asked);
	});

	it('pages of another site whose robots.txt could not be read, and what leads there', async () => {
		const kept = new Set<string>();
		const of = { ...site, '/list': links('http://b.example/1') };
		const page = { skipOpened: true, maxAttempts: 1 };
		const failed = await crawlSite(
			{ ...of, 'http://b.example/robots.txt': lost },
			{ maxDepth: 2 },
			page,
			kept,
		);
		expect(failed.urls).toEqual(['/', '/list']);
		const { asked } = await crawlSite(of, { maxDepth: 2 }, page, kept);
		const found = ['http://b.example/robots.txt', 'http://b.example/1'];
		expect(asked).toEqual(['/', '/robots.txt', '/list', ...found]);
	});

	it.each<[string, string[], string[][]]>([
		['each of which leads to the next', [], [['/', '/1', '/11'], ['/111', '/1111'], []]],
		['some of which lead back', ['back'], [['/', '/1'], ['/11']]],
	])('as many new pages as it may, %s', async (_what, others, days) => {
		const kept = new Set<string>();
		const chain = ['/', '/1', '/11', '/111', '/1111'].flatMap(
			(path): Array<[string, FakeAnswer]> => [
				[path, links(...[...others, '1'].map((end) => `${path}${end}`))],
				[`${path}back`, redirect(path)],
			],
		);
		const seen: string[][] = [];
		for (const _day of days) {
			const request = { maxDepth: 4, maxPages: 3 };
			const of = { skipOpened: true };
			seen.push((await crawlSite(Object.fromEntries(chain), request, of, kept)).urls);
		}
		expect(seen).toEqual(days);
	});

	it('a page that led to its start, as sites do that block', async () => {
		const kept = new Set<string>();
		const of = { '/': links('/1', '/2'), '/1': links(), '/2': links() };
		const page = { skipOpened: true };
		const blocked = await crawlSite({ ...of, '/2': redirect('/') }, {}, page, kept);
		expect(blocked.urls).toEqual(['/', '/1']);
		expect((await crawlSite(of, {}, page, kept)).urls).toEqual(['/2']);
	});

	it('a start that it has put out, which fails then', async () => {
		const kept = new Set<string>();
		const page = { skipOpened: true, maxAttempts: 1 };
		await crawlSite(site, { maxDepth: 2, maxPages: 2 }, page, kept);
		const { urls, errors } = await crawlSite({ '/': lost }, { maxDepth: 2 }, page, kept);
		expect([urls, errors.length]).toEqual([[], 1]);
	});

	it('all pages that led to one address alike', async () => {
		const kept = new Set<string>();
		const paths = ['/1', '/2', '/3'];
		const leading = Object.fromEntries(paths.map((path) => [path, redirect('/captcha')]));
		const start = { '/': links(...paths) };
		await crawlSite({ ...start, ...leading }, {}, { skipOpened: true }, kept);
		const { urls } = await crawlSite(start, {}, { skipOpened: true }, kept);
		expect(urls).toEqual(paths);
	});
});

describe('what redirects lead to', () => {
	const captcha = (count: number) => {
		const paths = Array.from({ length: count }, (_none, page) => `/${page + 1}`);
		const leading = paths.map((path) => [path, redirect('/captcha')] as const);
		return { '/': links(...paths), ...Object.fromEntries(leading) };
	};
	const duplicates = (count: number) =>
		`Left out, because they are pages that were opened under other addresses: ${count}.`;
	const misled = expect.stringMatching(
		/^Left out, because they redirect to other sites.*: 1\.$/,
	) as unknown as string;

	it.each<
		[string, Readonly<Record<string, FakeAnswer>>, Partial<CrawlRequest>, string[], string[]]
	>([
		[
			'is told where three pages lead where no link does',
			captcha(3),
			{},
			['/', '/1'],
			[ALL(3), duplicates(2), LED_ASTRAY(3)],
		],
		['is not told of two', captcha(2), {}, ['/', '/1'], [ALL(2), duplicates(1)]],
		[
			'is not told where a link leads there as well',
			{ ...captcha(3), '/': links('/1', '/2', '/3', '/captcha') },
			{},
			['/', '/1'],
			[ALL(4), duplicates(3)],
		],
		[
			'is left out where it is no page of the site',
			{ '/': links('/1', '/2'), '/1': redirect('http://b.example/1') },
			{ sameSite: true },
			['/', '/2'],
			[ALL(2), misled],
		],
		[
			'is left out where robots.txt forbids it',
			{
				'/': links('/1', '/2'),
				'/1': redirect('/no'),
				'/robots.txt': robots('User-agent: *\nDisallow: /no'),
			},
			{},
			['/', '/2'],
			[ALL(2), misled],
		],
		[
			'is opened where a start leads to what robots.txt forbids',
			{
				'/': redirect('/no/1'),
				'/no/1': links('/2'),
				'/robots.txt': robots('User-agent: *\nDisallow: /no'),
			},
			{},
			['/', '/2'],
			[ALL(1)],
		],
		[
			'is the site where a start leads to another host',
			{
				'/': redirect('http://b.example/'),
				'http://b.example/': links('/1', `${SITE}/2`, 'http://c.example/3'),
			},
			{ sameSite: true },
			['/', 'http://b.example/1', '/2'],
			[ALL(2)],
		],
	])('%s', async (_what, pages, changes, expected, hints) => {
		const run = await crawlSite(pages, changes);
		expect(run.urls).toEqual(expected);
		expect(run.hints.slice(1)).toEqual(hints);
	});
});

it('pages that name one address as their own come out once, and their links are followed in any case', async () => {
	const canonical = `<link rel="canonical" href="${SITE}/1">`;
	const { urls, hints } = await crawlSite(
		{
			'/': links('/1', '/2', '/3'),
			'/1': html(canonical),
			'/2': html(`${canonical}<a href=/4>x</a>`),
			'/3': html(canonical.replace('/1', '/')),
		},
		{ maxDepth: 2 },
	);
	expect(urls).toEqual(['/', '/1', '/3', '/4']);
	expect(hints).toContain(
		'Left out, because they are pages that were opened under other addresses: 1.',
	);
});

it.each([
	['fails where none came', {}, ['/2'], 1],
	['does not fail where one came that was left out', { '/1': redirect('/3') }, ['/2'], 0],
])('a crawl of which all pages fail that come out %s', async (_what, more, urls, failed) => {
	const pages = {
		'/sitemap.xml': urlset('/1', '/2'),
		'/2': { status: 404 },
		'/1': { status: 404 },
		...more,
	};
	const run = await crawlSite(pages, { ...sitemap, except: ['*/3'] });
	expect([run.urls, run.errors.length]).toEqual([urls, failed]);
});

it('a sitemap that is none came, but is not as wanted', async () => {
	const { hints } = await crawlSite({ '/sitemap.xml': html('<p>Welcome</p>') }, sitemap);
	expect(hints[0]).toContain('Not opened: 1 not as wanted.');
});

it.each<[string, Parameters<typeof robotsOf>[0]['outcome'], number | undefined, boolean]>([
	['a page that is missing', 'status', 404, true],
	['a request that is none', 'status', 400, true],
	['a refusal', 'blocked', 403, true],
	['the last status of that kind', 'status', 499, true],
	['a server in trouble', 'status', 500, false],
	['redirects to nowhere', 'status', 302, false],
	['a captcha', 'blocked', 200, false],
	['a proxy that failed', 'proxyFailed', 404, false],
	['no answer', 'timeout', undefined, false],
])(
	'a robots.txt in place of which comes %s: %s %s allows links: %s',
	(_what, outcome, statusCode, isAllowed) => {
		const error = new Error('why');
		const result = { url: `${SITE}/robots.txt`, attempts: [], outcome, statusCode, error };
		const { allows, failure, sitemaps } = robotsOf(result, '');
		expect([allows(`${SITE}/page`), failure]).toEqual([isAllowed, isAllowed ? undefined : error]);
		expect(sitemaps).toEqual([]);
	},
);
