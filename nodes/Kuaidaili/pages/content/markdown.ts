import type { AnyNode, Element } from 'domhandler';

import { formatNumber } from '../../../shared/wording';
import type { HtmlPage } from './html';
import { codeBlock, codeSpan, InlineText, markdownLink, PARTS_AT_ONCE } from './inlineText';
import { isTrackingPixel, pictureSource } from './pictures';
import {
	findShownNodes,
	isNoscript,
	LONGEST_STYLE,
	measureNodes,
	visibleLength,
	type MeasuredNodes,
	type ShownNodes,
} from './shownNodes';
import { gridOf, isCell, rowGroupsOf } from './tableGrid';
import {
	absoluteUrl,
	collapsed,
	elementsOf,
	exactText,
	hrefOf,
	isBlock,
	isElement,
	isTextNode,
	labelOf,
	linkUrl,
	childrenOf,
	textOf,
	withPauses,
	type Pause,
} from './tree';

/** Nodes that are written in one piece. */
const NODES_AT_ONCE = 200;

/** Characters of all addresses: the page's own is in each of a hundred thousand links. */
const ADDRESS_ROOM = 20_000_000;

/** Characters of a block of code that are written in one piece, to the end of their line. */
const CODE_AT_ONCE = 100_000;

/** Lists and quotes in each other that are indented: deeper ones would be mostly blanks. */
const MOST_INDENTS = 12;

/** The most columns of one cell: a page may say any number. */
const MOST_SPANNED = 50;

/** Characters of a link or a table's cell that make one line; a larger link is written by its parts. */
const LONGEST_LINE = 8000;

const CODE = new Set(['code', 'kbd', 'samp', 'tt']);
const STRUCK = new Set(['del', 's', 'strike']);
const CODE_BLOCKS = new Set(['pre', 'xmp', 'listing', 'plaintext']);
const LIST_TAGS = new Set(['ul', 'ol', 'menu', 'dir']);
const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);

function isNamed(node: AnyNode, names: ReadonlySet<string>): node is Element {
	return isElement(node) && names.has(node.name);
}

function isItem(node: AnyNode): node is Element {
	return isElement(node) && node.name === 'li';
}

/** A power, rather than a note or an ordinal such as "1st": numbers and single letters, with signs between them. */
const POWER =
	/^[-+\u2212]?(?:\d+(?:\.\d+)?[a-z]?|[a-z])(?:[-+\u2212*/\u00b7\u00d7](?:\d+(?:\.\d+)?[a-z]?|[a-z]))*$/i;

function powerOf(text: string): string {
	const plain = text.replace(/[\s()]/g, '');
	if (!POWER.test(plain)) return text;
	return /^[-+\u2212]?\w+$/.test(plain) ? `^${plain}` : `^(${plain})`;
}

/** Marks of emphasis. */
const EMPHASIS: Readonly<Record<string, '*' | '**' | undefined>> = {
	...{ b: '**', strong: '**', em: '*', i: '*' },
};

const WHITE_SPACE = /(?:^|;)\s*white-space\s*:\s*([a-z-]+)/i;

/** Whether an inline style keeps the line breaks in an element, or leaves that as it is around it. */
function keepsLinesIn({ attribs: { style } }: Element, isKept: boolean): boolean {
	const [, value] =
		(style === undefined ? null : WHITE_SPACE.exec(style.slice(0, LONGEST_STYLE))) ?? [];
	return value === undefined ? isKept : /^(?:pre|pre-wrap|pre-line|break-spaces)$/i.test(value);
}

/** Something that holds blocks: the page, a quote, a list, or an item. */
interface Container {
	readonly parent?: Container;
	/** Stands before the first line of what is in it. */
	readonly marker: string;
	/** Stands before all other lines. */
	readonly prefix: string;
	readonly kind: 'page' | 'quote' | 'list' | 'item';
	readonly depth: number;
	/** The block that was written last in it. */
	last?: 'paragraph' | 'other';
}

