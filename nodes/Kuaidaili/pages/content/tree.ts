import type { AnyNode, Element, Text } from 'domhandler';

import { withEncodedQuery } from './encoding';

/** A pause that is awaited between pieces of work, so that everything else in the process gets its turn. */
export type Pause = () => Promise<void>;

/** Does work that yields between its pieces. */
export async function withPauses<T>(work: Generator<undefined, T>, pause: Pause): Promise<T> {
	let step = work.next();
	while (step.done !== true) {
		await pause();
		step = work.next();
	}
	return step.value;
}

/** The namespace of elements of HTML; elements of XML have none here. */
export const HTML = 'http://www.w3.org/1999/xhtml';

/** The namespace of drawings. */
export const SVG = 'http://www.w3.org/2000/svg';

/** Elements of which nobody reads the text, wherever they stand; of a formula, its source. */
const WITHOUT_TEXT = new Set('script style noembed noframes annotation'.split(' '));

/** Elements that begin a new line in a browser. */
const BLOCKS = new Set(
	'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer foreignObject form h1 h2 h3 h4 h5 h6 header hr html iframe legend li listing main menu nav ol option p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp'.split(
		' ',
	),
);

export function isElement(node: AnyNode): node is Element {
	return 'attribs' in node;
}

export function isTextNode(node: AnyNode): node is Text {
	const kind: string = node.type;
	return kind === 'text';
}

export function isBlock(node: AnyNode): boolean {
	return isElement(node) && BLOCKS.has(node.name);
}

/** Whether its content is shown, in front of what else stands in its element: a declarative shadow root. */
function isShadowRoot(node: AnyNode): boolean {
	if (!isElement(node) || node.name !== 'template' || node.namespace !== HTML) return false;
	return /^(?:open|closed)$/i.test(node.attribs.shadowrootmode ?? '');
}

/** The children of a node: none of a template from which a script makes copies. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
	if (!('children' in node)) return [];
	const isInert = isElement(node) && node.name === 'template' && node.namespace === HTML;
	return isInert && !isShadowRoot(node) ? [] : node.children;
}

/** All elements, each before what it holds. */
export function* elementsOf(root: AnyNode): Generator<Element> {
	const waiting: AnyNode[] = [root];
	for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
		if (isElement(node)) yield node;
		const children = childrenOf(node);
		for (let index = children.length - 1; index >= 0; index--) {
			if ('children' in children[index]) waiting.push(children[index]);
		}
	}
}

function hasClass(node: AnyNode | null, name: string): boolean {
	return node !== null && isElement(node) && (node.attribs.class ?? '').split(' ').includes(name);
}

/**
 * Whether the text of an element is none that a reader sees: code, a frame's without a document of its own, or a formula
 * that KaTeX draws beside one of MathML.
 */
export function isUnseen(element: Element): boolean {
	const { name, attribs, prev } = element;
	if (name === 'iframe') return attribs.srcdoc === undefined;
	return (
		WITHOUT_TEXT.has(name) || (hasClass(element, 'katex-html') && hasClass(prev, 'katex-mathml'))
	);
}

/** White space other than single blanks, which stay: replacing a million of them takes a fifth of a second. */
const UNEVEN_SPACE = /\s{2,}|[^\S ]/g;

/** The text with each white space as one blank, and none around it. */
export function collapsed(text: string): string {
	return text.replace(UNEVEN_SPACE, ' ').trim();
}

/** Whether it is an element of XML that holds others and no words between them, as a price with its currency. */
function holdsElementsOnly(node: AnyNode): boolean {
	if (!isElement(node) || node.namespace !== undefined) return false;
	return node.children.every((child) => !isTextNode(child) || child.data.trim() === '');
}

function rawText(node: AnyNode): string {
	if (isTextNode(node)) return node.data;
	let text = '';
	const areApart = holdsElementsOnly(node);
	for (const child of childrenOf(node)) {
		if (!isElement(child)) text += rawText(child);
		else if (child.namespace !== undefined && (isUnseen(child) || child.name === 'noscript'))
			continue;
		else if (areApart || isBlock(child) || child.name === 'br') text += ` ${rawText(child)} `;
		else text += rawText(child);
	}
	return text;
}

/** The text of a node with white space collapsed. What stands on lines of its own in a browser is kept apart. */
export function textOf(node: AnyNode): string {
	return collapsed(rawText(node));
}

/** Elements of a link that are looked through for a name. */
const MOST_NAMES_OF_LINK = 100;

/** The name of a link without words: its label, else the text of its picture, else a title. Empty without one. */
export function labelOf(link: Element): string {
	const found = { label: '', alt: '', title: '' };
	let visits = 0;
	for (const element of elementsOf(link)) {
		const { 'aria-label': label = '', alt = '', title = '' } = element.attribs;
		found.label ||= collapsed(label);
		found.alt ||= collapsed(alt);
		found.title ||= collapsed(element.name === 'title' ? exactText(element) : title);
		visits += 1;
		if (visits >= MOST_NAMES_OF_LINK) break;
	}
	return found.label || found.alt || found.title;
}

/** The text of a node as it stands, line breaks included. */
export function exactText(node: AnyNode): string {
	if (isTextNode(node)) return node.data;
	if (isElement(node) && node.name === 'br') return '\n';
	return childrenOf(node).map(exactText).join('');
}

/** The page that an address stands on. */
export interface AddressContext {
	/** The address that others of the page are relative to: its own, or that of `<base>`. */
	readonly baseUrl: string;
	/** The encoding of the page, which the query of an address is sent in; UTF-8 where it is undefined. */
	readonly encoding?: string;
}

/** A text that is no address stays as it is. */
export function absoluteUrl(url: string, base: string): string {
	const trimmed = url.trim();
	return URL.canParse(trimmed, base) ? new URL(trimmed, base).href : trimmed;
}

/** The address that a link has, also in a drawing; undefined for none. */
export function hrefOf({ attribs }: Element): string | undefined {
	return attribs.href ?? attribs['xlink:href'];
}

/** Schemes that run something rather than lead somewhere. */
const RUNS = new Set(['javascript:', 'vbscript:', 'data:', 'blob:']);

/** The absolute address of a link, without a login; undefined for none, and for what runs a script. */
export function linkUrl(href: string, { baseUrl, encoding }: AddressContext): string | undefined {
	const address = withEncodedQuery(href.trim(), encoding);
	if (address === '') return undefined;
	if (!URL.canParse(address, baseUrl)) return address;
	const url = new URL(address, baseUrl);
	if (RUNS.has(url.protocol)) return undefined;
	url.username = '';
	url.password = '';
	return url.href;
}

/** A node as it is without some of the nodes in it. Where one is left out, those that hold it are copies. */
export function withoutNodes<T extends AnyNode>(root: T, leftOut: ReadonlySet<AnyNode>): T {
	const holders = new Set<AnyNode>();
	for (const node of leftOut) {
		let { parentNode }: AnyNode = node;
		for (; parentNode !== null && !holders.has(parentNode); parentNode = parentNode.parentNode) {
			holders.add(parentNode);
		}
	}
	const copyOf = <N extends AnyNode>(node: N): N => {
		if (!holders.has(node) || !('children' in node)) return node;
		const children = node.children.filter((child) => !leftOut.has(child)).map(copyOf);
		const copy: unknown = Object.create(node, { children: { value: children } });
		const isCopy = (value: unknown): value is N => Object.getPrototypeOf(value) === node;
		return isCopy(copy) ? copy : node;
	};
	return copyOf(root);
}
