import { compile } from 'css-select';
import { render } from 'dom-serializer';
import { Element, isTag, type AnyNode, type Document } from 'domhandler';
import * as domUtils from 'domutils';
import { html as standard, Parser } from 'parse5';
import { adapter, type Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter';

/** How much of a page becomes a tree. */
export interface TreeLimits {
	/** In characters. */
	readonly length: number;
	/** Comments, and all else that takes up memory as an element does, count as well. */
	readonly elements: number;
	/** Attributes of an element: a tag may be as long as the page. */
	readonly attributes: number;
	/** Levels of nesting: the parser's time grows with them, and each costs a part of the stack later. */
	readonly levels: number;
}

/** A page as a tree of nodes. */
export interface MarkupTree {
	readonly document: Document;
	/** How many characters of the page are in it: fewer than the page has where it reaches a limit. */
	readonly readLength: number;
}

/** Characters that are parsed in one piece. */
const HTML_PART = 65_536;

/** Elements that are made in one piece: a short tag can make a thousand of them. */
const ELEMENTS_AT_ONCE = 1000;

const HOLDS_TEXT = new Set(
	'iframe noembed noframes noscript plaintext script style textarea title xmp'.split(' '),
);

type HtmlParser = Parser<Htmlparser2TreeAdapterMap>;
type TreeAdapter = typeof adapter;

/** The parser asks for these positions near the end, where it adds and moves elements. */
function removeFromParent(node: AnyNode): void {
	const { parent, prev, next } = node;
	if (parent === null) return;
	parent.children.splice(parent.children.lastIndexOf(node), 1);
	if (prev !== null) prev.next = next;
	if (next !== null) next.prev = prev;
	node.parent = null;
	node.prev = null;
	node.next = null;
}

/** Makes the nodes of one page, and pauses the parser after each piece of work. */
class PageBuilder {
	/** Elements and comments made so far. */
	elements = 0;

	/** Elements whose markup a browser keeps as text, as it runs scripts. */
	readonly noscripts: Element[] = [];

	private readonly treeAdapter: TreeAdapter;

	private parser?: HtmlParser;

	private isPaused = false;

	constructor(private readonly limits: TreeLimits) {
		this.treeAdapter = {
			...adapter,
			createElement: (name, namespace, attributes) => {
				const attribs: Record<string, string> = {};
				for (const { name: key, value } of attributes.slice(0, limits.attributes)) {
					attribs[key] = value;
				}
				const element = new Element(name, attribs, []);
				element.namespace = namespace;
				if (name === 'noscript' && namespace === standard.NS.HTML) this.noscripts.push(element);
				this.count();
				return element;
			},
			createCommentNode: (data) => {
				this.count();
				return adapter.createCommentNode(data);
			},
			adoptAttributes: ({ attribs }, attributes) => {
				for (const { name, value } of attributes.slice(0, limits.attributes))
					attribs[name] ??= value;
			},
			detachNode: removeFromParent,
			insertBefore: (parent, node, reference) => {
				const { prev } = reference;
				parent.children.splice(parent.children.lastIndexOf(reference), 0, node);
				if (prev !== null) prev.next = node;
				node.prev = prev;
				node.next = reference;
				node.parent = parent;
				reference.prev = node;
			},
			insertTextBefore: (parent, text, reference) => {
				const { prev } = reference;
				if (prev !== null && adapter.isTextNode(prev)) prev.data += text;
				else this.treeAdapter.insertBefore(parent, adapter.createTextNode(text), reference);
			},
			onItemPush: () => {
				if (this.isTooDeep) this.pause();
			},
		};
	}

	/** Parses a whole document, or what stands in an element of one; yields between pieces of work. */
	*parse(html: string, length: number, context?: Element): Generator<undefined, MarkupTree> {
		const { treeAdapter } = this;
		this.parser = undefined;
		const parser: HtmlParser =
			context === undefined
				? new Parser({ treeAdapter })
				: Parser.getFragmentParser(context, { treeAdapter });
		this.parser = parser;
		let end = 0;
		while (end < length && this.elements < this.limits.elements) {
			const start = end;
			end = Math.min(start + HTML_PART, length);
			parser.tokenizer.write(html.slice(start, end), false);
			yield* this.goOn();
		}
		parser.tokenizer.write('', true);
		yield* this.goOn();
		const document = context === undefined ? parser.document : parser.getFragment();
		return { document, readLength: end };
	}

	private count(): void {
		this.elements += 1;
		if (this.elements % ELEMENTS_AT_ONCE === 0) this.pause();
	}

	private pause(): void {
		if (this.parser === undefined) return;
		this.isPaused = true;
		this.parser.tokenizer.pause();
	}

	private *goOn(): Generator<undefined, void> {
		yield;
		while (this.isPaused) {
			this.isPaused = false;
			this.closeDeepest();
			this.parser?.tokenizer.resume();
			yield;
		}
	}

	private get isTooDeep(): boolean {
		return this.parser !== undefined && this.parser.openElements.stackTop >= this.limits.levels;
	}

	/** Goes on as if the end tags of the inner half of what is open had come. */
	private closeDeepest(): void {
		const { parser } = this;
		if (parser === undefined || !this.isTooDeep) return;
		const { openElements, activeFormattingElements, tmplInsertionModeStack } = parser;
		// The text of a script is no markup: it is read to its end first
		const { current } = openElements;
		if (current && adapter.isElementNode(current) && HOLDS_TEXT.has(current.name)) return;
		// Or each of them would be made again for the next text
		while (activeFormattingElements.newest !== null) activeFormattingElements.clearToLastMarker();
		openElements.shortenToLength(Math.floor(this.limits.levels / 2));
		tmplInsertionModeStack.splice(0, tmplInsertionModeStack.length - openElements.tmplCount);
		parser._resetInsertionMode();
	}
}

/** Reads a page as a browser does (html.spec.whatwg.org, 13.2). Yields between pieces of work. */
export function* readHtmlTree(html: string, limits: TreeLimits): Generator<undefined, MarkupTree> {
	const builder = new PageBuilder(limits);
	const tree = yield* builder.parse(html, Math.min(html.length, limits.length));
	// Pictures that load late have their address in there
	for (const element of builder.noscripts.splice(0)) {
		const [child] = element.children;
		if (child === undefined || !adapter.isTextNode(child)) continue;
		const { data } = child;
		element.children = [];
		const inside = yield* builder.parse(data, data.length, new Element('div', {}));
		for (const node of inside.document.children) adapter.appendChild(element, node);
	}
	return tree;
}

/** Elements that people write a pseudo-class behind: an unknown one is a mistake there. */
const NO_PREFIXES = new Set(
	'a article body button dd div dl dt form h1 h2 h3 h4 h5 h6 html img input label li main math nav ol option p section select span svg table tbody td th thead tr ul'.split(
		' ',
	),
);

const PREFIXED_NAME = /(?<![\w\\:.#|*)\]-])([a-z][\w-]*)[:|]([a-z][\w-]*)(?![\w(-])/gi;

/** A selector with the names of XML, such as `dc:creator` or `dc|creator`, as CSS writes names with a colon. */
function withPrefixedNames(selector: string): string {
	// Neither in attributes nor in quotes
	const parts = selector.split(/(\[[^\]]{0,1000}\]|"[^"]{0,1000}"|'[^']{0,1000}')/);
	const inPart = (part: string) =>
		part.replace(PREFIXED_NAME, (all, prefix: string, name: string) =>
			NO_PREFIXES.has(prefix.toLowerCase()) ? all : `${prefix}\\:${name}`,
		);
	return parts.map((part, index) => (index % 2 === 0 ? inPart(part) : part)).join('');
}

/**
 * Whether an element is one of those that a CSS selector picks.
 *
 * @param onVisit called for each node that is visited; what it throws ends the search
 * @param pseudos selectors of the caller's own, which go before the library's of that name
 * @param scope one node, in place of which another may be put at any time, that `:scope` stands for; the root without it
 * @throws Error for what is no selector
 */
export function compileCss(
	selector: string,
	isXml: boolean,
	onVisit: () => void,
	pseudos: Record<string, (element: Element, rule?: string | null) => boolean>,
	scope?: AnyNode[],
): (element: Element) => boolean {
	const isCountedTag = (node: AnyNode): node is Element => {
		onVisit();
		return isTag(node);
	};
	// Of a picture in SVG, names have capitals, and those of selectors have none
	const getName = ({ name }: Element) => (isXml ? name : name.toLowerCase());
	const options = {
		adapter: { ...domUtils, getName, isTag: isCountedTag },
		xmlMode: isXml,
		pseudos,
	};
	// Not a copy: the library reads the node anew for each element
	const compiled = (text: string) => compile<AnyNode, Element>(text, options, scope);
	const prefixed = withPrefixedNames(selector);
	if (prefixed === selector) return compiled(selector);
	try {
		return compiled(selector);
	} catch {
		return compiled(prefixed);
	}
}

/** Nodes that are written in one piece. */
const NODES_RENDERED_AT_ONCE = 500;

/** Whether a node is written in one piece: with few nodes in it. */
function isOnePiece(node: AnyNode): boolean {
	let nodes = 0;
	const waiting: AnyNode[] = [node];
	for (let held = waiting.pop(); held !== undefined; held = waiting.pop()) {
		const children = 'children' in held ? held.children : [];
		nodes += children.length;
		if (nodes > NODES_RENDERED_AT_ONCE) return false;
		waiting.push(...children);
	}
	return true;
}

/** An element's tags, as HTML or, within drawings and formulas, as the library's mode for foreign elements. */
function tagsOf({ name, attribs, parent }: Element, xmlMode: false | 'foreign') {
	const alone = new Element(name, attribs, []);
	alone.parent = parent;
	const tag = render(alone, { encodeEntities: 'utf8', xmlMode });
	// Only a foreign element without content is written so, and the library gives its name back its capitals
	const isForeign = tag.endsWith('/>');
	const end = `</${alone.name}>`;
	const start = isForeign ? `${tag.slice(0, -2)}>` : tag.slice(0, -end.length);
	return { start, end, inside: isForeign ? ('foreign' as const) : (false as const) };
}

/** Writes the HTML of what stands in an element. Yields between pieces of work. */
export function* innerHtml({ children }: Document | Element): Generator<undefined, string> {
	const parts: string[] = [];
	const waiting: Array<{ node: AnyNode; xmlMode: false | 'foreign' } | string> = [];
	const enqueue = (nodes: readonly AnyNode[], xmlMode: false | 'foreign') => {
		for (let at = nodes.length - 1; at >= 0; at -= 1) waiting.push({ node: nodes[at], xmlMode });
	};
	enqueue(children, false);
	for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
		if (typeof next === 'string') parts.push(next);
		else if (!isTag(next.node) || isOnePiece(next.node)) {
			parts.push(render(next.node, { encodeEntities: 'utf8', xmlMode: next.xmlMode }));
		} else {
			const { start, end, inside } = tagsOf(next.node, next.xmlMode);
			parts.push(start);
			waiting.push(end);
			enqueue(next.node.children, inside);
		}
		yield;
	}
	return parts.join('');
}
