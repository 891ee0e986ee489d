import type { AnyNode, Element } from 'domhandler';

import { isBlock, isElement, isTextNode, shownChildrenOf, type Pause } from './tree';

/** Elements that are not shown, or not as text. */
const SKIPPED = new Set(
	'title script style svg canvas iframe noframes noembed object embed audio video textarea datalist annotation annotation-xml'.split(
		' ',
	),
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

/** Whether an inline style or an attribute hides an element. */
function isHidden(node: AnyNode): node is Element {
	if (!isElement(node) || ROOTS.has(node.name)) return false;
	if (node.attribs.hidden !== undefined) return true;
	const style = styleOf(node);
	const [, visibility] = VISIBILITY.exec(style) ?? [];
	return DISPLAY_NONE.test(style) || (visibility !== undefined && !/^v/i.test(visibility));
}

/** A part that is hidden, and how much text it has besides what is hidden in it. */
export interface HiddenPart {
	/** Undefined where nothing hidden is around it. */
	readonly around?: HiddenPart;
	length: number;
}

/**
 * Finds the hidden parts that a page shows as soon as a script has run: each holds more than all that is shown so far.
 *
 * @param parts each before what it holds
 * @param shownLength the length of what is not hidden, without navigation and the like
 */
export function shownByScripts(
	parts: Iterable<HiddenPart>,
	shownLength: number,
): ReadonlySet<HiddenPart> {
	const all = [...parts];
	const outermost = all.filter(({ around }) => around === undefined);
	const inner = all.filter(({ around }) => around !== undefined);
	const shown = new Set<HiddenPart>();
	let length = shownLength;
	for (const part of [...outermost.sort((a, b) => b.length - a.length), ...inner]) {
		const isReachable = part.around === undefined || shown.has(part.around);
		if (!isReachable || part.length <= length) continue;
		shown.add(part);
		length += part.length;
	}
	return shown;
}

/** Elements that surround the content of a page. */
const SURROUNDINGS = new Set(['nav', 'header', 'footer', 'aside']);

/**
 * Finds what is shown. An inline style hides what it says, but not the body, and not what holds more than all the rest
 * of the page: such a style goes as soon as a script runs.
 *
 * @param isUnwanted whether a part of the page is to be left out, for whatever reason
 */
export async function findShownNodes(
	document: AnyNode,
	pause: Pause,
	isUnwanted: (node: AnyNode) => boolean = () => false,
): Promise<ShownNodes> {
	const leftOut = new Set<AnyNode>();
	const hidden = new Map<AnyNode, HiddenPart>();
	const around = new Map<AnyNode, HiddenPart>();
	const surrounding = new Set<AnyNode>();
	const nodes: AnyNode[] = [document];
	for (const node of nodes) {
		const isOut = isUnwanted(node) || (isElement(node) ? isSkipped(node) : isUnshown(node));
		if (isOut) leftOut.add(node);
		else {
			const holder = node.parent === null ? undefined : around.get(node.parent);
			const part = isHidden(node) ? { around: holder, length: 0 } : holder;
			if (part !== undefined) around.set(node, part);
			if (part !== undefined && part !== holder) hidden.set(node, part);
			const isAround = isElement(node) && SURROUNDINGS.has(node.name);
			if (isAround || (node.parent !== null && surrounding.has(node.parent))) surrounding.add(node);
			if (!isNoscript(node)) for (const child of shownChildrenOf(node)) nodes.push(child);
		}
		await pause();
	}
	const lengths = new Map<AnyNode, number>();
	const holdBlocks = new Set<AnyNode>();
	let shownLength = 0;
	for (let at = nodes.length - 1; at >= 0; at -= 1) {
		const node = nodes[at];
		const children = leftOut.has(node) || isNoscript(node) ? [] : shownChildrenOf(node);
		const own = isTextNode(node) && !leftOut.has(node) ? visibleLength(node.data) : 0;
		const part = around.get(node);
		if (part !== undefined) part.length += own;
		else if (!surrounding.has(node)) shownLength += own;
		let length = own;
		for (const child of children) {
			length += lengths.get(child) ?? 0;
			if (isBlock(child) || holdBlocks.has(child)) holdBlocks.add(node);
		}
		lengths.set(node, length);
		await pause();
	}
	const shown = shownByScripts(hidden.values(), shownLength);
	if (hidden.size > 0) await addInvisible(nodes, hidden, shown, leftOut, pause);
	return { leftOut, holdBlocks, lengths };
}

/**
 * Adds the nodes that an inline style hides to those that are left out.
 *
 * @param nodes each before what it holds
 * @param shown the hidden parts that are shown all the same
 */
async function addInvisible(
	nodes: readonly AnyNode[],
	hidden: ReadonlyMap<AnyNode, HiddenPart>,
	shown: ReadonlySet<HiddenPart>,
	leftOut: Set<AnyNode>,
	pause: Pause,
): Promise<void> {
	const invisible = new Set<AnyNode>();
	for (const node of nodes) {
		let isInvisible = node.parent !== null && invisible.has(node.parent);
		if (isElement(node)) {
			const style = styleOf(node);
			const part = hidden.get(node);
			const isShown = part === undefined || shown.has(part);
			const [, visibility] = VISIBILITY.exec(style) ?? [];
			if (visibility?.toLowerCase() === 'visible') isInvisible = false;
			else if (visibility !== undefined && !isShown) isInvisible = true;
			const isGone = node.attribs.hidden !== undefined || DISPLAY_NONE.test(style);
			if (isGone && !isShown) leftOut.add(node);
		}
		if (isInvisible) {
			invisible.add(node);
			if (!isElement(node) || shownChildrenOf(node).length === 0) leftOut.add(node);
		}
		await pause();
	}
}

/** Comments and the like. */
function isUnshown(node: AnyNode): boolean {
	return !isTextNode(node) && !('children' in node);
}