function inside(
	parent: Container,
	kind: Container['kind'],
	marker: string,
	indent: string,
): Container {
	const isIndented = parent.depth < MOST_INDENTS;
	return {
		parent,
		kind,
		marker: isIndented || kind === 'item' ? marker : '',
		prefix: parent.prefix + (isIndented ? indent : ''),
		depth: parent.depth + (indent === '' ? 0 : 1),
	};
}

/** A text whose lines but the first one have the marks of what they stand in. */
function withPrefix(text: string, prefix: string): string {
	if (prefix === '') return text;
	const blank = prefix.trimEnd();
	const [first, ...others] = text.split('\n');
	const continued = others.map((line) => `\n${line === '' ? blank : prefix + line}`);
	return first + continued.join('');
}

/** A page as far as its blocks ask for it. */
type WrittenPage = Pick<HtmlPage, 'baseUrl' | 'encoding' | 'title'>;

/** Writes Markdown block after block; yields between pieces of work. */
export class MarkdownWriter {
	/** The last blocks, and the marks between them. */
	private readonly parts: string[] = [];

	/** All before them, a few thousand in one: a million at the end would be put together in one piece. */
	private readonly written: string[] = [];

	private nodes = 0;

	/** The address of the large link that the blocks stand in, until one of them has it. */
	private waitingUrl?: string;

	private isStruck = false;

	/** Whether line breaks of the page are some of the text. */
	private keepsLines = false;

	private isInHeading = false;

	/** The name of the link that a picture without a text stands for. */
	private pictureLabel = '';

	private lastPicture?: string;

	private addressRoom = ADDRESS_ROOM;

	private readonly root: Container = { kind: 'page', marker: '', prefix: '', depth: 0 };

	private shown: MeasuredNodes = { leftOut: new Set(), holdBlocks: new Set(), lengths: new Map() };

	constructor(private page: WrittenPage) {}

	toString(): string {
		return [...this.written, ...this.parts].join('');
	}

	/** Writes nodes of a page, such as of an entry of a feed. */
	*write(
		nodes: readonly AnyNode[],
		page: WrittenPage,
		shown: MeasuredNodes,
	): Generator<undefined, void> {
		this.page = page;
		this.shown = shown;
		yield* this.blocksOf(nodes, this.root);
	}

	*writeHeading(level: number, text: string, url?: string): Generator<undefined, void> {
		const line = new InlineText(true, url !== undefined);
		yield* line.addText(text);
		if (line.isEmpty) return;
		const heading =
			url === undefined || !this.hasRoomFor(url)
				? line.toString()
				: markdownLink(line.toString(), url);
		this.add(this.root, `${'#'.repeat(level)} ${heading}`);
	}

	*writeParagraph(text: string): Generator<undefined, void> {
		const line = new InlineText(false);
		yield* line.addText(text);
		if (!line.isEmpty) this.add(this.root, yield* line.toParagraph(), 'paragraph');
	}

	/** Adds a link of its own line. */
	writeLink(text: string, url: string): void {
		if (this.hasRoomFor(url)) this.add(this.root, markdownLink(text, url), 'paragraph');
	}

	/** Writes a list of texts, an item each. */
	*writeLines(texts: readonly string[]): Generator<undefined, void> {
		const list = inside(this.root, 'list', '', '');
		for (const text of texts) {
			const line = new InlineText(true);
			yield* line.addText(text);
			yield* this.step();
			this.add(inside(list, 'item', '- ', '  '), yield* line.toParagraph(), 'paragraph');
		}
	}

	/** Says where a very long page was cut. */
	writeEnd({ readLength, length }: Pick<HtmlPage, 'readLength' | 'length'>): void {
		if (readLength >= length) return;
		const [read, all] = [formatNumber(readLength), formatNumber(length)];
		this.add(
			this.root,
			`[The page goes on. This is the text of the first ${read} characters of its ${all}.]`,
		);
	}

	private *step(): Generator<undefined, void> {
		this.nodes += 1;
		if (this.nodes % NODES_AT_ONCE === 0) yield;
	}

