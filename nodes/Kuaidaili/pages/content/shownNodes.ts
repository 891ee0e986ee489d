import type { AnyNode, Element } from 'domhandler';

import { isBlock, isElement, isTextNode, shownChildrenOf, type Pause } from './tree';

/** Elements that are not shown, or not as text. */
const SKIPPED = new Set(
	'title script style svg canvas iframe object embed audio video textarea datalist'.split(' '),
);

/** Elements that a page may hide until a script runs, whatever they hold. */
const ROOTS = new Set(['html', 'body', 'main']);

const DISPLAY_NONE = /(?:^|;)\s*display\s*:\s*none/i;
const VISIBILITY = /(?:^|;)\s*visibility\s*:\s*(hidden|collapse|visible)/i;

/** An inline style is short; what is longer is none. */
const LONGEST_STYLE = 2000;

/** The shown nodes of a page. */
export interface ShownNodes {
	/** Nodes that are left out: hidden, or not shown as text. Whatever they hold is left out with them. */
	readonly leftOut: ReadonlySet<AnyNode>;
	/** Nodes that hold an element which begins a new line. */
	readonly holdBlocks: ReadonlySet<AnyNode>;
	/** Characters of text in a node, white space not counted, but those of scripts and the like. */
	readonly lengths: ReadonlyMap<AnyNode, number>;
}

function isSkipped(element: Element): boolean {
	const { name, attribs } = element;
	if (name === 'input') return attribs.type?.toLowerCase() !== 'checkbox';
	return SKIPPED.has(name) || (name === 'dialog' && attribs.open === undefined);
}

/** Whether it has markup for readers without scripts, of which only pictures are shown. */
export function isNoscript(node: AnyNode): boolean {
	return isElement(node) && node.name === 'noscript';
}

const SPACE = 0x20;

function visibleLength(text: string): number {
	let length = 0;
	for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > SPACE) length += 1;
	return length;
}

function styleOf({ attribs: { style = '' } }: Element): string {
	return style.slice(0, LONGEST_STYLE);
}

/**
 * Finds what is shown. An inline style hides what it says, but not the body, and not what holds most of the page's
 * words: such a style goes as soon as a script runs.
 *
 * @param isUnwanted whether a part of the page is to be left out, for whatever reason
 */
export async function findShownNodes(
	document: AnyNode,
	pause: Pause,
	isUnwanted: (node: AnyNode) => boolean = () => false,
): Promise<ShownNodes> {
	const leftOut = new Set<AnyNode>();
	const nodes: AnyNode[] = [document];
	for (const node of nodes) {
		const isOut = isUnwanted(node) || (isElement(node) ? isSkipped(node) : isUnshown(node));
		if (isOut) leftOut.add(node);
		else if (!isNoscript(node)) for (const child of shownChildrenOf(node)) nodes.push(child);
		await pause();
	}
	const lengths = new Map<AnyNode, number>();
	const holdBlocks = new Set<AnyNode>();
	for (let at = nodes.length - 1; at >= 0; at -= 1) {
		const node = nodes[at];
		const children = leftOut.has(node) || isNoscript(node) ? [] : shownChildrenOf(node);
		let length = isTextNode(node) ? visibleLength(node.data) : 0;
		for (const child of children) {
			length += lengths.get(child) ?? 0;
			if (isBlock(child) || holdBlocks.has(child)) holdBlocks.add(node);
		}
		lengths.set(node, length);
		await pause();
	}
	const all = lengths.get(document) ?? 0;
	const invisible = new Set<AnyNode>();
	for (const node of nodes) {
		const isOfMost = (lengths.get(node) ?? 0) * 2 > all;
		const isHideable = isElement(node) && !ROOTS.has(node.name) && !isOfMost;
		let isInvisible = node.parent !== null && invisible.has(node.parent);
		if (isElement(node)) {
			const style = styleOf(node);
			const [, visibility] = VISIBILITY.exec(style) ?? [];
			if (visibility?.toLowerCase() === 'visible') isInvisible = false;
			else if (visibility !== undefined && isHideable) isInvisible = true;
			const isGone = node.attribs.hidden !== undefined || DISPLAY_NONE.test(style);
			if (isGone && isHideable) leftOut.add(node);
		}
		if (isInvisible) {
			invisible.add(node);
			if (!isElement(node) || shownChildrenOf(node).length === 0) leftOut.add(node);
		}
		await pause();
	}
	return { leftOut, holdBlocks, lengths };
}

/** Comments and the like. */
function isUnshown(node: AnyNode): boolean {
	return !isTextNode(node) && !('children' in node);
}
