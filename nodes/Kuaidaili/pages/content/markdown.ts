import type { AnyNode, Element } from 'domhandler';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { defaultHandlers, toMarkdown } from 'mdast-util-to-markdown';

import { formatNumber } from '../../../shared/wording';
import {
	absoluteUrl,
	childrenOf,
	collapsed,
	elementsOf,
	exactText,
	isBlock,
	isElement,
	isText,
	textOf,
	type HtmlPage,
	type Pause,
} from './tree';

type Markdown = Parameters<typeof toMarkdown>[0];
type MarkdownOf<T extends Markdown['type']> = Extract<Markdown, { readonly type: T }>;
type RootContent = MarkdownOf<'root'>['children'][number];
type PhrasingContent = MarkdownOf<'paragraph'>['children'][number];
type ListItem = MarkdownOf<'listItem'>;
type TableRow = MarkdownOf<'tableRow'>;

/** What is written in one piece, in characters of HTML: 20 ms of work or so. */
const PIECE = 8000;

/** A page may say any number. */
const MOST_COLUMNS_SPANNED = 10;

const SKIPPED = new Set(
	'head title script style template noscript svg canvas iframe object embed audio video input textarea datalist'.split(
		' ',
	),
);

const CODE = new Set(['code', 'kbd', 'samp', 'tt']);