	private isLeftOut(node: AnyNode): boolean {
		return this.shown.leftOut.has(node);
	}

	private shownIn(node: AnyNode): AnyNode[] {
		return childrenOf(node).filter((child) => !this.isLeftOut(child));
	}

	private lengthOf(node: AnyNode): number {
		return isTextNode(node) ? visibleLength(node.data) : (this.shown.lengths.get(node) ?? 0);
	}

	private add(container: Container, text: string, kind: 'paragraph' | 'other' = 'other'): void {
		this.parts.push(this.begin(container, kind), withPrefix(text, container.prefix));
		if (this.parts.length >= PARTS_AT_ONCE) this.written.push(this.parts.splice(0).join(''));
	}

	/** Adds a block of any number of lines. */
	private *addLines(container: Container, text: string): Generator<undefined, void> {
		this.parts.push(this.begin(container, 'other'));
		let end = 0;
		for (let start = 0; start < text.length; start = end) {
			const found = text.indexOf('\n', start + CODE_AT_ONCE);
			end = found < 0 ? text.length : found;
			this.parts.push(withPrefix(text.slice(start, end), container.prefix));
			yield;
		}
	}

	/** The line ends and marks between the block before and the next one of a container. */
	private begin(container: Container, kind: 'paragraph' | 'other'): string {
		const { parent, last, prefix, marker } = container;
		container.last = kind;
		if (last === undefined) {
			return parent === undefined ? '' : this.begin(parent, 'other') + marker;
		}
		const isItemApart = container.kind === 'item' && kind !== 'paragraph';
		const isClose = container.kind === 'list' || isItemApart;
		return isClose ? `\n${prefix}` : `\n${prefix.trimEnd()}\n${prefix}`;
	}

	private *blocksOf(nodes: readonly AnyNode[], container: Container): Generator<undefined, void> {
		let line: AnyNode[] = [];
		for (const node of nodes) {
			yield* this.step();
			if (this.isLeftOut(node)) continue;
			if (!isBlock(node) && !this.standsApart(node)) {
				line.push(node);
				continue;
			}
			yield* this.paragraphOf(line, container);
			line = [];
			yield* this.blocksOfOne(node, container);
		}
		yield* this.paragraphOf(line, container);
	}

	/** Whether something that is no block by itself is written as blocks. */
	private standsApart(node: AnyNode): boolean {
		if (!this.shown.holdBlocks.has(node)) return false;
		if (!isElement(node) || node.name !== 'a') return true;
		return this.lengthOf(node) > LONGEST_LINE || holdsHeading(node);
	}

	private *paragraphOf(
		nodes: readonly AnyNode[],
		container: Container,
	): Generator<undefined, void> {
		if (nodes.length === 0) return;
		const line = new InlineText(false, this.waitingUrl !== undefined);
		yield* this.inline(nodes, line);
		const text = this.wrapped(yield* line.toParagraph());
		if (text !== '') this.add(container, text, 'paragraph');
	}

	/** A line with the marks of what it stands in. */
	private wrapped(text: string): string {
		if (text === '') return text;
		const struck = this.isStruck ? `~~${text}~~` : text;
		const url = this.waitingUrl;
		if (url === undefined || text.includes('](')) return struck;
		this.waitingUrl = undefined;
		return markdownLink(struck.replace(/\n/g, ' '), url);
	}

	private *blocksOfOne(node: AnyNode, container: Container): Generator<undefined, void> {
		const children = this.shownIn(node);
		if (!isElement(node)) return yield* this.blocksOf(children, container);
		const { name } = node;
		const level = /^h([1-6])$/.exec(name)?.[1];
		if (name === 'hr') return this.add(container, '---');
		if (CODE_BLOCKS.has(name)) return yield* this.codeOf(node, container);
		if (LIST_TAGS.has(name)) return yield* this.listOf(node, container);
		if (name === 'li') return yield* this.itemsOf([node], inside(container, 'list', '', ''), '- ');
		if (name === 'table') return yield* this.tableOf(node, container);
		if (level !== undefined) return yield* this.headingOf(node, Number(level), container);
		if (name === 'blockquote') {
			return yield* this.blocksOf(children, inside(container, 'quote', '> ', '> '));
		}
		const { waitingUrl, isStruck, keepsLines } = this;
		if (name === 'a') this.waitingUrl = this.urlOf(node);
		this.isStruck ||= this.strikes(node);
		this.keepsLines = keepsLinesIn(node, keepsLines);
		yield* this.blocksOf(children, container);
		if (name === 'a') this.waitingUrl = waitingUrl;
		this.isStruck = isStruck;
		this.keepsLines = keepsLines;
	}

