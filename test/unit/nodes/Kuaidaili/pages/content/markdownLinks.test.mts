import { Parser } from 'commonmark';
import MarkdownIt from 'markdown-it';

import { markdownOf } from '../../../../../../nodes/Kuaidaili/pages/content/markdown.ts';
import { pageOf, pause } from './pages.mts';

/** Texts of links and pictures as sites have them, with signs that mean something in Markdown. */
const TEXTS = [
	'[置顶] 关于放假的通知',
	'[公告]:元旦放假通知',
	'a ] b [ c',
	'[1]',
	'[[x]](y)',
	'![logo]',
	'Sale!',
	'back\\slash\\',
	'\\[escaped\\]',
	'https://a.example/[1](2)',
	'`code` of a `fence',
	'*bold* _it_ ~~old~~',
	'a <b> & &amp; <https://b.example>',
	'1. one',
	'# two',
	'| cell |',
	'《说明》【全文】',
	'^[note]: x',
];

const ADDRESSES = [
	'/n/1',
	'/a b/(c)/[d]',
	'?q=[1]&r=<2>',
	'/x_y*z~~',
	'/"quoted"',
	"/it's",
	'/back\\slash',
	'/中文/页',
];

const escaped = (text: string) =>
	text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');

/** Elements around a link, and what stands right before and behind it. */
const AROUND: ReadonlyArray<readonly [what: string, before: string, behind: string]> = [
	['a paragraph', '<p>', '</p>'],
	['signs beside it', '<p>Sale!', '[x](y)!</p>'],
	['brackets around it', '<p>[', '](z)</p>'],
	['an item', '<ul><li>', '</li></ul>'],
	['a heading', '<h2>', ' #</h2>'],
	['a quote', '<blockquote>', '</blockquote>'],
	['bold text', '<p>a<b>b ', ' c</b>d</p>'],
	['struck-out text', '<p><del>', '</del></p>'],
	['lines', '<p>a<br>', '<br>b</p>'],
];

/** The addresses of links and pictures, as two programs read them. */
function linksIn(markdown: string): string[][] {
	const found: string[][] = [[], []];
	const walker = new Parser().parse(markdown).walker();
	for (let step = walker.next(); step !== null; step = walker.next()) {
		const { type, destination } = step.node;
		const isLink = type === 'link' || type === 'image';
		if (step.entering && isLink && destination !== null) found[0].push(destination);
	}
	const visit = (tokens: ReturnType<MarkdownIt['parse']>) => {
		for (const token of tokens) {
			const address = token.attrGet('href') ?? token.attrGet('src');
			if (address !== null) found[1].push(address);
			if (token.type !== 'image') visit(token.children ?? []);
		}
	};
	visit(new MarkdownIt({ html: true }).parse(markdown, {}));
	return found;
}

it.each(AROUND)(
	'every link and picture in %s is read by programs for Markdown',
	async (_what, before, behind) => {
		for (const text of TEXTS) {
			for (const address of ADDRESSES) {
				const href = escaped(address);
				const link = `<a href="${href}">${escaped(text)}</a>`;
				const picture = `<a href="${href}"><img src="/p.png" alt="${escaped(text)}"></a>`;
				const page = await pageOf(`${before}${link}${behind}${before}${picture}${behind}`);
				const markdown = await markdownOf(page, pause);
				for (const links of linksIn(markdown)) {
					expect({ markdown, links: links.length }).toEqual({ markdown, links: 3 });
				}
			}
		}
	},
);

it('a link around blocks is one, whatever is in them', async () => {
	for (const text of TEXTS) {
		const page = await pageOf(`<a href="/x"><div><h3>${escaped(text)}</h3><p>more</p></div></a>`);
		for (const links of linksIn(await markdownOf(page, pause))) expect(links).toHaveLength(1);
	}
});
