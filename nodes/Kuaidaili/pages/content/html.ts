import type { AnyNode, Document, Element } from 'domhandler';

import {
	charactersNamed,
	compileCss,
	readHtmlTree,
	type MarkupTree,
} from '../../../shared/bundled/htmlTree';
import { readXmlTree } from '../../../shared/bundled/xmlTree';
import { detached } from './detached';
import { DescribedError } from '../../../shared/api/errors';
import { shortLine } from '../../../shared/fields/field';
import { propertyOf } from '../../../shared/guards';
import { LateContent } from './lateContent';
import { positionPseudos } from './siblingPositions';
import {
	absoluteUrl,
	elementsOf,
	HTML,
	isElement,
	textOf,
	withPauses,
	type AddressContext,
	type Pause,
} from './tree';

/** The memory of five such pages at a time is what n8n can spare. Browsers stop at 512 levels, too. */
const LIMITS = { length: 5_000_000, elements: 200_000, attributes: 1000, levels: 512 };

/** Recursion goes as deep as the tree of XML, and each level costs a part of the stack. */
const XML_LIMITS = { ...LIMITS, levels: 250 };

/** A page of HTML or XML as a tree. */
export interface HtmlPage extends AddressContext {
	readonly document: Document;
	/** The text of the element `title`; empty where there is none. */
	readonly title: string;
	/** How many characters were read: fewer than `length` where the page is larger than what there is time for. */
	readonly readLength: number;
	/** The length of the page in characters. */
	readonly length: number;
	/** Whether it was read as XML: its elements mean nothing by themselves. */
	readonly isXml: boolean;
}

/** Characters of `<base>` at most: each link of the page has all of them. */
const LONGEST_BASE = 1000;

/** Pictures have titles as well, and so have the parts of a feed. */
function isPageTitle({ name, namespace, parentNode }: Element, isXml: boolean): boolean {
	if (name !== 'title') return false;
	return isXml
		? /^(?:channel|feed)$/.test(String(propertyOf(parentNode, 'name')))
		: namespace === HTML;
}

async function toHtmlPage(
	{ document, readLength }: MarkupTree,
	length: number,
	url: string,
	isXml: boolean,
	pause: Pause,
	encoding: string | undefined,
): Promise<HtmlPage> {
	let base: string | undefined;
	let title: Element | undefined;
	const late = new LateContent();
	for (const element of elementsOf(document)) {
		if (!isXml) late.note(element);
		if (!isXml && element.name === 'base') base ??= element.attribs.href;
		if (title === undefined && isPageTitle(element, isXml)) title = element;
		await pause();
	}
	await late.place(document, pause);
	const baseUrl = absoluteUrl((base ?? '').slice(0, LONGEST_BASE + 1), url);
	return {
		document,
		baseUrl: URL.canParse(baseUrl) && baseUrl.length <= LONGEST_BASE ? baseUrl : url,
		title: title === undefined ? '' : detached(textOf(title)),
		readLength,
		length,
		isXml,
		encoding,
	};
}

/** Reads a page of whatever quality, at most 5 million characters and about 200,000 elements of it. */
export async function parseHtml(
	html: string,
	url: string,
	pause: Pause,
	encoding?: string,
): Promise<HtmlPage> {
	const tree = await withPauses(readHtmlTree(html, LIMITS), pause);
	return await toHtmlPage(tree, html.length, url, false, pause, encoding);
}