	private strikes({ name, attribs }: Element): boolean {
		return STRUCK.has(name) || /line-through/.test(attribs.style ?? '');
	}

	/** The address of a link; empty where it leads to a place of the same page, runs a script, or is none. */
	private urlOf(link: Element): string | undefined {
		const href = hrefOf(link);
		if (href === undefined || href.trim().startsWith('#')) return undefined;
		const url = linkUrl(href, this.page);
		return url !== undefined && this.hasRoomFor(url) ? url : undefined;
	}

	private hasRoomFor(url: string): boolean {
		this.addressRoom -= url.length;
		return this.addressRoom >= 0;
	}

	private *codeOf(element: Element, container: Container): Generator<undefined, void> {
		const lines = new CodeText();
		yield* this.codeLines(element, lines, true);
		const text = lines.toString();
		if (text.trim() === '') return;
		yield* this.addLines(container, codeBlock(text, languageOf(element)));
	}

	/** The lines of code as they stand, and each element that is shown on a line of its own. */
	private *codeLines(node: AnyNode, lines: CodeText, isOuter: boolean): Generator<undefined, void> {
		yield* this.step();
		if (isTextNode(node)) return lines.add(node.data);
		const children = this.shownIn(node);
		const areLines = isOuter && areLinesOfCode(children);
		for (const child of children) {
			const standsApart = (isBlock(child) && !isCell(child)) || (areLines && isElement(child));
			if (standsApart) lines.beginLine();
			if (isElement(child) && child.name === 'br') lines.add('\n');
			else yield* this.codeLines(child, lines, isOuter && children.length === 1);
			if (standsApart) lines.endLine();
			else if (isCell(child)) lines.endCell();
		}
	}

	private *listOf(list: Element, container: Container): Generator<undefined, void> {
		const items = inside(container, 'list', '', '');
		yield* this.itemsOf(this.shownIn(list), items, list.name === 'ol' ? list : '- ');
	}

	/** The items that something else than a list puts together, or itself. */
	private itemsIn(node: AnyNode): readonly AnyNode[] {
		if (isTextNode(node) || isItem(node) || isNamed(node, LIST_TAGS)) return [node];
		const children = this.shownIn(node);
		return children.some(isItem) ? children : [node];
	}

	/** A list that stands in a list, rather than in an item of it, belongs to the item before. */
	private *itemsOf(
		nodes: readonly AnyNode[],
		list: Container,
		marks: Element | string,
	): Generator<undefined, void> {
		const start = typeof marks === 'string' ? NaN : Number.parseInt(marks.attribs.start ?? '', 10);
		let number = Number.isNaN(start) ? 1 : start;
		let item: Container | undefined;
		for (const node of nodes.flatMap((each) => this.itemsIn(each))) {
			if (isTextNode(node) && node.data.trim() === '') continue;
			if (isNamed(node, LIST_TAGS) && item !== undefined) {
				yield* this.listOf(node, item);
				continue;
			}
			const value = isItem(node) ? Number.parseInt(node.attribs.value ?? '', 10) : NaN;
			if (!Number.isNaN(value)) number = value;
			const shownNumber = Math.min(Math.max(number, 0), 999_999_999);
			const mark = typeof marks === 'string' ? marks : `${shownNumber}. `;
			item = inside(list, 'item', mark, ' '.repeat(mark.length));
			yield* this.blocksOf(isItem(node) ? this.shownIn(node) : [node], item);
			if (typeof marks === 'string' || isItem(node)) number += 1;
			if (item.last === undefined) item = undefined;
		}
	}

