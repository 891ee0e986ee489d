import { compile } from 'css-select';
import { render } from 'dom-serializer';
import { DomHandler, isTag, type AnyNode, type Element } from 'domhandler';
import * as domUtils from 'domutils';
import { parseDocument, Parser } from 'htmlparser2';

import { DescribedError } from '../../../shared/errors/callErrors';
import { shortLine } from '../../../shared/fields/invalidFieldError';
import { propertyOf } from '../../../shared/guards';
import { absoluteUrl, textOf, type Pause } from './tree';

/** Deeper elements hold nothing that a reader would miss, and each costs a part of the stack. */
const DEEPEST = 250;

/** The parser's time grows with how deeply elements are nested. Browsers stop at 512, too. */
const MOST_LEVELS = 1000;

/** The memory of five such pages at a time is what n8n can spare. */
const LONGEST_HTML = 5_000_000;
const MOST_ELEMENTS = 200_000;

/** What is parsed in one piece, in characters. */
const PART = 16_384;

/** Makes the tree of the page. What is nested too deeply goes into the last element that is not. */
class ShallowHandler extends DomHandler {
	elements = 0;

	levels = 0;

	override onopentag(name: string, attributes: { [key: string]: string }): void {
		this.elements += 1;
		this.levels += 1;
		if (this.levels <= DEEPEST) super.onopentag(name, attributes);
	}

	override onclosetag(): void {
		if (this.levels <= DEEPEST) super.onclosetag();
		this.levels -= 1;
	}
}

/** Where a part that begins at `start` ends: before a tag if it can be, so that another parser could go on there. */
function endOfPart(html: string, start: number, end: number): number {
	const limit = Math.min(start + PART, end);
	if (limit === end) return end;
	const tag = html.lastIndexOf('<', limit);
	return tag > start ? tag : limit;
}

/** Reads a page of whatever quality, at most 5 million characters and about 200,000 elements of it. */
export async function parseHtml(html: string, url: string, pause: Pause) {
	const handler = new ShallowHandler(undefined, { withStartIndices: true, withEndIndices: true });
	let parser = new Parser(handler);
	const longest = Math.min(html.length, LONGEST_HTML);
	let end = 0;
	while (end < longest && handler.elements < MOST_ELEMENTS) {
		const start = end;
		end = endOfPart(html, start, longest);
		parser.write(html.slice(start, end));
		if (handler.levels > MOST_LEVELS) {
			// Closes all that is open
			parser.end();
			parser = new Parser(handler);
		}
		await pause();
	}
	parser.end();
	const document = handler.root;
	const first = (test: (element: Element) => boolean) => domUtils.findOne(test, document);
	const base = first(({ name, attribs }) => name === 'base' && attribs.href !== undefined);
	await pause();
	// Pictures have titles as well
	const title = first(
		({ name, parentNode }) => name === 'title' && propertyOf(parentNode, 'name') !== 'svg',
	);
	const baseUrl = absoluteUrl(base?.attribs.href ?? '', url);
	return {
		document,
		/** What its addresses are relative to: the page's own, or that of `<base>`. */
		baseUrl: URL.canParse(baseUrl) ? baseUrl : url,
		/** Of the element `title`; empty where there is none. */
		title: title === null ? '' : textOf(title),
		/** How many characters were read: fewer than `length` where the page is larger than what there is time for. */
		readLength: end,
		length: html.length,
	};
}

export type HtmlPage = Awaited<ReturnType<typeof parseHtml>>;

/**
 * What a selector may look at of a page: for one element, so that nothing else in the process waits for long, and in
 * all, which takes seconds. With "section div div div p" and a page that is nested deeply, it would be hours.
 */
const MOST_LOOKS_AT_ONCE = 5_000_000;
const MOST_LOOKS = 300_000_000;

/**
 * Whether an element is one of those that a CSS selector picks. Throws an error that says what is wrong with it; so does
 * what is returned, where the selector takes too long on the page.
 */
export function compileSelector(selector: string): (element: Element) => boolean {
	let looks = 0;
	let most = 0;
	const look = (node: AnyNode): node is Element => {
		looks += 1;
		if (looks <= most) return isTag(node);
		throw new DescribedError({
			message: `The selector "${shortLine(selector)}" takes too long on this page`,
			description: 'Choose one with fewer parts, such as a class of the element itself.',
		});
	};
	const matches = compile<AnyNode, Element>(selector, { adapter: { ...domUtils, isTag: look } });
	return (element) => {
		most = Math.min(looks + MOST_LOOKS_AT_ONCE, MOST_LOOKS);
		return matches(element);
	};
}

/** What XML says without its elements, with references resolved. */
export function xmlText(xml: string): string {
	return domUtils.textContent(parseDocument(xml, { xmlMode: true }));
}

export function innerHtml(element: Element): string {
	return render(element.children, { encodeEntities: 'utf8' });
}
