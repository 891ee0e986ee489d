import type { AnyNode, Element, Text } from 'domhandler';

/** Awaited between pieces of work, so that everything else in the process gets its turn. */
export type Pause = () => Promise<void>;

/** The namespace of elements of HTML; elements of XML have none here. */
export const HTML = 'http://www.w3.org/1999/xhtml';

/** Nothing that is shown as text, wherever it stands. */
const UNSHOWN = new Set(['script', 'style', 'template', 'noscript']);

/** What begins a new line in a browser. */
const BLOCKS = new Set(
	'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol option p pre section summary table tbody td tfoot th thead tr ul'.split(
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

/** What a script makes copies of is not on the page, but for what stands in place of an element's own content. */
function isInert({ name, namespace, attribs }: Element): boolean {
	if (name !== 'template' || namespace !== HTML) return false;
	return !/^(?:open|closed)$/i.test(attribs.shadowrootmode ?? '');
}

export function childrenOf(node: AnyNode): readonly AnyNode[] {
	if (!('children' in node)) return [];
	return isElement(node) && isInert(node) ? [] : node.children;
}

/** All elements, each before what it holds. */
export function* elementsOf(root: AnyNode): Generator<Element> {
	const waiting: AnyNode[] = [root];
	for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
		if (isElement(node)) yield node;
		const children = childrenOf(node);
		for (let index = children.length - 1; index >= 0; index--) waiting.push(children[index]);
	}
}

export function collapsed(text: string): string {
	return text.replace(/\s+/g, ' ').trim();
}

function rawText(node: AnyNode): string {
	if (isTextNode(node)) return node.data;
	return childrenOf(node)
		.map((child) => {
			if (!isElement(child)) return rawText(child);
			if (UNSHOWN.has(child.name)) return '';
			return isBlock(child) || child.name === 'br' ? ` ${rawText(child)} ` : rawText(child);
		})
		.join('');
}

/** With white space collapsed. What stands on lines of its own in a browser is kept apart. */
export function textOf(node: AnyNode): string {
	return collapsed(rawText(node));
}

/** As it stands, line breaks included. */
export function exactText(node: AnyNode): string {
	if (isTextNode(node)) return node.data;
	if (isElement(node) && node.name === 'br') return '\n';
	return childrenOf(node).map(exactText).join('');
}

/** What is no address stays as it is. */
export function absoluteUrl(url: string, base: string): string {
	const trimmed = url.trim();
	return URL.canParse(trimmed, base) ? new URL(trimmed, base).href : trimmed;
}
