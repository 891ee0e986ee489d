import { decodePage } from '../../nodes/Kuaidaili/pages/content/encoding.ts';
import { markdownOfXml } from '../../nodes/Kuaidaili/pages/content/feed.ts';
import { parseHtml, parseXmlPage } from '../../nodes/Kuaidaili/pages/content/html.ts';
import { markdownOf } from '../../nodes/Kuaidaili/pages/content/markdown.ts';
import { PageContent } from '../../nodes/Kuaidaili/pages/content/pageContent.ts';
import { pickFields } from '../../nodes/Kuaidaili/pages/content/pickedFields.ts';
import { parseExactJson } from '../../nodes/shared/response/parseBody.ts';

type Pause = () => Promise<void>;

/** A reader of foreign text; it awaits `pause` between pieces of work, if it has several. */
export type TextReader = (text: string, pause: Pause) => Promise<unknown> | unknown;

const URL = 'https://site.example/a';

function contentOf(text: string, headers: Readonly<Record<string, string>>): PageContent {
	const answer = { status: 200, headers, body: Buffer.from(text), source: 'page' } as const;
	return new PageContent(answer, 'GET', URL);
}

/** Readers of text that whoever serves a page, or stands in between, can choose. Each room adds its own. */
export const TEXT_READERS: Readonly<Record<string, TextReader>> = {
	'Markdown of HTML': async (text, pause) =>
		await markdownOf(await parseHtml(text, URL, pause), pause),
	'Markdown of attributes': async (text, pause) => {
		const value = text.replaceAll('"', '');
		const html = `<a href="${value}" style="${value}"><img src="${value}" srcset="${value}" alt="${value}">`;
		return await markdownOf(await parseHtml(html, URL, pause), pause);
	},
	'Markdown of XML': async (text, pause) =>
		await markdownOfXml(
			await parseXmlPage(`<rss><item>${text}`, URL, pause),
			{ leaveOut: ['.ad'] },
			pause,
		),
	columns: async (text, pause) => {
		const page = await parseHtml(`<p>${text}`, URL, pause);
		const column = { name: 'x', selector: 'p', attribute: '', all: false };
		await pickFields(page, [{ ...column, take: 'text' }]);
		await pause();
		await pickFields(page, [{ ...column, take: 'html' }]);
	},
	encoding: (text) => decodePage(Buffer.from(text), 'text/html'),
	'charset of a header': (text) => decodePage(Buffer.from('a'), text),
	'file name': async (text) =>
		await contentOf('a', { 'content-disposition': `attachment; filename=${text}` }).format('file'),
	'content type': async (text) =>
		await contentOf('a', { 'content-type': text }).format('autodetect'),
	'kind of a page': (text) => contentOf(text, {}).isMarkup,
	JSON: (text) => {
		try {
			parseExactJson(`[1234567890123456789, "${text}"]`);
		} catch {
			parseExactJson('[]');
		}
	},
};
