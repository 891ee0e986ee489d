import { compile } from 'css-select';
import { render } from 'dom-serializer';
import { Element, isTag, Text, type AnyNode, type Document } from 'domhandler';
import * as domUtils from 'domutils';
import checkOf from 'nth-check';
import { html as standard, InsertionMode, parseFragment, Parser, type Token } from 'parse5';
import { adapter, type Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter';

import { propertyOf } from '../guards';

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

/** Characters that are parsed in one piece at least. */
const HTML_PART = 16_384;

/** Elements that are made in one piece: a short tag can make a thousand of them. */
const ELEMENTS_AT_ONCE = 1000;

const HOLDS_TEXT = new Set(
	'iframe noembed noframes noscript plaintext script style textarea title xmp'.split(' '),
);

type TreeAdapter = typeof adapter;

const { TAG_ID: TAG } = standard;

/** Tags that begin something in a `select` as the library has it. */
const OF_SELECT: ReadonlySet<number> = new Set([
	...[TAG.OPTION, TAG.OPTGROUP, TAG.HR, TAG.SCRIPT, TAG.TEMPLATE],
	// Which end it in a table
	...[TAG.CAPTION, TAG.TABLE, TAG.TBODY, TAG.TFOOT, TAG.THEAD, TAG.TR, TAG.TD, TAG.TH],
]);

type HtmlParser = Parser<Htmlparser2TreeAdapterMap>;

/** A parser that keeps elements in a `select`, as the standard has it since July 2025, and the library does not yet. */
class ParserOfSelects extends Parser<Htmlparser2TreeAdapterMap> {
	override _startTagOutsideForeignContent(token: Token.TagToken): void {
		const { tagID } = token;
		const { openElements, isInSelect } = this;
		const start = () => super._startTagOutsideForeignContent(token);
		if (isInSelect && tagID === TAG.SELECT) return this.closeSelect();
		// Of what the library does not know there, an input ends it
		if (!isInSelect || tagID === TAG.INPUT) return start();
		if (!OF_SELECT.has(tagID)) return this.asInBody(start);
		if (tagID === TAG.OPTION) openElements.generateImpliedEndTagsWithExclusion(TAG.OPTGROUP);
		if (tagID === TAG.OPTGROUP || tagID === TAG.HR) openElements.generateImpliedEndTags();
		start();
	}

	override _endTagOutsideForeignContent(token: Token.TagToken): void {
		const { tagID, tagName } = token;
		const { openElements, isInSelect } = this;
		const end = () => super._endTagOutsideForeignContent(token);
		if (isInSelect && tagID === TAG.SELECT) return this.closeSelect();
		const isOfTable = OF_SELECT.has(tagID) && tagID !== TAG.OPTION && tagID !== TAG.OPTGROUP;
		if (!isInSelect || isOfTable) return end();
		const index = openElements.indexOfTopmostByName(standard.NS.HTML, tagName);
		if (index > openElements.indexOfTopmost(TAG.SELECT)) this.asInBody(end);
	}

	private get isInSelect(): boolean {
		const { insertionMode: mode } = this;
		return mode === InsertionMode.IN_SELECT || mode === InsertionMode.IN_SELECT_IN_TABLE;
	}

	private closeSelect(): void {
		this.openElements.popUntilTagNamePopped(TAG.SELECT);
		this._resetInsertionMode();
	}

	/** Processes a tag as in the body of a page, where it does not end a paragraph around the `select`. */
	private asInBody(process: () => void): void {
		const { openElements, insertionMode } = this;
		const select = openElements.indexOfTopmost(TAG.SELECT);
		openElements.hasInButtonScope = (tag) => openElements.indexOfTopmost(tag) > select;
		this.insertionMode = InsertionMode.IN_BODY;
		process();
		Reflect.deleteProperty(openElements, 'hasInButtonScope');
		if (openElements.indexOfTopmost(TAG.SELECT) < select) this._resetInsertionMode();
		else if (this.insertionMode === InsertionMode.IN_BODY) this.insertionMode = insertionMode;
		else this.originalInsertionMode = insertionMode;
	}
}

/**
 * How many characters the parser is given next. It keeps a tag or a comment that has not ended, such as one with a picture
 * in an attribute, and copies it for each part.
 */
function partAfter({ tokenizer }: HtmlParser): number {
	return Math.max(HTML_PART, Math.floor(tokenizer.preprocessor.html.length / 8));
}

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

	/** Frames that show a document of their own, which stands in an attribute. */
	readonly frames: Element[] = [];

	private readonly treeAdapter: TreeAdapter;

	private parser?: HtmlParser;

	private isPaused = false;

	constructor(private readonly limits: TreeLimits) {
		this.treeAdapter = {
			...adapter,
			createElement: (name, namespace, attributes) => {
				const attribs: Record<string, string> = {};
				for (const { name: key, value, prefix } of attributes) {
					attribs[prefix ? `${prefix}:${key}` : key] = value;
				}
				const element = new Element(name, attribs, []);
				element.namespace = namespace;
				if (namespace === standard.NS.HTML) {
					if (name === 'noscript') this.noscripts.push(element);
					if (name === 'iframe' && attribs.srcdoc !== undefined) this.frames.push(element);
				}
				this.count();
				return element;
			},
			createCommentNode: (data) => {
				this.count();
				return adapter.createCommentNode(data);
			},
			adoptAttributes: ({ attribs }, attributes) => {
				for (const { name, value } of attributes) attribs[name] ??= value;
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
				? new ParserOfSelects({ treeAdapter })
				: ParserOfSelects.getFragmentParser(context, { treeAdapter });
		this.parser = parser;
		this.limitAttributes(parser);
		let end = 0;
		while (end < length && this.elements < this.limits.elements) {
			const start = end;
			end = Math.min(start + partAfter(parser), length);
			parser.tokenizer.write(html.slice(start, end), false);
			// Or it keeps a text without a blank, too
			parser.tokenizer.flushCurrentCharacterToken();
			yield* this.goOn();
		}
		parser.tokenizer.write('', true);
		yield* this.goOn();
		const document = context === undefined ? parser.document : parser.getFragment();
		return { document, readLength: end };
	}

	/** Parses the markup of what stands in an element. */
	*parseInto(parent: Element, html: string): Generator<undefined, void> {
		const { document } = yield* this.parse(html, html.length, new Element('div', {}));
		for (const node of document.children) adapter.appendChild(parent, node);
	}

	private count(): void {
		this.elements += 1;
		if (this.elements % ELEMENTS_AT_ONCE === 0) this.pause();
	}

	/** Keeps the first attributes of each tag only: a list as long as the page takes long to grow. */
	private limitAttributes({ tokenizer }: HtmlParser): void {
		const keep: unknown = Reflect.get(tokenizer, '_leaveAttrName');
		if (typeof keep !== 'function') throw new Error('The parser keeps attributes in another way');
		Reflect.set(tokenizer, '_leaveAttrName', () => {
			const attributes = propertyOf(Reflect.get(tokenizer, 'currentToken'), 'attrs');
			const isFull = Array.isArray(attributes) && attributes.length >= this.limits.attributes;
			if (!isFull) Reflect.apply(keep, tokenizer, []);
		});
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
	// As deep as a page is, with all that is in it
	const frames = builder.frames.splice(0);
	for (const frame of frames) {
		const { srcdoc } = frame.attribs;
		frame.children = [];
		// A browser shows it in place of what is in the element, as a shadow root
		const shown = new Element('template', { shadowrootmode: 'closed' }, []);
		shown.namespace = standard.NS.HTML;
		adapter.appendChild(frame, shown);
		yield* builder.parseInto(shown, srcdoc);
	}
	// Pictures that load late have their address in there
	for (const element of builder.noscripts.splice(0)) {
		const [child] = element.children;
		if (child === undefined || !adapter.isTextNode(child)) continue;
		element.children = [];
		yield* builder.parseInto(element, child.data);
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
const WRITTEN_AT_ONCE = 5000;

const HTML_TEXT = { encodeEntities: 'utf8' } as const;

/** The number of nodes in one, as far as it is written in one piece. */
function sizeOf(node: AnyNode): number {
	let size = 1;
	const waiting = [node];
	for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
		if (!isTag(one)) continue;
		size += one.children.length;
		if (size > WRITTEN_AT_ONCE) break;
		waiting.push(...one.children);
	}
	return size;
}

/** Adds the HTML of nodes to parts of a text. */
async function writeHtml(
	nodes: readonly AnyNode[],
	parts: string[],
	pause: () => Promise<void>,
): Promise<void> {
	let waiting: AnyNode[] = [];
	let room = WRITTEN_AT_ONCE;
	const write = async () => {
		parts.push(render(waiting, HTML_TEXT));
		waiting = [];
		room = WRITTEN_AT_ONCE;
		await pause();
	};
	for (const node of nodes) {
		const size = sizeOf(node);
		if (size > room) await write();
		// The tags in a drawing or a formula are none of HTML
		if (size <= WRITTEN_AT_ONCE || !isTag(node) || /^(?:svg|math)$/.test(node.name)) {
			waiting.push(node);
			room -= size;
			continue;
		}
		const shell = new Element(node.name, node.attribs, [new Text('')]);
		const tags = render(shell, HTML_TEXT);
		const end = tags.lastIndexOf('<');
		parts.push(tags.slice(0, end));
		await writeHtml(node.children, parts, pause);
		parts.push(tags.slice(end));
	}
	await write();
}

/** Writes the HTML of what stands in an element. */
export async function innerHtml(
	{ children }: Document | Element,
	pause: () => Promise<void>,
): Promise<string> {
	const parts: string[] = [];
	await writeHtml(children, parts, pause);
	return parts.join('');
}

/** The characters that HTML names so, such as "eacute"; undefined for none. */
export function charactersNamed(name: string): string | undefined {
	const reference = `&${name};`;
	const [node] = parseFragment(reference, { treeAdapter: adapter }).children;
	return adapter.isTextNode(node) && node.data !== reference ? node.data : undefined;
}

/** The library takes more for a rule than browsers do. */
const POSITION_FORMULA = /^\s*(?:odd|even|[+-]?\d*n(?:\s*[+-]\s*\d+)?|[+-]?\d+)\s*$/i;

/** Whether a position, from 0, is one that a rule such as `2n+1`, `odd`, or `3` names. Throws Error for what is no rule. */
export function nthCheck(rule: string): (index: number) => boolean {
	if (!POSITION_FORMULA.test(rule)) throw new Error(`"${rule}" names no position`);
	return checkOf(rule);
}
