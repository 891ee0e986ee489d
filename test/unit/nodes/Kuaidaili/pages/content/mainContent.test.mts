import assert from 'node:assert';

import type { AnyNode } from 'domhandler';

import {
	mainContentOf,
	readContent,
} from '../../../../../../nodes/Kuaidaili/pages/content/mainContent.ts';
import { findShownNodes } from '../../../../../../nodes/Kuaidaili/pages/content/shownNodes.ts';
import { childrenOf, isTextNode } from '../../../../../../nodes/Kuaidaili/pages/content/tree.ts';
import { CHINESE_NOTICES } from './chineseNotices.mts';
import { pageOf, pause } from './pages.mts';
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

	it.each(CHINESE_NOTICES.map((notice) => [notice.layout, notice] as const))(
		'in %s, no sentence is lost',
		async (layout, { html, sentences: all }) => {
			const { text } = await keptOf(html);
			expect(all.filter((sentence) => !text.includes(sentence))).toEqual([]);
			if (!WITH_MORE.has(layout)) expect(text.match(/[A-Z]{3,}/g)).toBeNull();
		},
	);
});
