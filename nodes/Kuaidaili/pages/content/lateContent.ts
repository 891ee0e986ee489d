import type { AnyNode, Document, Element } from 'domhandler';

import { findShownNodes, isNoscript } from './shownNodes';
import { childrenOf, isElement, isTextNode, type Pause } from './tree';

/** Parts that are put in their places at most: each takes as long as the place has siblings. */
const MOST_LATE_PARTS = 200;

/** Levels of a page with all its parts, each of which costs a part of the stack later. */
const MOST_LEVELS_IN_ALL = 512;

/**
 * A call of React's own scripts: `$RC("B:0","S:0")` puts a late part where a boundary waits, `$RS("S:1","P:1")` where a
 * part waits.
 */
const REACT_CALL = /\$R[CRS]\("([BS]:[\da-f]{1,8})","([SP]:[\da-f]{1,8})"/g;

const LATE_PART = /^S:[\da-f]{1,8}$/;
const WAITING_PLACE = /^[BP]:[\da-f]{1,8}$/;

/** Puts nodes in place of so many siblings. */
function replaceNodes(first: AnyNode, count: number, nodes: readonly AnyNode[]): void {
	const { parent } = first;
	if (parent === null) return;
	const children = [...parent.children];
	children.splice(children.indexOf(first), count, ...nodes);
	parent.children = children;
	for (const [index, child] of children.entries()) {
		child.parent = parent;
		child.prev = children[index - 1] ?? null;
		child.next = children[index + 1] ?? null;
	}
}

function commentIn(node: AnyNode): string | undefined {
	const kind: string = node.type;
	return kind === 'comment' && 'data' in node ? node.data : undefined;
}

/** The number of nodes that stand in for a late part, from its place to before the comment that ends the boundary. */
function countStandIns(place: Element): number {
	let depth = 0;
	let count = 1;
	for (let node = place.next; node !== null; node = node.next, count += 1) {
		const comment = commentIn(node);
		if (comment === '/$' && depth === 0) return count;
		if (comment === '/$') depth -= 1;
		else if (comment !== undefined && /^\$[?!~]?$/.test(comment)) depth += 1;
	}
	return 1;
}

/** The levels of elements in a part. */
function heightOf(part: Element): number {
	let height = 0;
	let level: readonly AnyNode[] = [part];
	for (; level.length > 0; height += 1) level = level.flatMap(childrenOf);
	return height;
}

/** Whether a part has room in its place, which must not be in the part itself. */
function fits(part: Element, place: Element): boolean {
	let levels = heightOf(part);
	for (let node = place.parent; node !== null; node = node.parent, levels += 1) {
		if (node === part) return false;
	}
	return levels <= MOST_LEVELS_IN_ALL;
}

/** Levels around a late part that React adds so that it can be parsed: one of a table comes in a table. */
const WRAPPER_LEVELS = 3;

/** The hidden element that holds a late part, which may be the part itself. */
function wrapperOf(part: Element): Element {
	let node: AnyNode | null = part;
	for (let level = 0; level < WRAPPER_LEVELS && node !== null; level += 1, node = node.parent) {
		if (isElement(node) && node.attribs.hidden !== undefined) return node;
	}
	return part;
}

/** A `noscript` with less text asks for scripts, rather than holds the page, as those of forums do. */
const SHORTEST_NOSCRIPT = 200;

/** The content of a page that comes late, or without scripts only. */
export class LateContent {
	private readonly parts = new Map<string, Element>();

	private readonly places = new Map<string, Element>();

	private readonly partOfPlace = new Map<string, string>();

	private readonly noscripts: Element[] = [];

	/** Notes an element of the page that is a part of it. */
	note(element: Element): void {
		const { name, attribs, children } = element;
		const { id = '' } = attribs;
		if (LATE_PART.test(id)) this.parts.set(id, element);
		else if (name === 'template' && WAITING_PLACE.test(id)) this.places.set(id, element);
		else if (isNoscript(element)) this.noscripts.push(element);
		else if (name === 'script' && children[0] !== undefined && isTextNode(children[0])) {
			const { data } = children[0];
			for (const [, first, second] of data.includes('$R') ? data.matchAll(REACT_CALL) : []) {
				const [place, part] = first.startsWith('B') ? [first, second] : [second, first];
				this.partOfPlace.set(place, part);
			}
		}
	}

	/** Puts all of it where a reader of the page sees it. */
	async place(document: Document, pause: Pause): Promise<void> {
		await this.placeParts(pause);
		await this.openNoscripts(document, pause);
	}

	/**
	 * Puts the parts of a page that React streams late where its scripts put them (react-dom, `completeBoundary` and
	 * `completeSegment`). One without a place is shown where it stands.
	 */
	private async placeParts(pause: Pause): Promise<void> {
		const { parts, places, partOfPlace } = this;
		for (const [id, place] of [...places].slice(0, MOST_LATE_PARTS)) {
			await pause();
			const partId = partOfPlace.get(id) ?? id.replace(/^./, 'S');
			const part = parts.get(partId);
			if (part === undefined || !fits(part, place)) continue;
			parts.delete(partId);
			const wrapper = wrapperOf(part);
			const nodes = part.children;
			replaceNodes(wrapper, 1, []);
			replaceNodes(place, id.startsWith('B') ? countStandIns(place) : 1, nodes);
		}
		for (const part of parts.values()) delete wrapperOf(part).attribs.hidden;
	}

	/** Puts the content of `noscript` in its place where that is the page: more than all that is shown without it. */
	private async openNoscripts(document: Document, pause: Pause): Promise<void> {
		const lengths = new Map<Element, number>();
		for (const element of this.noscripts) {
			const { contentLength } = await findShownNodes(element, pause);
			if (contentLength >= SHORTEST_NOSCRIPT) lengths.set(element, contentLength);
		}
		if (lengths.size === 0) return;
		let { contentLength } = await findShownNodes(document, pause);
		for (const [noscript, length] of [...lengths].sort(([, a], [, b]) => b - a)) {
			if (length <= contentLength) return;
			contentLength += length;
			replaceNodes(noscript, 1, noscript.children);
		}
	}
}
