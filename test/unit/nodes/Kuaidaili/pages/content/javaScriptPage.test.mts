import {
	beginsWithText,
	describeJavaScriptPage,
} from '../../../../../../nodes/Kuaidaili/pages/content/javaScriptPage.ts';
import { expectInProportion } from '../../../../support/growth.mts';
import { shownBeginningOf } from '../../../../../../nodes/Kuaidaili/pages/content/shownNodes.ts';
import { pageOf, pause } from './pages.mts';

async function offerOf(html: string): Promise<string | undefined> {
	const { document } = await pageOf(html);
	return await describeJavaScriptPage(document, URL, pause);
}

const URL = 'https://shop.example/list';
const ROOT = '<div id="root"></div>';
const SCRIPT = '<script src="/main.js"></script>';
const LONG = 'The shop has lamps of all kinds, and they are all on sale today. '.repeat(4);

function page(body: string, head = ''): string {
	return `<!doctype html><html><head><title>${LONG}</title><style>${LONG}</style>${head}</head><body>${body}</body></html>`;
}

it.each<[string, string, string]>([
	[
		'JSON of a framework',
		page(
			`<main id=app></main><script id="__NEXT_DATA__" type="application/json">{"a":"${LONG}"}</script>`,
		),
		"JSON in script#__NEXT_DATA__, which 'Fields' can pick",
	],
	[
		'JSON for search engines, and a feed',
		page(
			`${ROOT}<SCRIPT type="application/ld+json">{"a":"${LONG}"}</SCRIPT>`,
			'<link rel="alternate" type="application/rss+xml" href="/feed.xml">',
		),
		`JSON in script[type="application/ld+json"], which 'Fields' can pick; a feed at https://shop.example/feed.xml`,
	],
	[
		'a file',
		page(`${ROOT}<script>load("/manifest.json", "/data/list.json")</script>`),
		'an address of data, https://shop.example/data/list.json',
	],
	[
		'a script that goes on',
		'<html><head><script>window.location.href="/here";</script></head><body></body></html>',
		'a script that goes on to https://shop.example/here',
	],
	[
		'a script that puts another page in its place',
		'<script>location.replace( `https://b.example/` )</script>',
		'a script that goes on to https://b.example/',
	],
	[
		'a script that sets the location by a relative address',
		page(`<script>setTimeout(function(){ window.location = 'next?p=2' }, 1)</script>`),
		'a script that goes on to https://shop.example/next?p=2',
	],
	[
		'a frame for readers without scripts, and a text that waits',
		page(`${SCRIPT}<noscript><iframe src="/count"></iframe></noscript><p>Loading…</p>`),
		'no data that this node knows',
	],
	[
		'an element of Angular, and links to no feed',
		page(
			`<app-root></app-root>${SCRIPT}<a type="application/rss+xml" href="/a">Feed</a>`,
			'<link rel="stylesheet" href="/a.css">',
		),
		'no data that this node knows',
	],
	[
		'a few words beside the element that a script fills',
		page(`<h1>The lamps of our shop</h1>${ROOT}<img src="/a.png">${SCRIPT}`),
		'no data that this node knows',
	],
	[
		'several addresses, of which the first ones count',
		page(
			`${ROOT}<script>window.__A_STATE__ = 1; window.__B_STATE__ = 2; load("/a.png", "/api/a", "/api/b")</script><script>window.__C_STATE__ = 3; load("/api/c")</script>`,
		),
		'data in a script, behind window.__A_STATE__; an address of data, https://shop.example/api/a',
	],
	[
		'a Chinese noscript',
		page(`<p>本店所有灯具今日特价</p><noscript>请启用脚本</noscript>${SCRIPT}`),
		'no data that this node knows',
	],
])('names what a page that only JavaScript fills has: %s', async (_what, html, offer) => {
	expect(await offerOf(html)).toBe(offer);
	expect(beginsWithText(html)).toBe(false);
});

it.each([
	['text', page(`<div id="root"><p>${LONG}</p></div>${SCRIPT}`)],
	['text beside a noscript', page(`<noscript>JavaScript</noscript>${SCRIPT}<p>${LONG}</p>`)],
	['no scripts', page(ROOT)],
	[
		'its words for readers without scripts',
		page(`${ROOT}${SCRIPT}<noscript>JavaScript ${LONG}</noscript>`),
	],
	['scripts, but nothing that they fill', page(`<p>Thank you.</p>${SCRIPT}`)],
	[
		'posts for readers without scripts, as forums have them',
		page(`<div id="app"></div>${SCRIPT}<noscript><div>${LONG}</div></noscript>`),
	],
	['a picture, and a script that counts', page(`<img src="/a.png">${SCRIPT}`)],
	['a frame, and a script', page(`<iframe src="/a"></iframe>${SCRIPT}`)],
	['a form, and a script', page(`<form><input name="q"></form>${SCRIPT}`)],
	[
		'words, and a script that goes on when somebody asks for it',
		page(
			`<p>Thank you, your order is on its way.</p><script>b.onclick = () => { location.href = "/x" }</script>`,
		),
	],
	['a few words, and a script', page(`<h1>The shop is closed today</h1>${SCRIPT}`)],
	['nothing', ''],
])('says nothing of a page with %s', async (_what, html) => {
	expect(await offerOf(html)).toBeUndefined();
});

it.each([
	['a paragraph', `<p>${LONG}`],
	['what stands behind scripts', `${SCRIPT.repeat(500)}<p>${LONG}`],
	['what stands behind a dialog', `<dialog>${LONG}</dialog><p>${LONG}`],
])('tells by its first words that a page shows something: %s', (_what, body) => {
	expect(beginsWithText(page(body))).toBe(true);
});

it.each([
	['nothing', ''],
	['blanks', '<p>a</p>\n'.repeat(199)],
	...['script', 'template', 'noscript', 'dialog', 'textarea', 'svg'].map((name) => [
		name,
		`<${name}><b>${LONG}</b></${name}>`,
	]),
	['a popover', `<div popover><b>${LONG}</b></div>`],
])('does not tell so by %s', (_what, body) => {
	expect(beginsWithText(page(body))).toBe(false);
});

it.each(['<script', '<noscript>', '<div id=', '<link type="application/rss+xml"', '<', ' <!--'])(
	'takes time in proportion to a page of %s',
	async (part) => {
		await expectInProportion(50_000, async (size) => {
			const html = `${ROOT}${SCRIPT}${part.repeat(Math.floor(size / part.length))}`;
			await offerOf(html);
			beginsWithText(html);
		});
	},
);

it('reads the beginning of a page, and what it shows besides words', async () => {
	const { document } = await pageOf(
		'<p>One</p><p>two <b>th</b>ree</p><!-- no --><noscript>no<input></noscript><nav>four</nav><input><input type="Submit"><input type=hidden><textarea>no</textarea>',
	);
	const text = 'One two three four';
	const whole = { text, length: 15, isWhole: true, showsMore: true, fields: 2 };
	expect(await shownBeginningOf(document, 16, pause)).toEqual(whole);
	const part = { text: 'One', length: 3, isWhole: false, showsMore: false, fields: 0 };
	expect(await shownBeginningOf(document, 3, pause)).toEqual(part);
	const { document: long } = await pageOf('<p>words of it');
	expect(await shownBeginningOf(long, 3, pause)).toMatchObject({ text: 'words', length: 9 });
});
