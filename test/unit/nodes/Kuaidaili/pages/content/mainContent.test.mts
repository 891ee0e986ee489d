import assert from 'node:assert';

import type { AnyNode } from 'domhandler';

import { parseXmlPage } from '../../../../../../nodes/Kuaidaili/pages/content/html.ts';
import {
	mainContentOf,
	readContent,
} from '../../../../../../nodes/Kuaidaili/pages/content/mainContent.ts';
import { findShownNodes } from '../../../../../../nodes/Kuaidaili/pages/content/shownNodes.ts';
import { childrenOf, isTextNode } from '../../../../../../nodes/Kuaidaili/pages/content/tree.ts';
import { CHINESE_NOTICES } from './chineseNotices.mts';
import { pageOf, pause, SHOP } from './pages.mts';
import { expectInProportion } from '../../../../support/growth.mts';

const ENGLISH =
	'The harbor of the town was built in 1834, and its old cranes still stand along the northern quay.';
const CHINESE = '港口建于一八三四年，北岸的旧吊车至今仍在，每天清晨渔船从这里出发，傍晚满载而归。';

function sentences(count: number, text = ENGLISH): string[] {
	return Array.from({ length: count }, (_, index) => `${text} ${index}`);
}

function repeat(count: number, html: (index: number) => string): string {
	return Array.from({ length: count }, (_, index) => html(index)).join('\n');
}

/** Each word in capitals stands for a text that stays or goes. */
function page(body: string, head = ''): string {
	return `<!doctype html><html><head><title>T</title>${head}</head><body>${body}</body></html>`;
}

const DECLARED = '<meta property="og:type" content="article">';

/** As many sites have it, without any element that says what it is. */
const MENU = `<div class="top">${repeat(12, (n) => `<a href="/c/${n}">MENU ${n}</a>`)}</div>`;
const RELATED = `<div class="list-a">${repeat(8, (n) => `<p><a href="/n/${n}">RELATED news of the town ${n}</a></p>`)}</div>`;
const FOOTER =
	'<footer><p>FOOTER: all rights reserved, prices include tax, and so on and on.</p></footer>';

const PARAGRAPHS = sentences(8)
	.map((text) => `<p>${text}</p>`)
	.join('');

/** A short article, which only a page that says itself that it is one can have. */
const SHORT_ARTICLE = sentences(4)
	.map((text) => `<p>${text}</p>`)
	.join('');

const CHINESE_PARAGRAPHS = sentences(8, CHINESE)
	.map((text) => `<p>　　${text}</p>`)
	.join('');

async function keptOf(html: string) {
	const parsed = await pageOf(html);
	const { document } = parsed;
	const shown = await findShownNodes(document, pause);
	const main = await mainContentOf(parsed, shown, pause);
	const leftOut = new Set([...shown.leftOut, ...main.leftOut, ...main.titles]);
	const textOf = (node: AnyNode): string => {
		if (leftOut.has(node)) return '';
		return isTextNode(node) ? node.data : childrenOf(node).map(textOf).join(' ');
	};
	return { text: textOf(document).replace(/\s+/g, ' '), share: main.share };
}

/** In capitals. */
function marksIn(html: string): string[] {
	return [...new Set(html.replace(/<head>.*<\/head>|<[^>]*>/gs, ' ').match(/\b[A-Z]{3,}\b/g))];
}