/** Elements of HTML that have no end tag. */
const VOID = new Set(
	'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

/** An element that is closed at once. XML has no `<` in an attribute. */
const CLOSED_AT_ONCE =
	/<([a-z][\w.-]{0,99})((?:\s+[\w:.-]{1,99}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/>/gi;

/** Reads a page of XHTML, in which any element may be closed at once. */
export async function parseXhtml(
	xhtml: string,
	url: string,
	pause: Pause,
	encoding?: string,
): Promise<HtmlPage> {
	const html = xhtml.replace(CLOSED_AT_ONCE, (tag, name: string, attributes: string) =>
		VOID.has(name.toLowerCase()) ? tag : `<${name}${attributes}></${name}>`,
	);
	return await parseHtml(html, url, pause, encoding);
}

/** The beginning of XML that may declare characters and words of its own. */
const LONGEST_DECLARATIONS = 20_000;

const DECLARATION = /<!ENTITY\s+([a-z_][\w.-]{0,60})\s+(?:"([^"<]{0,1000})"|'([^'<]{0,1000})')/gi;

/** Characters that references of a document's own may stand for, all together. */
const MOST_FOR_REFERENCES = 1_000_000;

const CDATA = { start: '<![CDATA[', end: ']]>' };

/**
 * XML with its named characters, which its parser does not know: those that the document declares, without others in
 * them, and those of HTML, which feeds have although none declares them.
 */
function withNamedCharacters(xml: string): string {
	if (!/&[a-z]/i.test(xml)) return xml;
	const declared = new Map<string, string>();
	for (const [, name, double, single] of xml.slice(0, LONGEST_DECLARATIONS).matchAll(DECLARATION)) {
		if (!declared.has(name)) declared.set(name, double ?? single);
	}
	const ofHtml = new Map<string, string | undefined>();
	let room = MOST_FOR_REFERENCES;
	const resolved = (markup: string) =>
		markup.replace(/&([a-z_][\w.-]{0,60});/gi, (reference, name: string) => {
			if (/^(?:amp|lt|gt|quot|apos)$/.test(name)) return reference;
			const value = declared.get(name);
			if (value === undefined) {
				if (!ofHtml.has(name)) ofHtml.set(name, charactersNamed(name));
				return ofHtml.get(name) ?? reference;
			}
			room -= value.length;
			return room < 0 ? reference : value;
		});
	const parts: string[] = [];
	for (let at = 0; at < xml.length; ) {
		const start = xml.indexOf(CDATA.start, at);
		parts.push(resolved(xml.slice(at, start < 0 ? xml.length : start)));
		if (start < 0) break;
		const end = xml.indexOf(CDATA.end, start);
		at = end < 0 ? xml.length : end + CDATA.end.length;
		parts.push(xml.slice(start, at));
	}
	return parts.join('');
}

/** Reads a feed, or other XML, as far as a page of HTML. */
export async function parseXmlPage(
	xml: string,
	url: string,
	pause: Pause,
	encoding?: string,
): Promise<HtmlPage> {
	const text = withNamedCharacters(xml);
	const tree = await withPauses(readXmlTree(text, XML_LIMITS), pause);
	return await toHtmlPage(tree, text.length, url, true, pause, encoding);
}

/** The language of a page, such as `de-AT`; empty where it names none. */
export function languageOfPage({ document }: HtmlPage): string {
	const [root] = document.children.filter(isElement);
	return root?.attribs.lang ?? root?.attribs['xml:lang'] ?? '';
}

/** The page of an element, for the addresses in it: in XML, an element may have a base of its own. */
export function addressContextOf(element: Element, page: HtmlPage): AddressContext {
	if (!page.isXml) return page;
	const bases: string[] = [];
	for (let node: AnyNode | null = element; node !== null; node = node.parent) {
		const base = isElement(node) ? node.attribs['xml:base'] : undefined;
		if (base !== undefined && base.length <= LONGEST_BASE) bases.push(base);
	}
	const baseUrl = bases.reduceRight((base, own) => absoluteUrl(own, base), page.baseUrl);
	return URL.canParse(baseUrl) ? { baseUrl, encoding: page.encoding } : page;
}

/**
 * The number of nodes that a selector may visit: for one element, so that nothing else in the process waits for long, and
 * on a whole page. With "section div div div p" and a page that is nested deeply, it would be hours.
 */
const MOST_VISITS_AT_ONCE = 5_000_000;
const MOST_VISITS = 30_000_000;

/**
 * Whether an element is one of those that a CSS selector picks. Throws an error that says what is wrong with it; so does
 * the function that is returned, where the selector takes too long on the page.
 *
 * @param isXml whether capitals of names count
 * @param scope one node, which may change: `:scope` stands for the one that is there when an element is asked about
 */
export function compileSelector(
	selector: string,
	isXml = false,
	scope?: AnyNode[],
): (element: Element) => boolean {
	let visits = 0;
	let most = MOST_VISITS_AT_ONCE;
	const onVisit = () => {
		visits += 1;
		if (visits <= most) return;
		throw new DescribedError({
			message: `The selector "${shortLine(selector)}" takes too long on this page`,
			description: 'Choose one with fewer parts, such as a class of the element itself.',
		});
	};
	// The library's own know `:nth-child(2 of .name)`
	const pseudos = /\sof\s/i.test(selector) ? {} : positionPseudos(selector, isXml, onVisit);
	const matches = compileCss(selector, isXml, onVisit, pseudos, scope);
	return (element) => {
		most = Math.min(visits + MOST_VISITS_AT_ONCE, MOST_VISITS);
		return matches(element);
	};
}