/** Addresses and names such as `order_id`, which stay as they are: nothing in them means anything in Markdown. */
const VERBATIM = /(https?:\/\/[^\s<>|`]+|(?<![A-Za-z0-9])(?:[A-Za-z0-9]+[_&.=?/@:-])+[A-Za-z0-9]+)/;

const HIDDEN = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

function isLeftOut(node: AnyNode): boolean {
	if (!isElement(node)) return !isText(node) && !('children' in node);
	const { name, attribs } = node;
	if (SKIPPED.has(name) || attribs.hidden !== undefined) return true;
	return HIDDEN.test(attribs.style ?? '') || (name === 'dialog' && attribs.open === undefined);
}

function shownChildren(node: AnyNode): readonly AnyNode[] {
	return childrenOf(node).filter((child) => !isLeftOut(child));
}

/** How much HTML it was. */
function sizeOf({ startIndex, endIndex }: AnyNode): number {
	return (endIndex ?? 0) - (startIndex ?? 0);
}

function holds(element: Element, isWanted: (inner: Element) => boolean): boolean {
	for (const inner of elementsOf(element)) if (inner !== element && isWanted(inner)) return true;
	return false;
}

/** Text, links, and pictures that follow each other, with white space as a browser shows it. */
class Line {
	readonly nodes: PhrasingContent[] = [];

	/** Whether white space was at the end of what was added last, and at the beginning of what was added first. */
	endsApart = false;

	private startsApart = false;

	constructor(
		private readonly baseUrl: string,
		private readonly keepsBreaks = true,
	) {}

	/** White space, however much of it. */
	gap(): void {
		if (this.nodes.length === 0) this.startsApart = true;
		this.endsApart = true;
	}

	addAll(nodes: readonly AnyNode[]): this {
		for (const node of nodes) this.add(node);
		return this;
	}

	private add(node: AnyNode): void {
		if (isLeftOut(node)) return;
		if (isText(node)) this.addText(node.data);
		else if (!isElement(node)) this.addAll(childrenOf(node));
		else if (node.name === 'br') this.addBreak();
		else if (node.name === 'img') this.addPicture(node);
		else if (node.name === 'a' && node.attribs.href !== undefined) this.addLink(node);
		else if (CODE.has(node.name)) this.addCode(node);
		else if (isBlock(node)) {
			this.gap();
			this.addAll(node.children);
			this.gap();
		} else this.addAll(node.children);
	}

	private addText(text: string): void {
		const words = collapsed(text);
		if (/^\s/.test(text)) this.gap();
		if (words === '') return;
		for (const [index, part] of words.split(VERBATIM).entries()) {
			if (part !== '') this.append({ type: index % 2 === 0 ? 'text' : 'html', value: part });
		}
		if (/\s$/.test(text)) this.gap();
	}

	private addBreak(): void {
		if (!this.keepsBreaks) {
			this.gap();
			return;
		}
		if (this.nodes.length > 0) this.nodes.push({ type: 'break' });
		this.endsApart = false;
	}

	private addCode(element: Element): void {
		const value = collapsed(exactText(element));
		if (value !== '') this.append({ type: 'inlineCode', value });
	}

	/** Pictures that are loaded late have their address elsewhere. */
	private addPicture({ attribs }: Element): void {
		const sources = [attribs['data-src'], attribs['data-original'], attribs.src];
		const source = sources.find(
			(url) => url !== undefined && url !== '' && !url.startsWith('data:'),
		);
		const alt = collapsed(attribs.alt ?? '');
		if (source !== undefined) {
			this.append({ type: 'image', url: absoluteUrl(source, this.baseUrl), alt });
		} else if (alt !== '') this.append({ type: 'text', value: alt });
	}

	/** One that leads to a place of the same page, or runs a script, is only text. */
	private addLink(element: Element): void {
		const inner = new Line(this.baseUrl, false).addAll(element.children);
		if (inner.startsApart) this.gap();
		const label = collapsed(element.attribs['aria-label'] ?? element.attribs.title ?? '');
		const children = inner.finished();
		if (children.length === 0 && label !== '') children.push({ type: 'text', value: label });
		const href = element.attribs.href.trim();
		if (href === '' || /^(?:#|javascript:)/i.test(href))
			children.forEach((child) => this.append(child));
		else if (children.length > 0) {
			this.append({ type: 'link', url: absoluteUrl(href, this.baseUrl), children: flat(children) });
		}
		if (inner.endsApart) this.gap();
	}

	private append(node: PhrasingContent): void {
		const last = this.nodes.at(-1);
		const space = this.endsApart && last !== undefined && last.type !== 'break' ? ' ' : '';
		this.endsApart = false;
		if (node.type === 'text' && last?.type === 'text') last.value += space + node.value;
		else if (node.type === 'text') this.nodes.push({ type: 'text', value: space + node.value });
		else {
			if (last?.type === 'text') last.value += space;
			else if (space !== '') this.nodes.push({ type: 'text', value: space });
			this.nodes.push(node);
		}
	}

	/** Without breaks at the end. */
	finished(): PhrasingContent[] {
		while (this.nodes.at(-1)?.type === 'break') this.nodes.pop();
		return this.nodes;
	}
}

/** Links hold no links. */
function flat(nodes: readonly PhrasingContent[]) {
	return nodes.flatMap((node) => (node.type === 'link' ? node.children : [node]));
}

class MarkdownWriter {
	private readonly pieces: string[] = [];

	constructor(
		private readonly page: HtmlPage,
		private readonly pause: Pause,
	) {}

	async write(): Promise<string> {
		const { title, document, readLength, length } = this.page;
		if (title !== '') {
			this.push([{ type: 'heading', depth: 1, children: [{ type: 'text', value: title }] }]);
		}
		await this.writeParts(document);
		if (readLength < length) {
			this.pieces.push(
				`[The page goes on. This is the text of the first ${formatNumber(readLength)} characters of its ${formatNumber(length)}.]`,
			);
		}
		return this.pieces.join('\n\n');
	}

	private push(nodes: RootContent[]): void {
		const text = render(nodes);
		if (text !== '') this.pieces.push(text);
	}

	/** What is small in one piece, and what is large part by part. */
	private async writeParts(parent: AnyNode): Promise<void> {
		for (const group of grouped(shownChildren(parent))) {
			if (isLarge(group)) await this.writeLarge(group[0]);
			else this.push(this.blocksOf(group));
			await this.pause();
		}
	}

	private async writeLarge(node: AnyNode): Promise<void> {
		if (isText(node)) this.pieces.push(collapsed(node.data));
		else if (isElement(node) && node.name === 'pre') this.push([codeOf(node)]);
		else if (isElement(node) && isList(node)) await this.writeList(node);
		else if (isElement(node) && isGrid(node)) await this.writeTable(node);
		else await this.writeParts(node);
	}

	private async writeList(list: Element): Promise<void> {
		let lines: string[] = [];
		let number = firstNumber(list);
		const endLines = () => {
			if (lines.length > 0) this.pieces.push(lines.join('\n'));
			lines = [];
		};
		for (const group of grouped(shownChildren(list))) {
			if (isLarge(group)) {
				endLines();
				await this.writeParts(group[0]);
				continue;
			}
			const items = this.itemsOf(group);
			if (items.length > 0) lines.push(render([listWith(list, items, number)]));
			number += items.length;
			await this.pause();
		}
		endLines();
	}

	private async writeTable(table: Element): Promise<void> {
		const [header, ...rows] = rowsOf(table);
		const top = this.rowOf(header);
		const lines = [render([{ type: 'table', children: [top] }])];
		for (const group of grouped(rows)) {
			const children = [top, ...group.map((row) => this.rowOf(row))];
			lines.push(
				...render([{ type: 'table', children }])
					.split('\n')
					.slice(2),
			);
			await this.pause();
		}
		this.pieces.push(lines.join('\n'));
	}

	private blocksOf(nodes: readonly AnyNode[]): RootContent[] {
		const blocks: RootContent[] = [];
		let line = new Line(this.page.baseUrl);
		const endLine = () => {
			const children = line.finished();
			if (children.length > 0) blocks.push({ type: 'paragraph', children });
			line = new Line(this.page.baseUrl);
		};
		for (const node of nodes) {
			if (isLeftOut(node)) continue;
			if (isElement(node) && (isBlock(node) || (node.name !== 'a' && holds(node, isBlock)))) {
				endLine();
				blocks.push(...this.blockOf(node));
			} else line.addAll([node]);
		}
		endLine();
		return blocks;
	}

	private blockOf(element: Element): RootContent[] {
		const { name } = element;
		const level = /^h([1-6])$/.exec(name)?.[1];
		if (level !== undefined) return this.headingOf(element, Number(level));
		if (name === 'hr') return [{ type: 'thematicBreak' }];
		if (name === 'pre') return [codeOf(element)];
		if (name === 'blockquote') {
			const children = this.blocksOf(element.children).filter(isQuotable);
			return children.length > 0 ? [{ type: 'blockquote', children }] : [];
		}
		if (isList(element)) {
			const items = this.itemsOf(shownChildren(element));
			return items.length > 0 ? [listWith(element, items, firstNumber(element))] : [];
		}
		if (isGrid(element)) {
			const caption = element.children.filter((node) => isElement(node) && node.name === 'caption');
			const children = rowsOf(element).map((row) => this.rowOf(row));
			return [...this.blocksOf(caption), { type: 'table', children }];
		}
		return this.blocksOf(element.children);
	}

	private headingOf(element: Element, level: number): RootContent[] {
		const depth = DEPTHS[level - 1];
		if (depth === 1 && textOf(element) === this.page.title) return [];
		const children = new Line(this.page.baseUrl, false).addAll(element.children).finished();
		return children.length > 0 ? [{ type: 'heading', depth, children }] : [];
	}

	/** A list that stands in a list, rather than in an item of it, belongs to the item before. */
	private itemsOf(nodes: readonly AnyNode[]): ListItem[] {
		const items: ListItem[] = [];
		for (const node of nodes) {
			const last = items.at(-1);
			const isItem = isElement(node) && node.name === 'li';
			const children = this.blocksOf(isItem ? node.children : [node]).filter(isQuotable);
			if (isElement(node) && isList(node) && last !== undefined) last.children.push(...children);
			else if (children.length > 0) items.push({ type: 'listItem', spread: false, children });
		}
		return items;
	}

	private rowOf(row: Element): TableRow {
		const cells = shownChildren(row).filter(isElement);
		return {
			type: 'tableRow',
			children: cells.flatMap(({ children, attribs }) => {
				const line = new Line(this.page.baseUrl, false).addAll(children);
				const spanned = Math.min(Number(attribs.colspan) || 1, MOST_COLUMNS_SPANNED);
				const others = Array.from({ length: spanned - 1 }, () => []);
				return [line.finished(), ...others].map((content) => ({
					type: 'tableCell' as const,
					children: content,
				}));
			}),
		};
	}
}

const DEPTHS = [1, 2, 3, 4, 5, 6] as const;

type Quotable = ListItem['children'][number];

/** All that is made here, as the types have it. */
function isQuotable(node: RootContent): node is Quotable {
	return node.type !== 'tableRow';
}

function isList({ name }: Element): boolean {
	return name === 'ul' || name === 'ol' || name === 'menu';
}

function firstNumber(list: Element): number {
	return Number(list.attribs.start ?? 1) || 1;
}

function listWith(list: Element, children: ListItem[], start: number): RootContent {
	return { type: 'list', ordered: list.name === 'ol', start, spread: false, children };
}

function codeOf(element: Element): RootContent {
	const code = [...elementsOf(element)].find(({ attribs }) =>
		/\blang(?:uage)?-/.test(attribs.class ?? ''),
	);
	const [, lang] = /\blang(?:uage)?-(\S+)/.exec(code?.attribs.class ?? '') ?? [];
	return { type: 'code', lang, value: exactText(element).replace(/^\n|\s+$/g, '') };
}

function rowsOf(table: Element): Element[] {
	return shownChildren(table)
		.filter(isElement)
		.flatMap((part) => (part.name === 'tr' ? [part] : part.name === 'caption' ? [] : rowsOf(part)))
		.filter((row) => row.children.some(isElement));
}

const NOT_IN_CELLS = /^(?:table|h[1-6]|pre|td|th)$/;

/** Whether a table has rows and columns of values, rather than the parts of a page, which are larger. */
function isGrid(table: Element): boolean {
	if (table.name !== 'table') return false;
	const rows = rowsOf(table);
	const cells = rows.flatMap((row) => row.children.filter(isElement));
	if (cells.length <= rows.length || rows.some((row) => sizeOf(row) > PIECE)) return false;
	return !cells.some((cell) => holds(cell, ({ name }) => NOT_IN_CELLS.test(name)));
}

/** Whether it is one node that is too large to be written in one piece. */
function isLarge([first, ...others]: readonly AnyNode[]): boolean {
	return others.length === 0 && sizeOf(first) > PIECE;
}

/** In groups that are written in one piece, but for what is large, which is alone. */
function* grouped<T extends AnyNode>(nodes: readonly T[]): Generator<readonly T[]> {
	let group: T[] = [];
	let size = 0;
	for (const node of nodes) {
		if (size + sizeOf(node) > PIECE && group.length > 0) {
			yield group;
			group = [];
			size = 0;
		}
		group.push(node);
		size += sizeOf(node);
	}
	if (group.length > 0) yield group;
}

/** A line break needs no mark at the end of its line: who reads it takes it for one anyway. */
const plainBreak: typeof defaultHandlers.break = (node, parent, state, info) =>
	defaultHandlers.break(node, parent, state, info).replace('\\', '');

function render(children: RootContent[]): string {
	const text = toMarkdown(
		{ type: 'root', children },
		{
			bullet: '-',
			rule: '-',
			listItemIndent: 'one',
			resourceLink: true,
			handlers: { break: plainBreak },
			extensions: [gfmTableToMarkdown({ tablePipeAlign: false })],
		},
	);
	return text.trimEnd();
}

/** What a reader or a model needs of a page: scripts, styles, and hidden parts are left out, and emphasis. */
export async function markdownOf(page: HtmlPage, pause: Pause): Promise<string> {
	return await new MarkdownWriter(page, pause).write();
}
