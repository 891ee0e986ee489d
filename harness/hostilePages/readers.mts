import { gzipSync } from 'node:zlib';

import { decodePage } from '../../nodes/Kuaidaili/pages/content/encoding.ts';
import { markdownOfXml } from '../../nodes/Kuaidaili/pages/content/feed.ts';
import { parseHtml, parseXmlPage } from '../../nodes/Kuaidaili/pages/content/html.ts';
import { describeJavaScriptPage } from '../../nodes/Kuaidaili/pages/content/javaScriptPage.ts';
import { readContent } from '../../nodes/Kuaidaili/pages/content/mainContent.ts';
import { markdownOf } from '../../nodes/Kuaidaili/pages/content/markdown.ts';
import { PageContent } from '../../nodes/Kuaidaili/pages/content/pageContent.ts';
import { numbersOfColumn } from '../../nodes/Kuaidaili/pages/content/numbers.ts';
import { linksOf, pickFields } from '../../nodes/Kuaidaili/pages/content/pickedFields.ts';
import { readJsonRows, readMarkupRows } from '../../nodes/Kuaidaili/pages/content/rows.ts';
import { structuredRowsOf } from '../../nodes/Kuaidaili/pages/content/structuredData.ts';
import { readRobots } from '../../nodes/Kuaidaili/pages/crawl/robots.ts';
import { readSitemap } from '../../nodes/Kuaidaili/pages/crawl/sitemap.ts';
import type { HttpAnswer } from '../../nodes/Kuaidaili/pages/http/httpAnswer.ts';
import { refreshIn } from '../../nodes/Kuaidaili/pages/http/refresh.ts';
import type { PageRequest } from '../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import { PageList } from '../../nodes/Kuaidaili/pages/run/pageList.ts';
import { wallOf } from '../../nodes/Kuaidaili/pages/run/walls.ts';
import { statusesOf } from '../../nodes/Kuaidaili/proxies/products/index.ts';
import { answerOfProxy, meaningOfAnswer } from '../../nodes/Kuaidaili/proxies/proxyStatuses.ts';
import { eventLoopYielder } from '../../nodes/shared/api/wait.ts';
import { excerpt } from '../../nodes/shared/api/cleanText.ts';
import { parseBody } from '../../nodes/shared/api/answer.ts';

/** A reader of foreign text. What it throws is not looked at: it only must not take long. */
export type TextReader = (text: string) => Promise<unknown> | unknown;

const URL = 'https://site.example/a';

/** The bytes of a text, made before its reader begins: a page comes as bytes, and in pieces. */
async function bytesOf(text: string): Promise<Buffer> {
	const bytes = Buffer.from(text);
	await new Promise(setImmediate);
	return bytes;
}

async function answerOf(
	text: string,
	headers: Readonly<Record<string, string>>,
): Promise<HttpAnswer> {
	const body = await bytesOf(text);
	return { kind: 'answer', status: 200, statusText: '', headers, body, source: 'page' };
}

async function contentOf(
	text: string,
	headers: Readonly<Record<string, string>>,
): Promise<PageContent> {
	return new PageContent(await answerOf(text, headers), URL);
}

const HTML = { 'content-type': 'text/html' };

const JSON_TYPE = { 'content-type': 'application/json' };

const pageOf = async (html: string) => await parseHtml(html, URL, eventLoopYielder());

const xmlPageOf = async (xml: string) => await parseXmlPage(xml, URL, eventLoopYielder());

const markdown = async (html: string) => await markdownOf(await pageOf(html), eventLoopYielder());

const COLUMN = { name: 'x', attribute: '', take: 'text' } as const;

/** A request as far as lists of pages ask for it. */
const LIST = { url: URL, nextPage: 'a.next', maxNextPages: 10, headers: {} } as const;

