import { readRobots } from '../../../../../../nodes/Kuaidaili/pages/crawl/robots.ts';

const SITE = 'https://example.com';

function robots(text: string, userAgent = '') {
	const { allows, sitemaps } = readRobots(text, `${SITE}/robots.txt`, userAgent);
	return { allows: (path: string) => allows(`${SITE}${path}`), sitemaps };
}

it.each([
	['/', true],
	['/private', false],
	['/private/page', false],
	['/privateer', false],
	['/Private', true],
	['/private/open', true],
	['/private/open/page', true],
])('keeps to the longest rule: %s', (path, isAllowed) => {
	const { allows } = robots(
		'User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /p',
	);
	expect(allows(path)).toBe(isAllowed);
});

// RFC 9309, 5.2
it('lets what allows go before what forbids as long', () => {
	const { allows } = robots('User-Agent: *\nDisallow: /page\nAllow: /page');
	expect(allows('/page')).toBe(true);
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
])('reads the groups of a program: %s, %s', (userAgent, path, isAllowed) => {
	const { allows } = robots(
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
	expect(allows(path)).toBe(isAllowed);
});

it('puts all groups of one program together, and reads sitemaps and unknown lines in between', () => {
	const { allows, sitemaps } = robots(
		'\uFEFFuser-agent: *\r\nSitemap: https://cdn.example.com/a.xml\r\nCrawl-delay: 5\r\ndisallow: /a # why\r\n\r\nuser-agent: x\ndisallow: /b\n\nUSER-AGENT : *\ndisallow: /c\nsitemap: /b.xml\nsitemap: http://',
	);
	expect(['/a', '/b', '/c'].map(allows)).toEqual([false, true, false]);
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
])('understands * and $: %s, %s', (pattern, path, isAllowed) => {
	expect(robots(`User-agent: *\nDisallow: ${pattern}`).allows(path)).toBe(isAllowed);
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
])('compares whatever is encoded: %s, %s', (pattern, path) => {
	expect(robots(`User-agent: *\nDisallow: ${pattern}`).allows(path)).toBe(false);
});

it.each([
	['nothing', ''],
	['no rules', 'User-agent: *\nDisallow:'],
	['rules of nobody', 'Disallow: /'],
	['a page of the site in place of it', '<!doctype html>\n<a href="https://a">Disallow: /</a>'],
])('forbids nothing where there is %s', (_what, text) => {
	expect(robots(text).allows('/page')).toBe(true);
});

it('takes no longer for a pattern that is made to', () => {
	const { allows } = robots(`User-agent: *\nDisallow: /${'*a'.repeat(5000)}b$`);
	const start = performance.now();
	expect(allows(`/${'a'.repeat(20_000)}`)).toBe(true);
	expect(performance.now() - start).toBeLessThan(1000);
});