describe('of an article', () => {
	it.each<[string, string, string[]]>([
		[
			'paragraphs',
			page(`${MENU}<div><h1>HEADLINE</h1>${PARAGRAPHS}</div>${RELATED}${FOOTER}`),
			['HEADLINE'],
		],
		[
			'lines in one element',
			page(`${MENU}<div id="text">${sentences(8).join('<br><br>\n')}</div>${RELATED}${FOOTER}`),
			[],
		],
		[
			'a table for the layout',
			page(
				`<table><tr><td>${MENU}</td></tr><tr><td width="150">${RELATED}</td><td>${PARAGRAPHS}</td></tr></table>${FOOTER}`,
			),
			[],
		],
		[
			'each paragraph in an element of its own',
			page(
				`${MENU}<div>${sentences(8)
					.map((text) => `<div class="block"><p>${text}</p></div>`)
					.join('')}</div>${RELATED}${FOOTER}`,
				DECLARED,
			),
			[],
		],
		[
			'lists, tables, code, and quotations of others',
			page(
				`${MENU}<article>${PARAGRAPHS}<ul><li><a href="https://a.example/">LIST</a></li></ul>
				<table><tr><td>TABLE</td></tr></table><pre>CODE</pre><h2><a href="#x">HEADING</a></h2>
				<div class="social-media-embed"><blockquote>QUOTE of somebody</blockquote></div></article>${RELATED}${FOOTER}`,
				DECLARED,
			),
			['LIST', 'TABLE', 'CODE', 'HEADING', 'QUOTE'],
		],
		[
			'comments and a newsletter around, but captions and who wrote it',
			page(
				`<main><p class="byline">BYLINE</p>${PARAGRAPHS}<figure><img src="a.jpg"><figcaption>CAPTION</figcaption></figure>
				<div class="newsletterBox"><p>NEWSLETTER: get the news of the harbor by mail, every morning.</p></div>
				<div id="comments">${repeat(5, (n) => `<div class="c"><b>SOMEBODY ${n}</b><p>${ENGLISH} COMMENT</p></div>`)}</div></main>${FOOTER}`,
				DECLARED,
			),
			['BYLINE', 'CAPTION'],
		],
		[
			'more teasers than text',
			page(
				`<main><div class="text">${PARAGRAPHS}</div><div class="more">${repeat(
					9,
					(n) => `<div class="t"><h3><a href="/${n}">TEASER</a></h3><p>${ENGLISH} TEASED</p></div>`,
				)}</div></main>${FOOTER}`,
				DECLARED,
			),
			[],
		],
		[
			'few words, and a mark',
			page(
				`${MENU}<div class="left"><p>ELSEWHERE, something long and with many words is said on this page, of other things.</p></div>
				<div class="share-page"><div itemprop="articleBody">${sentences(3).join('<br>')} ARTICLE</div></div>${RELATED}`,
			),
			['ARTICLE'],
		],
		[
			'names of places around its text, as old pages have them',
			page(
				`${MENU}<div>${sentences(8)
					.map((text, n) => `<p><a name="p${n}">${text}</a></p>`)
					.join('')}</div>${RELATED}${FOOTER}`,
			),
			[],
		],
		[
			'remarks of readers beside its text',
			page(
				`${MENU}<div class="all"><div class="text">${PARAGRAPHS}</div>${repeat(3, () => `<div class="r"><b>READER</b><p>${ENGLISH} REMARK</p></div>`)}</div>${FOOTER}`,
			),
			[],
		],
		[
			'news in Chinese without any mark',
			page(
				`${MENU}<div class="content"><div class="art_tit"><h1>标题</h1><span>来源：SOURCE</span></div><div class="art_txt">${CHINESE_PARAGRAPHS}</div>
				<div class="xgxw"><h3>相关新闻</h3><ul>${repeat(20, (n) => `<li><a href="/${n}.html">RELATED 港口新增航线，客流增长</a></li>`)}</ul></div></div>
				<div class="ph"><h3>热点</h3>${repeat(15, (n) => `<a href="/h${n}.html">HOT 今日热点新闻，点击查看</a><br>`)}</div>${FOOTER}`,
			),
			[],
		],
		[
			'WeChat, which hides the text until a script has run',
			page(
				`<div id="js_article"><div id="page-content"><div id="img-content"><h1 class="rich_media_title">标题</h1>
				<div id="meta_content"><span class="rich_media_meta">AUTHOR</span></div>
				<div class="rich_media_content" id="js_content" style="visibility: hidden;">${sentences(6, CHINESE)
					.map((text) => `<section><section><p><span>${text}</span></p></section></section>`)
					.join(
						'',
					)}</div></div></div></div><div class="qr_code_pc"><p>QRCODE 微信扫一扫，关注该公众号</p></div>`,
				DECLARED,
			),
			[],
		],
	])('with %s, everything else goes', async (_what, html, staying) => {
		const { text, share } = await keptOf(html);
		const isWhole = [...sentences(8), ...sentences(8, CHINESE)].filter((one) => html.includes(one));
		expect(isWhole.filter((one) => !text.includes(one))).toEqual([]);
		expect(marksIn(text)).toEqual(staying);
		expect(share).toBeGreaterThan(0.2);
		expect(share).toBeLessThan(0.95);
	});

	it('counts only what is left of the page', async () => {
		const html = page(`<div>${PARAGRAPHS}</div><aside>${PARAGRAPHS}</aside>`, DECLARED);
		const { share } = await keptOf(html);
		expect(share).toBeCloseTo(0.5, 2);
	});
});

/** Lists of records in one of several forms. */
const FORMS: ReadonlyArray<[string, (record: (index: number) => string) => string]> = [
	['divisions', (record) => repeat(6, (n) => `<div class="post">${record(n)}</div>`)],
	['a list', (record) => `<ul>${repeat(6, (n) => `<li id="p${n}">${record(n)}</li>`)}</ul>`],
	[
		'a table',
		(record) => `<table>${repeat(6, (n) => `<tr><td>CELL</td><td>${record(n)}</td></tr>`)}</table>`,
	],
	[
		'comments',
		(record) =>
			`<div id="comments">${repeat(6, (n) => `<div class="comment">${record(n)}</div>`)}</div>`,
	],
	['articles', (record) => repeat(6, (n) => `<article class="related">${record(n)}</article>`)],
];