	/** Whether a table has rows and columns of values, rather than the parts of a page. */
	private *isGrid(table: Element, rows: readonly Element[]): Generator<undefined, boolean> {
		if (table.attribs.role === 'presentation') return false;
		let cells = 0;
		let codes = 0;
		let parts = 0;
		for (const row of rows) {
			yield* this.step();
			for (const cell of this.shownIn(row).filter(isCell)) {
				yield* this.step();
				const inside = this.shownIn(cell);
				const filled = inside.filter((node) => this.lengthOf(node) > 0);
				cells += 1;
				if (inside.some((node) => isNamed(node, CODE_BLOCKS))) codes += 1;
				else if (this.lengthOf(cell) > LONGEST_LINE || filled.some((node) => isPart(node, filled)))
					parts += 1;
			}
		}
		const hasHead = rows.some((row) =>
			row.children.some((cell) => isElement(cell) && cell.name === 'th'),
		);
		return cells > rows.length && (parts + codes * 3) * (hasHead ? 2 : 4) < cells + 1;
	}

	private *tableOf(table: Element, container: Container): Generator<undefined, void> {
		const parts = this.shownIn(table);
		const allGroups = rowGroupsOf(table);
		if (!(yield* this.isGrid(table, allGroups.flat()))) {
			return yield* this.blocksOf(parts, container);
		}
		const captions = parts.filter((part) => isElement(part) && part.name === 'caption');
		yield* this.blocksOf(
			captions.flatMap((caption) => this.shownIn(caption)),
			container,
		);
		const isShown = (node: AnyNode) => !this.isLeftOut(node);
		const groups = allGroups.map((rows) => rows.filter(isShown));
		const cellsOf = (row: Element) => this.shownIn(row).filter(isCell);
		let columns = 0;
		for (const row of gridOf(groups, cellsOf, MOST_SPANNED)) {
			columns = Math.max(columns, row.length);
			yield* this.step();
		}
		const list = inside(container, 'list', '', '');
		const written = new Set<Element | undefined>([undefined]);
		for (const row of gridOf(groups, cellsOf, MOST_SPANNED)) {
			yield* this.step();
			if (row.every((cell) => written.has(cell))) continue;
			const isFirst = list.last === undefined;
			// Who reads it counts the columns in the first row
			while (isFirst && row.length < columns) row.push(undefined);
			const texts: string[] = [];
			for (const cell of row) {
				const line = new InlineText(true, false, true);
				// A cell that spans several stands in the first of them
				const isNew = cell !== undefined && !written.has(cell);
				written.add(cell);
				if (isNew) yield* this.inline(this.shownIn(cell), line);
				texts.push(line.isEmpty ? ' ' : ` ${line.toString()} `);
			}
			this.add(list, `|${texts.join('|')}|`);
			if (isFirst) this.add(list, `|${texts.map(() => ' - ').join('|')}|`);
		}
	}

