import { compile } from 'html-to-text';
import { Parser } from 'htmlparser2';

import { formatNumber } from '../../shared/wording';

/** Deeper elements hold nothing that a reader would miss, and each costs a part of the stack. */
const DEEPEST = 300;

/** The time of the library grows with the square of how deeply elements are nested. Browsers stop at 512, too. */
const MOST_LEVELS = 1000;

/** Far more than anybody reads. All else in this process waits for the library, for microseconds with each of them. */
const MOST_ELEMENTS = 25_000;
const LONGEST_HTML = 2_000_000;

/** What is parsed before the levels are looked at: the parser's own time grows like that as well. */
const PART = 16_384;

const SKIPPED = ['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'nav', 'form'];

const block = (lineBreaks: number) => ({
	format: 'block',
	options: { leadingLineBreaks: lineBreaks, trailingLineBreaks: lineBreaks },
});

const convert = compile({
	wordwrap: false,
	limits: { maxDepth: DEEPEST, maxInputLength: LONGEST_HTML },
	selectors: [
		{ selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
		{ selector: 'img', format: 'skip' },
		...SKIPPED.map((selector) => ({ selector, format: 'skip' })),
		...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
			selector,
			options: { uppercase: false },
		})),
		// Not the library's own layout of tables, which lets a page decide how much memory and time it takes
		{ selector: 'table', ...block(2) },
		{ selector: 'tr', ...block(1) },
		...['td', 'th'].map((selector) => ({
			selector,
			format: 'inlineSurround',
			options: { suffix: ' ' },
		})),
	],
});

/** What there is time for: where the page is cut, and whether its elements are nested too deeply for the library. */
function measure(html: string): { readonly end: number; readonly isTooDeep: boolean } {
	let level = 0;
	let deepest = 0;
	let elements = 0;
	const parser = new Parser({
		onopentagname() {
			level += 1;
			elements += 1;
			deepest = Math.max(deepest, level);
		},
		onclosetag() {
			level -= 1;
		},
	});
	const longest = Math.min(html.length, LONGEST_HTML);
	let end = 0;
	while (end < longest && elements < MOST_ELEMENTS && deepest <= MOST_LEVELS) {
		parser.write(html.slice(end, Math.min(longest, end + PART)));
		end = Math.min(longest, end + PART);
	}
	const isTooDeep = deepest > MOST_LEVELS;
	return { end: isTooDeep ? longest : end, isTooDeep };
}

/** What a person reads of a page: without markup, scripts, images, menus, and forms. A note says where it was cut. */
export function readableText(html: string): string {
	const { end, isTooDeep } = measure(html);
	const read = html.slice(0, end);
	const text = isTooDeep ? read.replace(/<[^<>]*>/g, ' ') : convert(read);
	if (end === html.length) return text.trim();
	return `${text.trim()}\n\n[The page goes on. This is the text of the first ${formatNumber(end)} characters of its ${formatNumber(html.length)}.]`;
}