const LONG = sentences(3).join(' ');

const RECORDS: ReadonlyArray<[string, (index: number) => string]> = [
	[
		'a forum',
		(n) =>
			`<div class="user">USER${'X'.repeat(n)}<br>Posts: 20</div><div class="comment-body"><p>${LONG} POST</p></div><div class="sig">SIGNATURE</div>`,
	],
	[
		'a forum in Chinese',
		() =>
			`<div class="authi">AUTHOR 发表于 2026-11-01</div><div class="t_f">${CHINESE.repeat(3)} POST</div>`,
	],
	[
		'questions and answers',
		() =>
			`<div class="votes">VOTES 20</div><p>${LONG} ANSWER</p><div class="comments"><div class="comment">${ENGLISH} REMARK</div></div>`,
	],
	[
		'results of a search',
		(n) => `<h3><a href="/${n}">TITLE</a></h3><cite>ADDRESS</cite><p>${LONG} SNIPPET</p>`,
	],
	[
		'a shop',
		(n) =>
			`<h3><a href="/${n}">PRODUCT</a></h3><span class="price">PRICE 5</span><p>DESCRIPTION</p>`,
	],
	['a changelog', () => `<h2>VERSION 5</h2><ul><li>CHANGE</li></ul>`],
];

describe.each(RECORDS)('of %s', (_what, record) => {
	it.each(FORMS)('in %s, everything but navigation and the like stays', async (_form, list) => {
		const content = `<div class="breadcrumbs"><a href="/">BREADCRUMB</a></div><h1>HEADING</h1><p>INTRODUCTION</p>${list(record)}<div class="pagination"><a href="?p=2">NEXT</a></div>`;
		const html = page(
			`<header>HEADER</header><nav>NAVIGATION</nav><div class="wrapper">${content}</div><aside>ASIDE</aside>${FOOTER}`,
		);
		const { text } = await keptOf(html);
		expect(marksIn(text)).toEqual(marksIn(content));
	});
});

it.each<[string, string]>([
	[
		'a product',
		`<div class="breadcrumbs">CRUMB</div><h1>NAME</h1><div class="description"><p>${ENGLISH}</p></div><table class="specs"><tr><th>PROPERTY</th><td>VALUE</td></tr></table><div class="reviews">${repeat(4, () => `<div><b>CUSTOMER</b><p>${ENGLISH} REVIEW</p></div>`)}</div>`,
	],
	['a form', '<h1>WELCOME</h1><form><p><label>ADDRESS <input></label></p></form>'],
	['no text', ''],
])('keeps a page with %s', async (_what, content) => {
	const { text, share } = await keptOf(page(content));
	expect(marksIn(text)).toEqual(marksIn(content));
	expect(share).toBe(1);
});

it('keeps what is named like surroundings, and is the page', async () => {
	const html = page(`<header>${PARAGRAPHS}${PARAGRAPHS}</header><p>REST</p>`);
	expect((await keptOf(html)).text).toContain(ENGLISH);
	const sidebar = page(`<div class="sidebar">${PARAGRAPHS}</div><nav>MENU</nav>`, DECLARED);
	expect((await keptOf(sidebar)).text).toContain(`${ENGLISH} 7`);
});

it('counts nothing of what is hidden', async () => {
	const hidden = `<div hidden><p>${ENGLISH}</p></div>`;
	expect((await keptOf(page(`<div>${PARAGRAPHS}</div>${hidden}`, DECLARED))).share).toBe(1);
});

it('reads nothing of what is left out anyway', async () => {
	const parsed = await pageOf(page(`<div class="text">${PARAGRAPHS}</div>`, DECLARED));
	const { share } = await readContent(parsed, ['.text'], true, pause);
	expect(share).toBe(1);
});

it('lets others run after each element, and takes time in proportion to the page', async () => {
	const nested = `${'<div class="related a-b-c">'.repeat(240)}${PARAGRAPHS}`;
	const pageWith = async (count: number) => {
		const part = (n: number) =>
			`<div class="post share-${n}"><b>A</b><p>${ENGLISH} <a href="/">B</a></p></div>`;
		return await pageOf(page(repeat(count, part) + nested, DECLARED));
	};
	const pages = new Map([
		[4000, await pageWith(4000)],
		[16_000, await pageWith(16_000)],
	]);
	await expectInProportion(4000, async (count) => {
		let pauses = 0;
		const parsed = pages.get(count);
		assert(parsed);
		await readContent(parsed, [], true, async () => void (pauses += 1));
		expect(pauses).toBeGreaterThanOrEqual(20 * count);
	});
});

const SHORT_REPLIES = repeat(
	5,
	(n) =>
		`<div class="post"><div class="user">READER ${n}</div><div><p>谢谢楼主分享，学习了，REPLY。</p></div></div>`,
);