	private *headingOf(
		element: Element,
		level: number,
		container: Container,
	): Generator<undefined, void> {
		if (level === 1 && this.lengthOf(element) < 1000 && textOf(element) === this.page.title) return;
		const line = new InlineText(true, this.waitingUrl !== undefined);
		this.isInHeading = true;
		yield* this.inline(this.shownIn(element), line);
		this.isInHeading = false;
		// Number signs at the end of a heading are none of its text
		const text = this.wrapped(line.toString()).replace(/(?<=^|\s)(?=#+$)/, '\\');
		if (text !== '') this.add(container, `${'#'.repeat(level)} ${text}`);
	}

	/** Text, links, pictures, and line breaks, with the white space around them. */
	private *inline(nodes: readonly AnyNode[], line: InlineText): Generator<undefined, void> {
		for (const node of nodes) {
			yield* this.step();
			if (this.isLeftOut(node)) continue;
			if (isTextNode(node)) {
				yield* this.keepsLines ? line.addLines(node.data) : line.addText(node.data);
			} else if (isElement(node)) yield* this.inlineElement(node, line);
			else yield* this.inline(this.shownIn(node), line);
		}
	}

	private *inlineElement(element: Element, line: InlineText): Generator<undefined, void> {
		const { name, attribs } = element;
		const children = this.shownIn(element);
		if (name === 'br') return line.addBreak();
		if (name === 'img') return yield* this.pictureOf(element, line);
		if (isNoscript(element)) return yield* this.picturesOf(element, line);
		if (name === 'input') return line.addMarkdown(attribs.checked === undefined ? '[ ]' : '[x]');
		if (name === 'a') return yield* this.linkOf(element, line);
		if (CODE.has(name) || CODE_BLOCKS.has(name)) {
			const isApart = CODE_BLOCKS.has(name);
			if (isApart) line.addSpace();
			const value = collapsed(exactText(element));
			if (value !== '') line.addMarkdown(codeSpan(value));
			if (isApart) line.addSpace();
			return;
		}
		const { keepsLines } = this;
		this.keepsLines = keepsLinesIn(element, keepsLines);
		const mark = this.markFor(element, line);
		const isApart = isBlock(element);
		if (isApart) line.addSpace();
		if (mark === undefined) yield* this.inline(children, line);
		else {
			const inner = new InlineText(line.isOneLine, line.isInLink);
			yield* this.inline(children, inner);
			if (mark === '*' || mark === '**') line.addEmphasized(inner, mark);
			else line.addMarked(inner, mark);
		}
		if (isApart) line.addSpace();
		this.keepsLines = keepsLines;
	}

	/** The marks around the text of an element, or a function that adds them; undefined for none. */
	private markFor(
		element: Element,
		{ isInLink }: InlineText,
	): '*' | '**' | ((text: string) => string) | undefined {
		if (this.strikes(element)) return (text) => `~~${text}~~`;
		if (element.name === 'q') return (text) => `\u201C${text}\u201D`;
		if (element.name === 'sup') return powerOf;
		if (isInLink || this.isInHeading) return undefined;
		return EMPHASIS[element.name];
	}

	private *linkOf(link: Element, line: InlineText): Generator<undefined, void> {
		const url = line.isInLink ? undefined : this.urlOf(link);
		const inner = new InlineText(true, line.isInLink || url !== undefined);
		const label = this.lengthOf(link) === 0 ? labelOf(link) : '';
		this.pictureLabel = label;
		yield* this.inline(this.shownIn(link), inner);
		this.pictureLabel = '';
		if (inner.isEmpty) yield* inner.addText(label);
		line.addMarked(inner, (text) => (url === undefined ? text : markdownLink(text, url)));
	}

	private pictureUrl(source: string): string {
		return linkUrl(source, this.page) ?? absoluteUrl(source, this.page.baseUrl);
	}

	private *pictureOf(picture: Element, line: InlineText): Generator<undefined, void> {
		const source = pictureSource(picture);
		const alt = new InlineText(true, source !== undefined);
		yield* alt.addText(collapsed(picture.attribs.alt ?? '') || this.pictureLabel);
		const url = source === undefined ? '' : this.pictureUrl(source);
		if (source !== undefined && !hasNoscriptPicture(picture) && this.hasRoomFor(url)) {
			this.lastPicture = url;
			return line.addMarkdown(`!${markdownLink(alt.toString(), url)}`);
		}
		line.addSpace();
		if (source === undefined) line.addMarked(alt, (text) => text);
		line.addSpace();
	}

	/** Pictures for readers without scripts, but for those that were shown already. */
	private *picturesOf(noscript: Element, line: InlineText): Generator<undefined, void> {
		for (const picture of elementsOf(noscript)) {
			if (picture.name !== 'img' || isTrackingPixel(picture)) continue;
			const source = pictureSource(picture);
			if (source === undefined) continue;
			if (this.pictureUrl(source) === this.lastPicture) continue;
			yield* this.pictureOf(picture, line);
		}
	}
}

/** Whether a cell that holds it is rather a part of a page than a value. A heading alone is the name of a value. */
function isPart(node: AnyNode, { length }: readonly AnyNode[]): boolean {
	if (!isElement(node)) return false;
	return node.name === 'table' || (length > 1 && HEADINGS.has(node.name));
}

/** Elements of a link that are looked through for a heading. */
const MOST_OF_LINK = 30;

/** Whether a link holds a heading: it is a card then, rather than a part of a line. */
function holdsHeading(link: Element): boolean {
	let visits = 0;
	for (const { name } of elementsOf(link)) {
		visits += 1;
		if (HEADINGS.has(name)) return true;
		if (visits >= MOST_OF_LINK) return false;
	}
	return false;
}

/** Whether all that is in a block of code are lines, which only a style sheet puts below each other. */
function areLinesOfCode(nodes: readonly AnyNode[]): boolean {
	const hasBreaks = nodes.some((node) => isTextNode(node) && node.data.includes('\n'));
	const filled = nodes.filter((node) => !isTextNode(node) || node.data.trim() !== '');
	return !hasBreaks && filled.length > 1 && filled.every((node) => isElement(node) && isLine(node));
}

function isLine({ name, attribs }: Element): boolean {
	return name === 'code' || /\bline\b/.test(attribs.class ?? '');
}

/** Elements around and in a block of code whose classes may name its language. */
const MOST_CLASSES = 12;

function languageOf(code: Element): string {
	const classes = [];
	if (code.parentNode !== null && isElement(code.parentNode))
		classes.push(code.parentNode.attribs.class);
	for (const { attribs } of elementsOf(code)) {
		classes.push(attribs.class);
		if (classes.length >= MOST_CLASSES) break;
	}
	const names = classes.join(' ').slice(0, 2000);
	return /\b(?:lang(?:uage)?|highlight-source)-([\w+#.-]{1,30})/.exec(names)?.[1] ?? '';
}

/** Whether the picture that it stands for comes next, for readers without scripts. */
function hasNoscriptPicture(picture: Element): boolean {
	let next = picture.nextSibling;
	while (next !== null && isTextNode(next) && next.data.trim() === '') next = next.nextSibling;
	if (next === null || !isNoscript(next)) return false;
	const { src = '' } = picture.attribs;
	const source = pictureSource(picture);
	if (source !== src.trim()) return false;
	return [...elementsOf(next)].some((one) => one.name === 'img' && !isTrackingPixel(one));
}

/** Lines of code. */
class CodeText {
	private readonly parts: string[] = [];

	private isAtLineStart = true;

	private endsLine = false;

	private endsCell = false;

	add(text: string): void {
		if (text === '') return;
		if (this.endsLine && !text.startsWith('\n')) this.parts.push('\n');
		else if (this.endsCell) this.parts.push(' ');
		this.endsLine = false;
		this.endsCell = false;
		this.parts.push(text);
		this.isAtLineStart = text.endsWith('\n');
	}

	beginLine(): void {
		if (!this.isAtLineStart && !this.endsLine) this.endsLine = true;
	}

	endLine(): void {
		if (!this.isAtLineStart) this.endsLine = true;
	}

	endCell(): void {
		if (!this.isAtLineStart) this.endsCell = true;
	}

	toString(): string {
		return this.parts.join('');
	}
}

/**
 * Markdown as a reader or a model needs it of a page: scripts, styles, and hidden parts are left out.
 *
 * @param shown what of the page is read; without it, all that is shown
 */
export async function markdownOf(
	page: HtmlPage,
	pause: Pause,
	shown?: ShownNodes,
): Promise<string> {
	const { title, document } = page;
	const read = shown ?? (await findShownNodes(document, pause));
	const writer = new MarkdownWriter(page);
	await withPauses(writer.writeHeading(1, title), pause);
	const measured = await measureNodes(read, pause);
	await withPauses(writer.write(document.children, page, measured), pause);
	writer.writeEnd(page);
	return writer.toString();
}
