import type { AnyNode, Element } from 'domhandler';
import { existsOne } from 'domutils';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { defaultHandlers, toMarkdown } from 'mdast-util-to-markdown';

import { formatNumber } from '../../../shared/wording';
import type { HtmlPage } from './html';
import {
	absoluteUrl,
	childrenOf,
	collapsed,
	elementsOf,
	exactText,
	isBlock,
	isElement,
	isTextNode,
	textOf,
	type Pause,
} from './tree';

type Markdown = Parameters<typeof toMarkdown>[0];
type MarkdownOf<T extends Markdown['type']> = Extract<Markdown, { readonly type: T }>;
type PhrasingContent = MarkdownOf<'paragraph'>['children'][number];

/**
 * So much is written in one piece, in characters of HTML: 20 ms of work or so. What is larger is written by its parts,
 * unless it is a list or a table.
 */
const PIECE = 8000;

/** A page may say any number. */
const MOST_COLUMNS_SPANNED = 10;

const SKIPPED = new Set(
	'title script style template noscript svg canvas iframe object embed audio video input textarea datalist'.split(
		' ',
	),
);

const CODE = new Set(['code', 'kbd', 'samp', 'tt']);

/** Addresses and names such as `order_id`, which stay as they are: nothing in them means anything in Markdown. */
const VERBATIM = /(https?:\/\/[^\s<>|`]+|(?<![A-Za-z0-9])(?:[A-Za-z0-9]+[_&.=?/@:-])+[A-Za-z0-9]+)/;

const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

function isLeftOut(node: AnyNode): boolean {
	if (!isElement(node)) return !isTextNode(node) && !('children' in node);
	const { name, attribs } = node;
	if (SKIPPED.has(name) || attribs.hidden !== undefined) return true;
	return HIDDEN_STYLE.test(attribs.style ?? '') || (name === 'dialog' && attribs.open === undefined);
}

function shownChildren(node: AnyNode): readonly AnyNode[] {
	return childrenOf(node).filter((child) => !isLeftOut(child));
}

/** How much work each node is, in characters of HTML or so. */
type Sizes = ReadonlyMap<AnyNode, number>;

/** For the tags of an element. */
const SIZE_OF_TAGS = 10;

async function sizesOf(document: AnyNode, pause: Pause): Promise<Sizes> {
	const nodes: AnyNode[] = [document];
	for (const node of nodes) {
		nodes.push(...childrenOf(node));
		await pause();
	}
	const sizes = new Map<AnyNode, number>();
	for (const node of nodes.reverse()) {
		const own = isTextNode(node) ? node.data.length : SIZE_OF_TAGS;
		sizes.set(
			node,
			childrenOf(node).reduce((sum, child) => sum + (sizes.get(child) ?? 0), own),
		);
		await pause();
	}
	return sizes;
}

function isLarge(node: AnyNode, sizes: Sizes): boolean {
	return (sizes.get(node) ?? 0) > PIECE;
}

function isListElement({ name }: Element): boolean {
	return name === 'ul' || name === 'ol' || name === 'menu';
}

function rowsOf(table: Element): Element[] {
	return shownChildren(table)
		.filter(isElement)
		.flatMap((part) => (part.name === 'tr' ? [part] : part.name === 'caption' ? [] : rowsOf(part)))
		.filter((row) => row.children.some(isElement));
}

const NOT_IN_CELLS = /^(?:table|h[1-6]|pre|td|th)$/;

/** Whether a table has rows and columns of values, rather than the parts of a page, which are larger. */
function isGrid(table: Element, sizes: Sizes): boolean {
	if (table.name !== 'table') return false;
	const rows = rowsOf(table);
	const cells = rows.flatMap((row) => row.children.filter(isElement));
	if (cells.length <= rows.length || rows.some((row) => isLarge(row, sizes))) return false;
	return !existsOne(({ name }) => NOT_IN_CELLS.test(name), cells.flatMap(childrenOf));
}

const SPACE: PhrasingContent = { type: 'text', value: ' ' };

function startsApart(node: PhrasingContent | undefined): boolean {
	return node?.type === 'text' && node.value.startsWith(' ');
}

function endsApart(node: PhrasingContent | undefined): boolean {
	return node?.type === 'text' && node.value.endsWith(' ');
}

/** White space as a browser shows it: none at the beginning and the end, and no two in a row. */
function tidy(nodes: readonly PhrasingContent[]): PhrasingContent[] {
	const tidied: PhrasingContent[] = [];
	for (const node of nodes) {
		const last = tidied.at(-1);
		const isAtStart = last === undefined || last.type === 'break';
		if (node.type === 'break' && last?.type === 'text') last.value = last.value.trimEnd();
		if (node.type !== 'text') {
			if (node.type !== 'break' || last !== undefined) tidied.push(node);
			continue;
		}
		const value = isAtStart || endsApart(last) ? node.value.replace(/^ /, '') : node.value;
		if (last?.type === 'text') last.value += value;
		else if (value !== '') tidied.push({ type: 'text', value });
	}
	while (tidied.at(-1)?.type === 'break') tidied.pop();
	const last = tidied.at(-1);
	if (last?.type === 'text') last.value = last.value.trimEnd();
	return tidied;
}

function withoutBreaks(nodes: readonly PhrasingContent[]): PhrasingContent[] {
	return nodes.map((node) => (node.type === 'break' ? SPACE : node));
}

function partsOfText(text: string): PhrasingContent[] {
	const parts = text.replace(/\s+/g, ' ').split(VERBATIM);
	return parts.map((value, index) => ({ type: index % 2 === 0 ? 'text' : 'html', value }));
}

/** Pictures that are loaded late have their address elsewhere. */
function partsOfPicture(attribs: Element['attribs'], baseUrl: string): PhrasingContent[] {
	const sources = [attribs['data-src'], attribs['data-original'], attribs.src];
	const source = sources.find((url) => url !== undefined && url !== '' && !url.startsWith('data:'));
	const alt = collapsed(attribs.alt ?? '');
	if (source === undefined) return [{ type: 'text', value: alt }];
	return [{ type: 'image', url: absoluteUrl(source, baseUrl), alt }];
}

/** One that leads to a place of the same page, or runs a script, is only text. */
function partsOfLink({ attribs, children }: Element, baseUrl: string): PhrasingContent[] {
	const parts = withoutBreaks(partsOf(children, baseUrl));
	const line = tidy(parts);
	const label = collapsed(attribs['aria-label'] ?? attribs.title ?? '');
	if (line.length === 0 && label !== '') line.push({ type: 'text', value: label });
	const href = attribs.href.trim();
	const isText = line.length === 0 || href === '' || /^(?:#|javascript:)/i.test(href);
	// Links hold no links
	const inner = line.flatMap((node) => (node.type === 'link' ? node.children : [node]));
	const link = { type: 'link' as const, url: absoluteUrl(href, baseUrl), children: inner };
	return [
		...(startsApart(parts[0]) ? [SPACE] : []),
		...(isText ? line : [link]),
		...(endsApart(parts.at(-1)) ? [SPACE] : []),
	];
}

/** Text, links, pictures, and line breaks, with the white space around them. */
function partsOf(nodes: readonly AnyNode[], baseUrl: string): PhrasingContent[] {
	return nodes.flatMap((node): PhrasingContent[] => {
		if (isLeftOut(node)) return [];
		if (isTextNode(node)) return partsOfText(node.data);
		if (!isElement(node)) return partsOf(childrenOf(node), baseUrl);
		const { name, attribs, children } = node;
		if (name === 'br') return [{ type: 'break' }];
		if (name === 'img') return partsOfPicture(attribs, baseUrl);
		if (name === 'a' && attribs.href !== undefined) return partsOfLink(node, baseUrl);
		if (CODE.has(name)) {
			const value = collapsed(exactText(node));
			return value === '' ? [] : [{ type: 'inlineCode', value }];
		}
		const parts = partsOf(children, baseUrl);
		return isBlock(node) ? [SPACE, ...parts, SPACE] : parts;
	});
}

/** What stands on lines of its own. */
interface Block {
	readonly text: string;
	readonly isParagraph?: true;
	/** Set where it goes on with the list or the table that the block before it belongs to. */
	readonly goesOn?: boolean;
}

/** @param isItem whether they make an item of a list, which has empty lines only between paragraphs */
function joined(blocks: readonly Block[], isItem = false): string {
	const lines = blocks.map(({ text, isParagraph, goesOn }, index) => {
		if (index === 0) return text;
		const isApart = !isItem || (isParagraph === true && blocks[index - 1].isParagraph === true);
		return `${isApart && goesOn !== true ? '\n\n' : '\n'}${text}`;
	});
	return lines.join('');
}

/** A line break needs no mark at the end of its line: who reads it takes it for one anyway. */
const plainBreak: typeof defaultHandlers.break = (node, parent, state, info) =>
	defaultHandlers.break(node, parent, state, info).replace('\\', '');

/** Made once: the library keeps what it compiles of them there. */
const MARKDOWN_OPTIONS: Parameters<typeof toMarkdown>[1] = {
	rule: '-',
	resourceLink: true,
	handlers: { break: plainBreak },
	extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
};

function render(node: Markdown): string {
	return toMarkdown(node, MARKDOWN_OPTIONS).trimEnd();
}

function codeOf(element: Element): string {
	const classes = [...elementsOf(element)].map(({ attribs }) => attribs.class).join(' ');
	const [, lang] = /\blang(?:uage)?-(\S+)/.exec(classes) ?? [];
	return render({ type: 'code', lang, value: exactText(element).replace(/^\n|\s+$/g, '') });
}

const DEPTHS = [1, 2, 3, 4, 5, 6] as const;

function headingBlock(level: number, children: PhrasingContent[]): Block {
	return { text: render({ type: 'heading', depth: DEPTHS[level - 1], children }) };
}

/** Gives one block after the other, so that whoever takes them can pause in between. */
class BlockWriter {
	constructor(
		private readonly page: HtmlPage,
		private readonly sizes: Sizes,
	) {}

	*blocksOf(nodes: readonly AnyNode[]): Generator<Block> {
		let line: AnyNode[] = [];
		let size = 0;
		for (const node of nodes) {
			if (isLeftOut(node)) continue;
			const isApart =
				isLarge(node, this.sizes) ||
				isBlock(node) ||
				(isElement(node) && node.name !== 'a' && existsOne(isBlock, node.children));
			if (!isApart) line.push(node);
			size += this.sizes.get(node) ?? 0;
			if (!isApart && size <= PIECE) continue;
			yield* this.paragraphOf(line);
			[line, size] = [[], 0];
			if (isApart) yield* this.blocksOfOne(node);
		}
		yield* this.paragraphOf(line);
	}

	private *paragraphOf(nodes: readonly AnyNode[]): Generator<Block> {
		const children = tidy(partsOf(nodes, this.page.baseUrl));
		if (children.length === 0) return;
		yield { text: render({ type: 'paragraph', children }), isParagraph: true };
	}

	private *blocksOfOne(node: AnyNode): Generator<Block> {
		const children = childrenOf(node);
		const name = isElement(node) ? node.name : '';
		const level = /^h([1-6])$/.exec(name)?.[1];
		if (isTextNode(node)) yield { text: collapsed(node.data) };
		else if (!isElement(node)) yield* this.blocksOf(children);
		else if (name === 'hr') yield { text: render({ type: 'thematicBreak' }) };
		else if (name === 'pre') yield { text: codeOf(node) };
		else if (isListElement(node)) yield* this.listOf(node);
		else if (isGrid(node, this.sizes)) yield* this.tableOf(node);
		else if (isLarge(node, this.sizes)) yield* this.blocksOf(children);
		else if (level !== undefined) yield* this.headingOf(node, Number(level));
		else if (name === 'blockquote') yield* this.quoteOf(children);
		else yield* this.blocksOf(children);
	}

	/** A list that stands in a list, rather than in an item of it, belongs to the item before. */
	private *listOf(list: Element): Generator<Block> {
		let number = Number(list.attribs.start ?? 1) || 1;
		let goesOn = false;
		for (const node of shownChildren(list)) {
			if (isLarge(node, this.sizes)) {
				yield* this.blocksOfOne(node);
				goesOn = false;
				continue;
			}
			const isItem = isElement(node) && node.name === 'li';
			const text = joined([...this.blocksOf(isItem ? childrenOf(node) : [node])], true);
			if (text === '') continue;
			const mark = list.name === 'ol' ? `${number}. ` : '- ';
			const inner = text.replace(/^(?=.)/gm, ' '.repeat(mark.length));
			const isOfItemBefore = goesOn && isElement(node) && isListElement(node);
			yield { text: isOfItemBefore ? inner : mark + inner.slice(mark.length), goesOn };
			if (!isOfItemBefore) number += 1;
			goesOn = true;
		}
	}

	private *tableOf(table: Element): Generator<Block> {
		yield* this.blocksOf(
			table.children.filter((node) => isElement(node) && node.name === 'caption'),
		);
		const rows = rowsOf(table).map(cellsOf);
		const columns = rows.reduce((most, { length }) => Math.max(most, length), 0);
		// Who reads it counts the columns in the first row
		while (rows[0].length < columns) rows[0].push([]);
		for (const [index, cells] of rows.entries()) {
			const children = cells.map((cell) => ({
				type: 'tableCell' as const,
				children: this.lineOf(cell),
			}));
			const text = render({ type: 'table', children: [{ type: 'tableRow', children }] });
			yield index === 0 ? { text } : { text: text.split('\n')[0], goesOn: true };
		}
	}

	private *headingOf(element: Element, level: number): Generator<Block> {
		if (level === 1 && textOf(element) === this.page.title) return;
		const children = this.lineOf(element.children);
		if (children.length > 0) yield headingBlock(level, children);
	}

	private lineOf(nodes: readonly AnyNode[]): PhrasingContent[] {
		return tidy(withoutBreaks(partsOf(nodes, this.page.baseUrl)));
	}

	private *quoteOf(nodes: readonly AnyNode[]): Generator<Block> {
		const text = joined([...this.blocksOf(nodes)]);
		if (text !== '') yield { text: text.replace(/^/gm, '> ').replace(/^> $/gm, '>') };
	}
}

/** A cell that spans several columns stands in the first of them. */
function cellsOf(row: Element): Array<readonly AnyNode[]> {
	return shownChildren(row)
		.filter(isElement)
		.flatMap(({ children, attribs }) => {
			const spanned = Math.min(Number(attribs.colspan) || 1, MOST_COLUMNS_SPANNED);
			return [children, ...Array.from({ length: spanned - 1 }, () => [])];
		});
}

/** What a reader or a model needs of a page: scripts, styles, and hidden parts are left out, and emphasis. */
export async function markdownOf(page: HtmlPage, pause: Pause): Promise<string> {
	const { title, document, readLength, length } = page;
	const blocks = title === '' ? [] : [headingBlock(1, [{ type: 'text', value: title }])];
	const sizes = await sizesOf(document, pause);
	for (const block of new BlockWriter(page, sizes).blocksOf(document.children)) {
		blocks.push(block);
		await pause();
	}
	if (readLength < length) {
		const [read, all] = [formatNumber(readLength), formatNumber(length)];
		const text = `[The page goes on. This is the text of the first ${read} characters of its ${all}.]`;
		blocks.push({ text });
	}
	return joined(blocks);
}
