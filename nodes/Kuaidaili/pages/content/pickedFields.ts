import type { AnyNode, Element } from 'domhandler';

import { innerHtml } from '../../../shared/bundled/htmlTree';
import { eventLoopYielder } from '../../../shared/api/wait';
import { detached } from './detached';
import type { PageField } from '../request/pageRequest';
import { addressContextOf, compileSelector, type HtmlPage } from './html';
import { elementsOf, hrefOf, isElement, labelOf, linkUrl, textOf, type Pause } from './tree';

/** Addresses come with their site. */
const ADDRESSES = new Set(['href', 'src', 'xlink:href']);

/** An attribute by its name in small letters: pictures in SVG and XML have names with capitals. */
function attributeOf({ attribs }: Element, name: string): string {
	const key = Object.hasOwn(attribs, name)
		? name
		: Object.keys(attribs).find((each) => each.toLowerCase() === name);
	return key === undefined ? '' : attribs[key];
}

/** The text, the attribute, or the HTML that a column takes of an element. */
export async function valueOf(
	element: Element,
	{ take, attribute }: PageField,
	page: HtmlPage,
	pause: Pause,
): Promise<string> {
	if (take === 'text' || take === 'number') {
		const text = textOf(element);
		const { content = '', value = '' } = element.attribs;
		// Such as <meta itemprop="price" content="12.90">
		if (take === 'number' && text === '') return detached(content || value);
		return detached(text === '' && element.name === 'a' ? labelOf(element) : text);
	}
	if (take === 'html') {
		const html = await innerHtml(element, pause);
		await pause();
		return detached(html.trim());
	}
	const name = attribute.trim().toLowerCase();
	const value = (name === 'href' ? hrefOf(element) : undefined) ?? attributeOf(element, name);
	const isAddress = ADDRESSES.has(name) && value !== '';
	return detached(
		(isAddress ? linkUrl(value, addressContextOf(element, page)) : undefined) ?? value.trim(),
	);
}

/** The columns without values, where nothing was found or there is no page. */
export function emptyValues(fields: readonly PageField[]) {
	return Object.fromEntries(fields.map(({ name, all }) => [name, all ? [] : null]));
}

/** Characters in all lists of a page: elements in each other would have its text many times. */
const MOST_PICKED = 5_000_000;

/** A list with `all`, also of nothing; otherwise a text, null where nothing was found or it is empty. */
export async function pickFields(page: HtmlPage, fields: readonly PageField[]) {
	const { document, isXml } = page;
	const pause = eventLoopYielder();
	const pickers = fields.map((field) => {
		const found: string[] = [];
		return { field, matches: compileSelector(field.selector, isXml), found };
	});
	let wanting = pickers;
	let room = MOST_PICKED;
	for (const element of elementsOf(document)) {
		for (const { field, matches, found } of wanting) {
			if (!matches(element)) continue;
			const value = await valueOf(element, field, page, pause);
			if (field.all) room -= value.length;
			if (room >= 0 || !field.all) found.push(value);
			await pause();
		}
		if (room < 0) wanting = wanting.filter(({ field }) => !field.all);
		wanting = wanting.filter(({ field, found }) => field.all || found.length === 0);
		if (wanting.length === 0) break;
		await pause();
	}
	return Object.fromEntries(
		pickers.map(({ field, found }) => [field.name, field.all ? found : found[0] || null]),
	);
}

/** Matches of a selector that are counted. */
const MOST_COUNTED = 1000;

/** How many elements of a page a selector picks, at most 1,000; 0 also where it takes too long. */
export async function countMatches(page: HtmlPage, selector: string): Promise<number> {
	const pause = eventLoopYielder();
	const matches = compileSelector(selector, page.isXml);
	let count = 0;
	try {
		for (const element of elementsOf(page.document)) {
			if (matches(element)) count += 1;
			if (count >= MOST_COUNTED) return count;
			await pause();
		}
	} catch {
		return 0;
	}
	return count;
}

/**
 * The absolute address of a link, without a fragment. Empty for what leads to no page, or to another place of the
 * same one.
 */
function targetOf(element: Element, page: HtmlPage): string {
	const isLink = element.name === 'a' || element.name === 'area';
	const href = (isLink ? hrefOf(element) : undefined)?.trim() ?? '';
	if (href === '' || href.startsWith('#')) return '';
	const url = (linkUrl(href, addressContextOf(element, page)) ?? '').replace(/#.*$/s, '');
	return /^https?:\/\//.test(url) && URL.canParse(url) ? url : '';
}

/** An address in the one spelling of its percent encoding: `%e4` is `%E4`. */
export function spelled(url: string): string {
	return url.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase());
}

/** Whether it is picked, or something that holds it. */
function isPicked(node: AnyNode | null, picks: (element: Element) => boolean): boolean {
	if (node === null || !isElement(node)) return false;
	return picks(node) || isPicked(node.parentNode, picks);
}

/**
 * Characters of all links of a page: its own address is in each of a hundred thousand, and all of its text in links in
 * each other.
 */
const MOST_LINKED = 20_000_000;

/** The marks of links that crawlers are not to follow: of one in `rel`, of all in the `meta` of robots. */
const NOFOLLOW = /\b(?:nofollow|none)\b/i;

/**
 * The links of a page: each address once, in their order, as far as there is room for them.
 *
 * @param selector of links, or of what holds them; all links without it
 * @param obeysNofollow whether those are left out that crawlers are not to follow
 */
export async function linksOf(page: HtmlPage, selector?: string, obeysNofollow = false) {
	const { document, isXml } = page;
	const pause = eventLoopYielder();
	const picks = selector === undefined ? undefined : compileSelector(selector, isXml);
	const links = new Map<string, string>();
	let room = MOST_LINKED;
	for (const element of elementsOf(document)) {
		const { name = '', content = '', rel = '' } = obeysNofollow ? element.attribs : {};
		if (element.name === 'meta' && /^robots$/i.test(name) && NOFOLLOW.test(content)) return [];
		const url = NOFOLLOW.test(rel) ? '' : detached(spelled(targetOf(element, page)));
		if (url !== '' && (picks === undefined || isPicked(element, picks))) {
			const known = links.get(url);
			// A picture often leads to the same page as the words below it
			const text = known || detached(textOf(element) || labelOf(element));
			room -= (known === undefined ? url.length : 0) + text.length - (known ?? '').length;
			if (room < 0) break;
			links.set(url, text);
		}
		await pause();
	}
	return [...links].map(([url, text]) => ({ url, text }));
}