it('keeps short answers to a long first post', async () => {
	const posts = `<div class="post first"><div class="user">AUTHOR</div><div>${CHINESE_PARAGRAPHS}</div></div>${SHORT_REPLIES}`;
	const { text } = await keptOf(page(`<nav>MENU</nav><div class="thread">${posts}</div>${FOOTER}`));
	expect(marksIn(text)).toEqual(['AUTHOR', 'READER', 'REPLY']);
});

it.each([
	['<meta property="og:type" content="product.item">', ''],
	['<script type="application/ld+json">{"@type": "Product"}</script>', ''],
	['', ' itemscope itemtype="https://schema.org/Product"'],
])('keeps price and data of what is sold (%s%s)', async (head, type) => {
	const content = `<div${type}><h1>NAME</h1><div class="price">PRICE 3999</div><ul><li>BATTERY</li></ul><div class="text">${PARAGRAPHS}</div><table><tr><th>MEMORY<td>12</table></div>`;
	const { text } = await keptOf(page(`<nav>MENU</nav>${content}${FOOTER}`, head));
	expect(marksIn(text)).toEqual(['NAME', 'PRICE', 'BATTERY', 'MEMORY']);
});

it('leaves out of what is sold what is named a surrounding, unless that is most of it', async () => {
	const head = '<meta property="og:type" content="product">';
	const around = `<div class="breadcrumbs">CRUMBS</div><div class="newsletter"><p>LETTERS of the shop</p></div><div class="related-products"><p>OTHERS</p></div>`;
	const goods = `<div class="goods"><h1>NAME</h1><b>PRICE 12</b><p>${ENGLISH}</p></div>`;
	const { text, share } = await keptOf(page(around + goods, head));
	expect(marksIn(text)).toEqual(['NAME', 'PRICE']);
	expect(share).toBeLessThan(1);
	const boxes = repeat(4, () => `<div class="related-box"><p>${ENGLISH}</p></div>`);
	const named = `<div class="sidebar-wrap"><h1>NAME</h1><b>PRICE 12</b></div>${boxes}<p>REST</p>`;
	expect(marksIn((await keptOf(page(named, head))).text)).toEqual(['NAME', 'PRICE', 'REST']);
});

it.each([
	['a header of the page', `<main><header>${PARAGRAPHS}</header></main>`],
	[
		'boxes of a page builder',
		sentences(8)
			.map((text) => `<div class="elementor-widget widget_text so-panel"><p>${text}</p></div>`)
			.join(''),
	],
	['a part that React sends late', `<div id="B"></div><div hidden id="S:1f">${PARAGRAPHS}</div>`],
	[
		'markup for readers without scripts',
		`<noscript><header>HEADER</header><div class="post">${PARAGRAPHS}</div><footer>FOOTER</footer></noscript>`,
	],
])('keeps an article in %s', async (_what, content) => {
	const { text } = await keptOf(page(`<nav>MENU</nav>${content}${FOOTER}`, DECLARED));
	for (const sentence of sentences(8)) expect(text).toContain(sentence);
	expect(marksIn(text)).toEqual([]);
});

it('leaves out a dialog about cookies that is longer than the article', async () => {
	const dialog = `<div role="dialog">${PARAGRAPHS.repeat(2).replaceAll('harbor', 'COOKIE')}</div>`;
	const { text } = await keptOf(page(`<div>${PARAGRAPHS}</div>${dialog}`, DECLARED));
	expect(text).toContain(`${ENGLISH} 7`);
	expect(marksIn(text)).toEqual([]);
});

it('keeps an article that is hidden until a script runs', async () => {
	const html = page(
		`<nav>${'MENU '.repeat(200)}</nav><div style="visibility:hidden">${PARAGRAPHS}</div><div style="display:none">CONSENT</div><p>REST of the page</p>`,
	);
	const { text } = await keptOf(html);
	expect(text).toContain(`${ENGLISH} 7`);
	expect(text).not.toContain('MENU');
});

it('leaves out the small things around an article that each template has', async () => {
	const html = page(
		`<div class="bc"><a href="/">CRUMB</a> &gt; <a href="/c">CRUMB</a></div><article>
		<h1>The old harbor</h1><p class="byline">By BYLINE</p><time>DATE</time>
		<div class="post-tags"><a href="/t/1">TAG</a></div><div class="share">SHARE <a href="/s">TWEET</a></div>
		${PARAGRAPHS}<p>Advertisement</p><figure><img src="a.jpg" alt=""><figcaption class="caption">CAPTION</figcaption></figure>
		<h3>POPULAR</h3><ul class="pop">${repeat(4, (n) => `<li><a href="/p/${n}">POPULAR ${n}</a></li>`)}</ul>
		<form><h3>REPLY</h3><p>COMMENT: your address will not be published, and all fields are required here.</p><textarea></textarea></form>
		</article>${FOOTER}`,
		DECLARED,
	).replace('<title>T', '<title>The old harbor - News of the town');
	const { text } = await keptOf(html);
	expect(marksIn(text)).toEqual(['BYLINE', 'DATE', 'CAPTION']);
	expect(text).not.toMatch(/Advertisement|old harbor(?! - News)/);
});