/** Readers of text that whoever serves a page, or stands in between, can choose. Each room adds its own. */
export const TEXT_READERS = {
	'Markdown of HTML': markdown,
	'Markdown of attributes': async (text) => {
		const value = text.replaceAll('"', '');
		return await markdown(
			`<a href="${value}" style="${value}"><img src="${value}" srcset="${value}" alt="${value}">`,
		);
	},
	'Markdown of XML': async (text) =>
		await markdownOfXml(await xmlPageOf(`<rss><item>${text}`), ['.ad'], eventLoopYielder()),
	'main content': async (text) => {
		const page = await pageOf(text);
		return await readContent(page, [], true, eventLoopYielder());
	},
	columns: async (text) => {
		const page = await pageOf(`<p>${text}`);
		const column = { ...COLUMN, selector: 'p', all: false };
		await pickFields(page, [column, { ...column, name: 'html', take: 'html' }]);
	},
	'all matches': async (text) =>
		await pickFields(await pageOf(text), [{ ...COLUMN, selector: '*', all: true }]),
	positions: async (text) => {
		const selector = ':nth-child(2n), :nth-last-of-type(3)';
		return await pickFields(await pageOf(text), [{ ...COLUMN, selector, all: true }]);
	},
	rows: async (text) => {
		const column = { ...COLUMN, selector: ':scope', all: false };
		const page = await pageOf(text);
		return await readMarkupRows(page, 'div, li', [column], new Set(), eventLoopYielder());
	},
	'rows of a table': async (text) =>
		await readMarkupRows(await pageOf(`<table>${text}`), 'tr', [], new Set(), eventLoopYielder()),
	'rows of XML': async (text) =>
		await readMarkupRows(await xmlPageOf(text), 'item', [], new Set(), eventLoopYielder()),
	'rows of JSON': async (text) => {
		const { value } = await (await contentOf(text, JSON_TYPE)).format('json');
		return await readJsonRows(value, '$', [], new Set(), true, eventLoopYielder());
	},
	links: async (text) => await linksOf(await pageOf(text)),
	'next page': async (text) => {
		const result = { content: await contentOf(text, HTML), url: URL, attempts: [] };
		return await new PageList().next(LIST as unknown as PageRequest, {
			...{ ...result, mayHaveArrived: true },
		});
	},
	'next page in what holds it': async (text) => {
		const result = { content: await contentOf(text, HTML), url: URL, attempts: [] };
		const list = { ...LIST, nextPage: 'body' } as unknown as PageRequest;
		return await new PageList().next(list, result);
	},
	numbers: async (text) => await numbersOfColumn([text, `1.${text}`], 'de', eventLoopYielder()),
	'structured data': async (text) => {
		const data = `<script type="application/ld+json">${text}</script>`;
		return await structuredRowsOf(await pageOf(data), '', new Set(), eventLoopYielder());
	},
	title: async (text) => await (await contentOf(text, HTML)).title(),
	// Larger pages are none
	wall: async (text) => {
		const signs = 'robot 验证 访问 频繁 traffic';
		const part = Buffer.from(text).subarray(0, 190_000).toString();
		return await wallOf(await contentOf(`<title>${signs} ${part}</title>${signs}`, HTML), URL);
	},
	'hint of a page for scripts': async (text) => {
		const { document } = await pageOf(`<script></script><div id=app></div>${text}`);
		return await describeJavaScriptPage(document, URL, eventLoopYielder());
	},
	encoding: async (text) => decodePage(await bytesOf(text), 'text/html'),
	'charset of a header': (text) => decodePage(Buffer.from('a'), text),
	'file name': async (text) =>
		await (
			await contentOf('a', { 'content-disposition': `attachment; filename=${text}` })
		).format('file'),
	'content type': async (text) =>
		await (await contentOf('a', { 'content-type': text })).format('autodetect'),
	'kind of a page': async (text) => (await contentOf(text, {})).isMarkup,
	JSON: async (text) =>
		await (await contentOf(`[1234567890123456789, "${text}"]`, JSON_TYPE)).format('json'),
	'plain JSON': async (text) => await (await contentOf(text, JSON_TYPE)).format('json'),
	refresh: async (text) => refreshIn(await answerOf(`refresh ${text}`, HTML)),
	'header of a refresh': async (text) => refreshIn(await answerOf('', { refresh: text })),
	"a proxy's words": (text) => {
		const answer = { status: 567, statusText: text, headers: {}, body: Buffer.from(text) };
		return [answerOfProxy(statusesOf('DPS'), answer), meaningOfAnswer(statusesOf('DPS'), answer)];
	},
	'text of an error': (text) => excerpt(`<html>${text}`, ['a secret of somebody']),
	'answer of the service': (text) => parseBody(text),
	'robots.txt': async (text) => {
		const robots = await readRobots(text, URL, 'SomeBot/1.0');
		for (let page = 0; page < 20; page += 1)
			await robots.allows(`${URL}${'a/'.repeat(page * 100)}`);
	},
	sitemap: async (text) => await readSitemap(new Uint8Array(await bytesOf(`<urlset>${text}`))),
	'list of addresses': async (text) => await readSitemap(new Uint8Array(await bytesOf(text))),
	'packed sitemap': async (text) => {
		const block = gzipSync(text);
		return await readSitemap(
			new Uint8Array(Buffer.concat(Array.from({ length: 20 }, () => block))),
		);
	},
} as const satisfies Readonly<Record<string, TextReader>>;

export type ReaderName = keyof typeof TEXT_READERS;

/**
 * The longest time for which a reader lets nothing else run, in milliseconds of a clock.
 *
 * @param clock such as the processor time, for which others on the machine do not count
 */
export async function longestPiece(
	read: () => Promise<unknown> | unknown,
	clock: () => number,
): Promise<number> {
	let [since, longest, isDone] = [clock(), 0, false];
	const look = () => {
		const now = clock();
		longest = Math.max(longest, now - since);
		since = now;
		if (!isDone) setImmediate(look);
	};
	setImmediate(look);
	await Promise.resolve()
		.then(read)
		.catch(() => undefined);
	isDone = true;
	look();
	return longest;
}
