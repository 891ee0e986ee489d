import type { AnyNode, Element } from 'domhandler';

import {
	collapsed,
	isBlock,
	isElement,
	isTextNode,
	isUnseen,
	childrenOf,
	SVG,
	type Pause,
} from './tree';

/** Elements whose text is not a part of what is shown, or that only show something else than text. */
const SKIPPED = new Set('title canvas object embed audio video textarea datalist'.split(' '));

/** Elements that a page may hide until a script runs, whatever they hold. */
const ROOTS = new Set(['html', 'body', 'main']);

const DISPLAY_NONE = /(?:^|;)\s*display\s*:\s*none/i;
const VISIBILITY = /(?:^|;)\s*visibility\s*:\s*(hidden|collapse|visible)/i;

/** An inline style is short; what is longer is none. */
export const LONGEST_STYLE = 2000;

/** The nodes of a page, and those that a reader does not see. */
export interface ShownNodes {
	/** All nodes that may be shown, each before what it holds. */
	readonly nodes: readonly AnyNode[];
	/** The index in `nodes` of what holds each of them; -1 for the first. A copy of a page has nodes of the page in it. */
	readonly holders: readonly number[];
	/** Nodes that are left out: hidden, or not shown as text. Whatever they hold is left out with them. */
	readonly leftOut: ReadonlySet<AnyNode>;
	/** Characters of all text that is shown, but for white space, navigation, and the like. */
	readonly contentLength: number;
}

/** Check boxes that only open a menu, by a style sheet. */
const OPENS_MENU = /menu|nav|toggle|drawer/i;

function isSkipped(element: Element): boolean {
	const { name, attribs } = element;
	if (name === 'input') {
		const isCheckbox = attribs.type?.toLowerCase() === 'checkbox';
		return !isCheckbox || OPENS_MENU.test(`${attribs.id ?? ''} ${attribs.class ?? ''}`);
	}
	if (name === 'dialog') return attribs.open === undefined;
	return attribs.popover !== undefined || SKIPPED.has(name) || isUnseen(element);
}

/** Whether it has markup for readers without scripts, of which only pictures are shown. */
export function isNoscript(node: AnyNode): boolean {
	return isElement(node) && node.name === 'noscript';
}

/** Whether a node is nothing to read: a comment, or a word in a drawing, in which only parts of HTML are text. */
function isUnshown(node: AnyNode): boolean {
	if (isElement(node)) return isSkipped(node);
	if (!isTextNode(node)) return !('children' in node);
	return node.parent !== null && isElement(node.parent) && node.parent.namespace === SVG;
}

const SPACE = 0x20;