it.each([
	['sections', '<section><h2>The stem</h2>', '</section>'],
	['a part with questions', '<div class="faq"><div><h2>Your questions</h2></div>', '</div>'],
])('keeps the smaller parts of an article: %s', async (_what, start, end) => {
	const other = `${start}${sentences(4, ENGLISH.replace('harbor', 'market'))
		.map((text) => `<p>${text}</p>`)
		.join('')}${end}`;
	const html = page(
		`<header>HEADER</header><article><h1>Plants</h1><div class="body">${PARAGRAPHS}${PARAGRAPHS}</div>${other}</article>${RELATED}${FOOTER}`,
		DECLARED,
	);
	const { text } = await keptOf(html);
	expect(text).toContain('market');
	expect(marksIn(text)).toEqual([]);
});

it('keeps all of a page of which an article would be hardly anything', async () => {
	const records = repeat(400, (n) => `<tr><td>ROW ${n}</td><td>${'value '.repeat(12)}</td></tr>`);
	const html = page(
		`<article>${sentences(3).join(' ')}</article><table>${records}</table>`,
		DECLARED,
	);
	const { text, share } = await keptOf(html);
	expect(share).toBe(1);
	expect(marksIn(text)).toEqual(['ROW']);
});

describe('of a short text in Chinese', () => {
	/** In layouts that give no sign of it, something around it stays: a line of the editors, or the whole page. */
	const WITH_MORE = new Set([
		'news of a paper',
		'a hospital with its departments',
		'comments of readers',
		'two columns of news around',
	]);

	it.each<[string, string, string[]]>([
		['its title above it', '<h1>港口的旧吊车</h1>', []],
		['another title above it', '<h1>通知公告</h1>', ['MENU']],
		['no title above it', '', ['MENU']],
	])('with %s, the menu goes or stays', async (_what, heading, left) => {
		const text = sentences(3, CHINESE).map((one) => `<p>${one}</p>`);
		const html = page(`${MENU}<div>${heading}${text.join('')}</div>`);
		const kept = await keptOf(html.replace('<title>T', '<title>港口的旧吊车'));
		expect(marksIn(kept.text)).toEqual(left);
		const english = page(`${MENU}<div><h1>The harbor</h1>${SHORT_ARTICLE}</div>`);
		const { text: inEnglish } = await keptOf(english.replace('<title>T', '<title>The harbor'));
		expect(marksIn(inEnglish)).toEqual(['MENU']);
	});

	it.each(CHINESE_NOTICES.map((notice) => [notice.layout, notice] as const))(
		'in %s, no sentence is lost',
		async (layout, { html, sentences: all }) => {
			const { text } = await keptOf(html);
			expect(all.filter((sentence) => !text.includes(sentence))).toEqual([]);
			if (!WITH_MORE.has(layout)) expect(text.match(/[A-Z]{3,}/g)).toBeNull();
		},
	);
});

it.each([
	[
		'words without any mark',
		'<p>OTHER words of a long list that has no sentence in it and no end</p>',
	],
	['labels with marks', '<p>OTHER, short.</p><p>And, short.</p><p>Or, short.</p>'],
	[
		'texts with longer links',
		'<p>OTHER things of the town that are told here, and more: <a href="/a">all that stands behind this link of so many words, and more</a></p>',
	],
	['headings', '<h3>OTHER headings of the town, each of which is longer than any label is.</h3>'],
	['paragraphs in headings', `<h3><p>OTHER: ${ENGLISH}</p></h3>`],
])('finds a short article beside more text in %s', async (_what, part) => {
	const html = page(
		`<div>${SHORT_ARTICLE}</div><div>${repeat(15, () => `<div>${part}</div>`)}</div>`,
		DECLARED,
	);
	const { text } = await keptOf(html);
	expect(text).toContain(`${ENGLISH} 3`);
	expect(marksIn(text)).toEqual([]);
});

it.each([
	['blanks', ' '.repeat(2000)],
	['line ends and tabs', '\n\t\t'.repeat(700)],
	['blanks that do not break', '&nbsp;'.repeat(2000)],
	['blanks of Chinese', '　'.repeat(2000)],
	['blanks between elements', ' <i> </i>'.repeat(700)],
])('counts %s as one blank at most', async (_what, space) => {
	const shareWith = async (between: string) =>
		(await keptOf(page(`<div>${PARAGRAPHS}</div><p>One${between}two</p>`))).share;
	expect(await shareWith(space)).toBeCloseTo(await shareWith(' '), 3);
});

