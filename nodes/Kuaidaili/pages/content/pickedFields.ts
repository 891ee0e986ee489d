import type { AnyNode, Element } from 'domhandler';

import { innerHtml } from '../../../shared/bundled/htmlTree';
import { eventLoopYielder } from '../../../shared/concurrency/wait';
import type { PageField } from '../request/pageRequest';
import { compileSelector, type HtmlPage } from './html';
import { collapsed, elementsOf, isElement, linkUrl, textOf, type AddressContext } from './tree';

/** Addresses come with their site. */
const ADDRESSES = new Set(['href', 'src']);

/** Of a picture in SVG and of XML, names have capitals. */
function attributeOf({ attribs }: Element, name: string): string {
	const key = Object.hasOwn(attribs, name)
		? name
		: Object.keys(attribs).find((each) => each.toLowerCase() === name);
	return key === undefined ? '' : attribs[key];
}

/** The text, the attribute, or the HTML that a column takes of an element. */
export function valueOf(
	element: Element,
	{ take, attribute }: PageField,
	page: AddressContext,
): string {
	if (take === 'text') return textOf(element);
	if (take === 'html') return innerHtml(element).trim();
	const name = attribute.trim().toLowerCase();
	const value = attributeOf(element, name);
	if (!ADDRESSES.has(name) || value === '') return value.trim();
	return linkUrl(value, page) ?? value.trim();
}

/** Where nothing was found, or there is no page. */
export function emptyValues(fields: readonly PageField[]) {
	return Object.fromEntries(fields.map(({ name, all }) => [name, all ? [] : '']));
}

/** A list with `all`, also of nothing; otherwise a text, empty where nothing was found. */
export async function pickFields(page: HtmlPage, fields: readonly PageField[]) {
	const { document, isXml } = page;
	const pause = eventLoopYielder();
	const pickers = fields.map((field) => {
		const found: string[] = [];
		return { field, matches: compileSelector(field.selector, isXml), found };
	});
	let wanting = pickers;
	for (const element of elementsOf(document)) {
		for (const { field, matches, found } of wanting) {
			if (matches(element)) found.push(valueOf(element, field, page));
		}
		wanting = wanting.filter(({ field, found }) => field.all || found.length === 0);
		if (wanting.length === 0) break;
		await pause();
	}
	return Object.fromEntries(
		pickers.map(({ field, found }) => [field.name, field.all ? found : (found[0] ?? '')]),
	);
}

/** What a reader sees of a link, or the text of its picture; empty where there is neither. */
function labelOf(link: Element): string {
	const text = textOf(link);
	if (text !== '') return text;
	const labels = [...elementsOf(link)].map(({ attribs }) => attribs.alt ?? attribs.title ?? '');
	return collapsed(labels.find((label) => label.trim() !== '') ?? '');
}

/** Absolute, without a fragment. Empty for what leads to no page, or to another place of the same one. */
function targetOf({ name, attribs }: Element, page: AddressContext): string {
	const href = (name === 'a' || name === 'area' ? attribs.href : undefined)?.trim() ?? '';
	if (href === '' || href.startsWith('#')) return '';
	const url = (linkUrl(href, page) ?? '').replace(/#.*$/s, '');
	return /^https?:\/\//.test(url) && URL.canParse(url) ? url : '';
}

/** An address in the one spelling of its percent encoding: `%e4` is `%E4`. */
function spelled(url: string): string {
	return url.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase());
}

/** Whether it is picked, or something that holds it. */
function isPicked(node: AnyNode | null, picks: (element: Element) => boolean): boolean {
	if (node === null || !isElement(node)) return false;
	return picks(node) || isPicked(node.parentNode, picks);
}

/**
 * Each address once, in the order of the page.
 *
 * @param selector of links, or of what holds them; all links without it
 */
export async function linksOf(page: HtmlPage, selector?: string) {
	const { document, isXml } = page;
	const pause = eventLoopYielder();
	const picks = selector === undefined ? undefined : compileSelector(selector, isXml);
	const links = new Map<string, string>();
	for (const element of elementsOf(document)) {
		const url = spelled(targetOf(element, page));
		if (url !== '' && (picks === undefined || isPicked(element, picks))) {
			// A picture often leads to the same page as the words below it
			links.set(url, links.get(url) || labelOf(element));
		}
		await pause();
	}
	return [...links].map(([url, text]) => ({ url, text }));
}