/** Characters of a text but white space and control characters. */
export function visibleLength(text: string): number {
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
interface HiddenPart {
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
function shownByScripts(parts: Iterable<HiddenPart>, shownLength: number): ReadonlySet<HiddenPart> {
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

/** Elements that show something else than words. */
const SHOWS = new Set('img picture video audio iframe object embed input form'.split(' '));

/** Types of `input` that show nothing, or that nothing is typed into. */
const UNTYPED = /^(?:hidden|submit|button|image|reset|checkbox|radio)$/i;

/** Whether something can be typed into an element. */
function isTyped({ name, attribs }: Element): boolean {
	return name === 'textarea' || (name === 'input' && !UNTYPED.test(attribs.type ?? ''));
}

/** The beginning of a page as it is shown outside of `noscript`, hidden parts included. */
export interface ShownBeginning {
	/** With white space collapsed. */
	readonly text: string;
	/** Characters of the text but white space. */
	readonly length: number;
	/** Whether the page has no more text. */
	readonly isWhole: boolean;
	/** Whether something else than words was found. */
	readonly showsMore: boolean;
	/** How many fields were found that can be typed into. */
	readonly fields: number;
}

/** Reads a page as far as it has fewer characters, white space not counted. */
export async function shownBeginningOf(
	document: AnyNode,
	most: number,
	pause: Pause,
): Promise<ShownBeginning> {
	let text = '';
	let length = 0;
	let showsMore = false;
	let fields = 0;
	const waiting: AnyNode[] = [document];
	for (let node = waiting.pop(); node !== undefined && length < most; node = waiting.pop()) {
		await pause();
		if (isNoscript(node)) continue;
		if (isElement(node)) {
			showsMore ||= SHOWS.has(node.name);
			if (isTyped(node)) fields += 1;
		}
		if (isUnshown(node)) continue;
		if (isBlock(node)) text += ' ';
		if (isTextNode(node)) {
			text += node.data.slice(0, 2 * most);
			length += visibleLength(node.data);
		}
		const children = childrenOf(node);
		for (let index = children.length - 1; index >= 0; index -= 1) waiting.push(children[index]);
	}
	return { text: collapsed(text), length, isWhole: length < most, showsMore, fields };
}

/** Elements that surround the content of a page. */
export const SURROUNDINGS = new Set(['nav', 'header', 'footer', 'aside']);

/**
 * Finds what is shown. An inline style hides what it says, but not the body, and not what holds more than all the rest
 * of the page: such a style goes as soon as a script runs.
 *
 * @param root a document, or an element whose content is looked at alone
 * @param unwanted parts of the page that are left out anyway
 */
export async function findShownNodes(
	root: AnyNode,
	pause: Pause,
	unwanted: ReadonlySet<AnyNode> = new Set(),
): Promise<ShownNodes> {
	const leftOut = new Set<AnyNode>();
	const hidden = new Map<AnyNode, HiddenPart>();
	const around = new Map<AnyNode, HiddenPart>();
	const surrounding = new Set<AnyNode>();
	let contentLength = 0;
	const nodes: AnyNode[] = [root];
	const holders = [-1];
	for (const [at, node] of nodes.entries()) {
		await pause();
		const parent = at === 0 ? undefined : nodes[holders[at]];
		const isSurrounded = parent !== undefined && surrounding.has(parent);
		const isMenuBox = isSurrounded && isElement(node) && node.name === 'input';
		if (unwanted.has(node) || isUnshown(node) || isMenuBox) {
			leftOut.add(node);
			continue;
		}
		const outer = parent === undefined ? undefined : around.get(parent);
		const part = isHidden(node) ? { around: outer, length: 0 } : outer;
		if (part !== undefined) around.set(node, part);
		if (part !== undefined && part !== outer) hidden.set(node, part);
		if (isSurrounded || (isElement(node) && SURROUNDINGS.has(node.name))) surrounding.add(node);
		const length = isTextNode(node) ? visibleLength(node.data) : 0;
		if (part !== undefined) part.length += length;
		else if (!surrounding.has(node)) contentLength += length;
		if (isNoscript(node) && node !== root) continue;
		for (const child of childrenOf(node)) {
			nodes.push(child);
			holders.push(at);
			// An element may hold a hundred thousand
			if (nodes.length % 1000 === 0) await pause();
		}
	}
	if (hidden.size === 0) return { nodes, holders, leftOut, contentLength };
	const shown = shownByScripts(hidden.values(), contentLength);
	for (const part of shown) contentLength += part.length;
	await addInvisible({ nodes, holders }, hidden, shown, leftOut, pause);
	return { nodes, holders, leftOut, contentLength };
}

/** The shown nodes of a page, and the size of each. */
export interface MeasuredNodes {
	readonly leftOut: ReadonlySet<AnyNode>;
	/** Nodes that hold an element which begins a new line. */
	readonly holdBlocks: ReadonlySet<AnyNode>;
	/** Characters of shown text in an element, white space not counted. */
	readonly lengths: ReadonlyMap<AnyNode, number>;
}

/** Measures the nodes of a page that are not left out. */
export async function measureNodes(
	{ nodes, holders, leftOut }: Omit<ShownNodes, 'contentLength'>,
	pause: Pause,
): Promise<MeasuredNodes> {
	const lengths = new Map<AnyNode, number>();
	const holdBlocks = new Set<AnyNode>();
	// Not by what each holds: that may be a hundred thousand others, looked through in one piece
	for (let at = nodes.length - 1; at > 0; at -= 1) {
		const node = nodes[at];
		await pause();
		if (leftOut.has(node)) continue;
		const holder = nodes[holders[at]];
		const length = isTextNode(node) ? visibleLength(node.data) : (lengths.get(node) ?? 0);
		if (length > 0) lengths.set(holder, (lengths.get(holder) ?? 0) + length);
		if (isBlock(node) || holdBlocks.has(node)) holdBlocks.add(holder);
	}
	return { leftOut, holdBlocks, lengths };
}

/**
 * Adds the nodes that an inline style hides to those that are left out.
 *
 * @param shown the hidden parts that are shown all the same
 */
async function addInvisible(
	{ nodes, holders }: Pick<ShownNodes, 'nodes' | 'holders'>,
	hidden: ReadonlyMap<AnyNode, HiddenPart>,
	shown: ReadonlySet<HiddenPart>,
	leftOut: Set<AnyNode>,
	pause: Pause,
): Promise<void> {
	const invisible = new Set<AnyNode>();
	for (const [at, node] of nodes.entries()) {
		let isInvisible = at > 0 && invisible.has(nodes[holders[at]]);
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
			if (!isElement(node) || childrenOf(node).length === 0) leftOut.add(node);
		}
		await pause();
	}
}