it.each<[string, string, string[]]>([
	['<meta property="og:type" content="Article">', '', []],
	['<script type="application/ld+json">{"@type": "NewsArticle"}</script>', '', []],
	['<script type="application/ld+json">{"@type":"BlogPosting"}</script>', '', []],
	['', ' itemprop="text articleBody"', []],
	['<meta property="og:type" content="website">', '', ['MENU']],
	['<meta property="og:section" content="article">', '', ['MENU']],
	['<meta name="type" content="article">', '', ['MENU']],
	['<script type="application/ld+json">{"@type": "WebPage"}</script>', '', ['MENU']],
	['<script type="application/json">{"@type": "Article"}</script>', '', ['MENU']],
	['<script>track({"@type": "Article"})</script>', '', ['MENU']],
	['', ' itemprop="description"', ['MENU']],
	['', ' type="application/ld+json" title="Article"', ['MENU']],
])('believes that a page is an article by %s%s: %j is left', async (head, attribute, left) => {
	const html = page(`${MENU}<div${attribute}>${SHORT_ARTICLE}{"@type":"Article"}</div>`, head);
	expect(marksIn((await keptOf(html)).text)).toEqual(left);
});

it.each<[string, string]>([
	['<meta property="product:name" content="product">', ''],
	['<meta property="og:type" content="article">', ' itemprop="itemOffered"'],
	['<script>track({"@type": "Product"})</script>', ''],
	['<script type="application/ld+json">{"@type": "ProductCollection"}</script>', ''],
	['', ' itemtype="https://schema.org/ProductModel"'],
])('takes no article for something that is sold by %s%s', async (head, attribute) => {
	const html = page(`${MENU}<div${attribute}>${PARAGRAPHS}</div>`, head);
	expect(marksIn((await keptOf(html)).text)).toEqual([]);
});

/** Parts that look alike, each with what stands beside its text. */
const partsOf = (count: number, beside: (index: number) => string, start = '<div class="part">') =>
	repeat(count, (n) => `${start}<p>${LONG}</p>${beside(n)}</div>`);

it.each<[string, string, string[]]>([
	['each with a heading', partsOf(4, (n) => `<h2>The quay with the number ${n}</h2>`), []],
	['each with a list', partsOf(4, () => '<ul><li>a crane of iron</li></ul>'), []],
	[
		'each with what a class calls something',
		partsOf(4, () => '<ul class="x"><li>DATA of it</li></ul>'),
		['MENU', 'DATA'],
	],
	[
		'each with what an ID calls something',
		partsOf(4, () => '<ul id="x"><li>DATA of it</li></ul>'),
		['MENU', 'DATA'],
	],
	['each with somebody', partsOf(3, (n) => `<div>READER ${n}</div>`), ['MENU', 'READER']],
	['two, each with somebody', partsOf(2, (n) => `<div>EDITOR ${n}</div>`) + PARAGRAPHS, ['EDITOR']],
	[
		'most of them without more',
		partsOf(3, () => '<div>EDITOR</div>') + partsOf(5, () => '<br>'),
		['EDITOR'],
	],
	[
		'in one line each',
		repeat(5, (n) => `<div class="line">${LONG} <b>LINE</b> ${n} <a href="/">MORE</a></div>`),
		['LINE', 'MORE'],
	],
	[
		'with labels between that look alike',
		partsOf(3, () => '<div>READER</div>') + repeat(4, () => '<div class="part">LABEL</div>'),
		['MENU', 'READER', 'LABEL'],
	],
	[
		'two of them with a text',
		partsOf(2, () => `<div>EDITOR</div><p>${ENGLISH}</p>`) +
			repeat(3, () => '<div class="part"><div>LABEL</div></div>'),
		['EDITOR', 'LABEL'],
	],
	[
		'with classes of their own',
		['text wide', 'picture wide', 'quote wide']
			.map((name) => partsOf(1, () => '<div>EDITOR</div>', `<div class="${name}">`))
			.join(''),
		['EDITOR'],
	],
	[
		'with classes of their own behind one of all',
		['part a', 'part b', 'part c']
			.map((name) => partsOf(1, () => '<div>READER</div>', `<div class="${name}">`))
			.join(''),
		['MENU', 'READER'],
	],
])('tells an article in parts from a list of records: parts %s', async (_what, parts, left) => {
	const { text } = await keptOf(page(`${MENU}<div class="all">${parts}</div>`));
	expect(marksIn(text)).toEqual(left);
});

it('keeps of what stands beside an article only its sections', async () => {
	const section = (inside: string) => `<div class="s">${inside}</div>`;
	const text = sentences(3)
		.map((one) => `<p>${one}</p>`)
		.join('');
	const linked = `<p>${ENGLISH} <a href="/l">LINKED words behind which something else stands, and more of them</a></p>`;
	const beside = [
		`<a id="s"></a><h2>FIRST</h2>${text}`,
		`<div><div><h3>SECOND</h3></div></div>${text}`,
		`<p>UNHEADED</p>${text}`,
		`${text}<h2>LATE</h2>${text}`,
		`<h2>SHORT</h2><p>${ENGLISH}</p>`,
		`<h2>REVIEWS</h2>${repeat(4, (n) => `<div class="r"><b>READER ${n}</b><p>${ENGLISH}</p></div>`)}`,
		`<h2>LINKS</h2>${linked.repeat(3)}`,
		`<a href="/c"><div><h3>CARD</h3></div></a>${text}`,
	];
	const around = `<div class="all"><div class="text">${sentences(80)
		.map((one) => `<p>${one}</p>`)
		.join(
			'',
		)}</div>${beside.map(section).join('')}</div><div class="s"><h2>OUTER</h2>${text}</div>`;
	for (const name of ['main', 'article']) {
		const { text: kept } = await keptOf(page(`${MENU}<${name}>${around}</${name}>`, DECLARED));
		expect(marksIn(kept)).toEqual(['FIRST', 'SECOND', 'OUTER']);
	}
	// Nothing says that they belong together
	const { text: kept } = await keptOf(page(`${MENU}<div>${around}</div>`, DECLARED));
	expect(marksIn(kept)).toEqual([]);
});

it('leaves out of an article only what interrupts it', async () => {
	const link = (words: string) => `<a href="/x">${words}</a>`;
	const html = page(
		`<article><div class="x">${link('FIRST')}</div>${PARAGRAPHS}
		<form class="poll"><h3>QUESTIONS</h3>${sentences(4).map((text) => `<p>${text}</p>`)}</form>
		<form><p>SIGNUP: ${ENGLISH}</p></form>
		<p>Read ${link('PARTLY linked words of it')}, too</p><p>${link('WHOLLY')}</p>
		<div class="more">Read ${link('BOXED words of others')}</div><span>${link('INLINE')}</span>
		<h3>${link('HEADED')}</h3><h3>MORE</h3>
		<div class="x">${link('UNDER')}</div><h3>KEPT</h3>and words<div class="x">${link('BELOW')}</div>
		<ul class="steps"><li>${link('STEP')}</li><li>and what is to be done behind it</li></ul>
		<ul><li>${link('WRITTEN')}</li></ul><ul class="x"><li>${link('LISTED')}</li></ul>
		<table><tr><td>${link('CELL')}</td><td>of a table</td></tr></table>
		<div class="box"><p>BOX: ${ENGLISH}</p><div>${link('INSIDE')}</div></div></article>`,
		DECLARED,
	);
	expect(marksIn((await keptOf(html)).text)).toEqual([
		...['QUESTIONS', 'PARTLY', 'INLINE', 'HEADED', 'KEPT', 'STEP', 'WRITTEN', 'CELL', 'BOX'],
	]);
});

it('leaves out labels, and no text that is called so', async () => {
	const html = page(
		`<article>${PARAGRAPHS}<div class="tags">TAG</div><div class="nav-box"><div>NAVIGATION</div></div>
		<div class="meta">META: a sentence, however short it is.</div>
		<div class="tools">TOOLS ${'that are named without any end '.repeat(4)}</div>
		<div class="widget"><div><h2>WIDGET</h2></div></div><div class="share">SHARE ${`<a href="/">of many a word </a>`.repeat(9)}</div>
		<div>Advertisement</div><p><b>Sponsored</b> content</p><p>Advertisement of PENS</p><p>Not an <i>advertisement</i> of CUPS</p></article>`,
		DECLARED,
	);
	const { text } = await keptOf(html);
	expect(marksIn(text)).toEqual(['META', 'TOOLS', 'WIDGET', 'PENS', 'CUPS']);
	expect(text).not.toMatch(/Advertisement(?! of)|Sponsored/);
	expect(text).toContain('an advertisement of');
});

it('leaves out the headings right above what is left out, also of what React sends late', async () => {
	const links = '<div class="x"><a href="/1">LINKED</a></div>';
	const late = `${links}<h3>FAR</h3><p>${ENGLISH}</p><h4>NEAR</h4>${links}<p>${ENGLISH}</p>`;
	const html = page(
		`<article>${PARAGRAPHS}<h3>WORDED</h3>words${links}<h1>FIRST</h1>${links}<h3>ABOVE</h3><template id="P:1"></template></article><div hidden id="S:1">${late}</div>`,
		DECLARED,
	);
	expect(marksIn((await keptOf(html)).text)).toEqual(['WORDED', 'FIRST', 'FAR']);
});

it('keeps the texts of pictures, and none of others that are called so', async () => {
	const html = page(
		`<article>${PARAGRAPHS}<figure><img src="a.jpg"><div class="caption">CAPTION</div></figure>
		<div><img src="b.jpg"><figcaption class="credits">CREDITS</figcaption></div>
		<div class="caption">OTHER</div><div class="social-quote">QUOTE</div></article>`,
		DECLARED,
	);
	expect(marksIn((await keptOf(html)).text)).toEqual(['CAPTION', 'CREDITS', 'QUOTE']);
});

it.each<[string, string, string[]]>([
	[
		'one of a surrounding',
		`<aside><div itemprop="articleBody">ASIDE ${SHORT_ARTICLE}</div></aside><div class="a">ARTICLE ${PARAGRAPHS}</div><p>${ENGLISH} REST</p>`,
		['ARTICLE'],
	],
	[
		'one with little of it',
		`<div itemprop="articleBody">TEASER ${SHORT_ARTICLE}</div><div class="a">ARTICLE ${PARAGRAPHS.repeat(4)}</div>`,
		['ARTICLE'],
	],
	[
		'one with too little for an article',
		`<div itemprop="articleBody">TEASER <p>${ENGLISH}</p></div><div class="a">ARTICLE ${SHORT_ARTICLE}</div>`,
		['ARTICLE'],
	],
	[
		'one with more beside it',
		`<div itemprop="articleBody">ARTICLE ${SHORT_ARTICLE}</div><div class="a">OTHER ${PARAGRAPHS}</div>`,
		['ARTICLE'],
	],
])('reads what a page calls the body of its article: %s', async (_what, body, left) => {
	expect(marksIn((await keptOf(page(MENU + body, DECLARED))).text)).toEqual(left);
});

it.each([
	['list', `<ul>${sentences(9).map((text) => `<li>${text}</li>`)}</ul>`],
	['quotation', `<blockquote>${PARAGRAPHS}</blockquote>`],
	['paragraph', `<p>${sentences(9).join('<br>')}</p>`],
])('keeps what stands around a long %s', async (_what, part) => {
	const { text } = await keptOf(page(`${MENU}<div><p>START</p>${part}<p>END</p></div>`, DECLARED));
	expect(marksIn(text)).toEqual(['START', 'END']);
});

it.each<[string, string, string[]]>([
	[
		'a longer article',
		`<header>HEADER ${PARAGRAPHS}</header><div>${PARAGRAPHS.repeat(2)}</div>`,
		[],
	],
	['hardly anything', `<header>HEADER ${SHORT_ARTICLE}</header><div>LABELS</div>`, ['LABELS']],
	[
		'less than itself',
		`<header>HEADER ${PARAGRAPHS}</header><div>${SHORT_ARTICLE}</div>`,
		['HEADER'],
	],
])('keeps a header only where it is the article: above %s', async (_what, body, left) => {
	expect(marksIn((await keptOf(page(body, DECLARED))).text)).toEqual(left);
});

it.each<[string, string, string[]]>([
	['HARBOR opens - News', '<h1>HARBOR opens</h1>', []],
	['HARBOR opens', '<h1><div>HARBOR <i>opens</i></div></h1>', []],
	['HARBOR opens', '<div><p>HARBOR</p><p>opens</p></div>', ['HARBOR']],
	['HARBOR opens soon', '<h1>HARBOR opens</h1>', ['HARBOR']],
	['News | HARBOR', '<h1>HARBOR</h1>', ['HARBOR']],
	['PIER', '<h1>PIER</h1>', ['PIER']],
	['HARBOR opens', `<p>${ENGLISH} <b>HARBOR opens</b></p>`, ['HARBOR']],
	['HARBOR', '<h1>HARBOR <a href="/">and more</a></h1>', ['HARBOR']],
])('of the page "%s", %s has %j left', async (title, heading, left) => {
	const html = page(`${MENU}<div>${heading}${PARAGRAPHS}</div>`, DECLARED);
	const { text } = await keptOf(html.replace('<title>T', `<title>${title}`));
	expect(marksIn(text)).toEqual(left);
});

it('finds the main content where that alone is wanted, and of HTML only', async () => {
	const html = page(`${MENU}<div><h1>The T</h1>${PARAGRAPHS}</div>`, DECLARED);
	const whole = await readContent(await pageOf(html), ['.top'], false, pause);
	expect([whole.share, whole.unwanted.size]).toEqual([undefined, 1]);
	expect((await readContent(await pageOf(html), [], true, pause)).share).toBeLessThan(1);
	const xml = await parseXmlPage(html.replace('<!doctype html>', ''), SHOP, pause);
	const ofXml = await readContent(xml, [], true, pause);
	expect([ofXml.share, ofXml.unwanted.size]).toEqual([undefined, 0]);
});
