import type { AnyNode, Element } from 'domhandler';

import { DescribedError } from '../../../shared/api/errors';
import { shortLine } from '../../../shared/fields/field';
import { isList, isRecord } from '../../../shared/guards';
import { formatNumber, sentences } from '../../../shared/wording';
import type { PageField } from '../request/pageRequest';
import { FlatRows } from './flatRows';
import { compileSelector, type HtmlPage } from './html';
import { leadsToAll, valuesAt } from './jsonPath';
import { valueOf } from './pickedFields';
import { readTable, type Row } from './tableRows';
import { childrenOf, elementsOf, isElement, textOf, withoutNodes, type Pause } from './tree';

/** The most characters of a name. */
const LONGEST_COLUMN_NAME = 200;

/** A row with names that nobody typed, each another, and without periods, which n8n takes for paths. */
async function renamed(row: Row, taken: ReadonlySet<string>, pause: Pause): Promise<Row> {
	const used = new Set(taken);
	/** Numbers that the next columns of a name get, rather than to try all numbers for each of thousands. */
	const numbers = new Map<string, number>();
	const columns: Array<[name: string, value: unknown]> = [];
	for (const [name, value] of row) {
		const clean = name.replaceAll('.', '').slice(0, LONGEST_COLUMN_NAME).trim() || 'column';
		let usable = clean;
		let number = numbers.get(clean) ?? 2;
		for (; used.has(usable); number += 1) usable = `${clean}_${number}`;
		numbers.set(clean, number);
		used.add(usable);
		columns.push([usable, value === undefined || value === '' ? null : value]);
		await pause();
	}
	return columns;
}

function isRowItself(selector: string): boolean {
	return /^\s*(?::scope)?\s*$/.test(selector);
}

/** Attributes of XML that name what something is, rather than what it holds. */
const DECLARES = /^xml(?:ns)?(?::|$)/;

/** The attributes that elements without a text hold their value in, as a link of Atom. */
const VALUE_ATTRIBUTES = ['href', 'url', 'src', 'term', 'value'];

function columnsOfAttributes({ attribs }: Element): Array<[name: string, value: string]> {
	return Object.entries(attribs).filter(([name]) => !DECLARES.test(name));
}

/** Characters of all rows of a page: a cell may span a thousand columns, and each has its text. */
const MOST_IN_ROWS = 20_000_000;

/** The most rows of a page: each is an item of n8n, and a list of JSON can have millions. HTML has no more elements. */
const MOST_ROWS = 200_000;

/** Reads the rows of one page of HTML or XML. */
class MarkupRows {
	/** The row that `:scope` stands for at the moment. */
	private readonly scope: AnyNode[];

	/** The selector of each column; undefined for one that is the row itself. */
	private readonly selectors: ReadonlyArray<((element: Element) => boolean) | undefined>;

	private readonly rows = new Set<AnyNode>();

	/** Rows that hold other rows. */
	private readonly outer = new Set<AnyNode>();

	private room = MOST_IN_ROWS;

	private readonly tables = new Map<Element, ReadonlyMap<Element, Row>>();

	constructor(
		private readonly page: HtmlPage,
		private readonly fields: readonly PageField[],
		private readonly taken: ReadonlySet<string>,
		private readonly pause: Pause,
	) {
		this.scope = [page.document];
		this.selectors = fields.map(({ selector }) =>
			isRowItself(selector) ? undefined : compileSelector(selector, page.isXml, this.scope),
		);
	}

	async read(rowSelector: string): Promise<Row[]> {
		const { page, rows, outer, pause } = this;
		const isRow = compileSelector(rowSelector, page.isXml);
		for (const element of elementsOf(page.document)) {
			if (isRow(element)) {
				const holder = this.rowAround(element.parentNode);
				if (holder !== undefined) outer.add(holder);
				rows.add(element);
			}
			await pause();
		}
		const values: Row[] = [];
		for (const row of rows) {
			if (!isElement(row)) continue;
			const picked = this.fields.length > 0 ? await this.pick(row) : await this.unnamed(row);
			if (picked !== undefined) values.push(picked);
			await pause();
		}
		return values;
	}

	/** A value that there is room for. */
	private counted(value: string): string {
		this.room -= value.length;
		if (this.room >= 0) return value;
		throw new DescribedError({
			message: 'The rows of the page are too large',
			description: `Together they have more than ${formatNumber(MOST_IN_ROWS)} characters. Choose a 'Row Selector' or columns that pick less.`,
		});
	}

	private rowAround(node: AnyNode | null): AnyNode | undefined {
		for (let held = node; held !== null; held = held.parentNode) {
			if (this.rows.has(held)) return held;
		}
		return undefined;
	}

	/** An element of a row without the rows in it. */
	private own(element: Element, row: AnyNode | null): Element {
		if (row === null || !this.outer.has(row)) return element;
		const inner = [...elementsOf(element)].filter(
			(held) => held !== element && this.rows.has(held),
		);
		return withoutNodes(element, new Set(inner));
	}

	/** The columns of a row: what stands in other rows is not picked. */
	private async pick(row: Element): Promise<Row> {
		const { fields, selectors } = this;
		this.scope[0] = row;
		const found = fields.map((): string[] => []);
		const take = async (element: Element, index: number) => {
			const own = this.own(element, row);
			const value = await valueOf(own, fields[index], this.page, this.pause);
			found[index].push(this.counted(value));
		};
		const wanted = new Set(fields.keys());
		for (const index of wanted) if (selectors[index] === undefined) await take(row, index);
		const waiting: AnyNode[] = [...childrenOf(row)].reverse();
		for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
			if (this.rows.has(node)) continue;
			if (isElement(node)) {
				for (const index of wanted) {
					if (selectors[index]?.(node) === true) await take(node, index);
					if (!fields[index].all && found[index].length > 0) wanted.delete(index);
				}
				if (wanted.size === 0) break;
			}
			const children = childrenOf(node);
			for (let at = children.length - 1; at >= 0; at -= 1) waiting.push(children[at]);
			await this.pause();
		}
		return fields.map(({ name, all }, index) => [
			name,
			all ? found[index] : found[index][0] || null,
		]);
	}

	/** A row without chosen columns; undefined for one that names the columns of a table. */
	private async unnamed(row: Element): Promise<Row | undefined> {
		const text = (element: Element) => this.counted(textOf(this.own(element, row)));
		const parts = childrenOf(row).filter(isElement);
		const attributes = this.page.isXml ? columnsOfAttributes(row) : [];
		if (this.page.isXml && parts.length + attributes.length > 0) {
			const values = new Map(attributes);
			// Beside the page of an entry of Atom, its other links have columns of their own
			const isPage = ({ name, attribs }: Element) => name === 'link' && attribs.rel === 'alternate';
			const hasPage = parts.some(isPage);
			for (const part of parts) {
				const { rel = 'alternate' } = part.attribs;
				const isOther = hasPage && part.name === 'link' && rel !== 'alternate';
				const column = isOther ? `link_${rel}` : part.name;
				const named = VALUE_ATTRIBUTES.find((name) => part.attribs[name] !== undefined);
				const value = text(part) || (named === undefined ? '' : part.attribs[named]);
				const before = values.get(column);
				values.set(column, before === undefined ? value : `${before}, ${value}`);
				await this.pause();
			}
			const own = parts.length === 0 ? text(row) : '';
			return await this.renamed([...values, ...(own === '' ? [] : [['text', own] as const])]);
		}
		const table = row.name === 'tr' ? this.tableAround(row) : undefined;
		if (table === undefined) return await this.renamed([['text', text(row)]]);
		const count = (value: string) => this.counted(value);
		// All rows of the table are read with the first one of them
		const cellText = (cell: Element) => textOf(this.own(cell, cell.parentNode));
		const rows = this.tables.get(table) ?? (await readTable(table, cellText, count, this.pause));
		this.tables.set(table, rows);
		const values = rows.get(row);
		return values && (await this.renamed(values));
	}

	private async renamed(row: Row): Promise<Row> {
		return await renamed(row, this.taken, this.pause);
	}

	private tableAround(row: Element): Element | undefined {
		for (let node = row.parentNode; node !== null; node = node.parentNode) {
			if (isElement(node) && node.name === 'table') return node;
		}
		return undefined;
	}
}

/**
 * The rows of a page of HTML or XML: one for each match of a selector, with what columns pick of it.
 *
 * @param fields the columns; none for those that a table or XML names itself
 * @param taken names that such columns do not get
 */
export async function readMarkupRows(
	page: HtmlPage,
	rowSelector: string,
	fields: readonly PageField[],
	taken: ReadonlySet<string>,
	pause: Pause,
): Promise<Row[]> {
	return await new MarkupRows(page, fields, taken, pause).read(rowSelector);
}

/** A value in the words of an error. */
function inWords(value: unknown): string {
	if (value === undefined) return 'nothing';
	if (isList(value)) return 'a list';
	if (!isRecord(value)) return shortLine(JSON.stringify(value) ?? 'nothing');
	return `an object with ${shortLine(Object.keys(value).join(', ')) || 'nothing in it'}`;
}

/** Names of an object among which lists are looked for. */
const MOST_NAMES = 20;

/** The paths of lists in an object, and in objects in it, such as `data.items`; `$` where the value is one itself. */
async function pathsOfLists(value: unknown, pause: Pause, deepest = 3): Promise<string[]> {
	if (isList(value)) return ['$'];
	if (!isRecord(value) || deepest === 0) return [];
	const paths: string[] = [];
	for (const [name, part] of Object.entries(value).slice(0, MOST_NAMES)) {
		await pause();
		if (name.length > LONGEST_COLUMN_NAME) continue;
		for (const path of await pathsOfLists(part, pause, deepest - 1))
			paths.push(path === '$' ? name : `${name}.${path}`);
	}
	return paths;
}

function wholeRow(part: unknown): Row {
	return isRecord(part) ? Object.entries(part) : [['value', part]];
}

function pickedRow(part: unknown, fields: readonly PageField[]): Row {
	return fields.map(({ name, selector, all }) => {
		const values = isRowItself(selector) ? [part] : valuesAt(part, selector);
		const [first] = values;
		return [name, all && !(values.length === 1 && isList(first)) ? values : first];
	});
}

/**
 * The rows of a page of JSON: the parts of a list, with what columns pick of each.
 *
 * @param path of the list, such as `data.items`
 * @param fields the columns, whose selectors are paths; none for all that each part has
 * @param isFlat whether objects and lists become what a table takes, but for columns with all matches
 * @throws DescribedError where the path leads to no list
 */
export async function readJsonRows(
	value: unknown,
	path: string,
	fields: readonly PageField[],
	taken: ReadonlySet<string>,
	isFlat: boolean,
	pause: Pause,
): Promise<Row[]> {
	const found = valuesAt(value, path);
	const parts = leadsToAll(path) ? found : found.filter(isList).flat();
	if (!leadsToAll(path) && !found.some(isList)) {
		const lists = shortLine((await pathsOfLists(value, pause)).join(', '));
		throw new DescribedError({
			message: `'Row Selector' leads to no list: ${path}`,
			description: sentences(
				`There is ${inWords(found[0])}. The page is ${inWords(value)}.`,
				lists && `Enter the path of a list: ${lists}.`,
			),
		});
	}
	if (parts.length > MOST_ROWS) {
		throw new DescribedError({
			message: `The page has too many rows: ${formatNumber(parts.length)}`,
			description: `Allowed: ${formatNumber(MOST_ROWS)}, because each becomes an item. Choose a 'Row Selector' that leads to fewer, or set 'Response Format' to 'JSON'.`,
		});
	}
	const typed = new Set(fields.map(({ name }) => name));
	const takenByOthers = new Set([...taken].filter((name) => !typed.has(name)));
	const kept = fields.filter(({ all, take }) => all || take === 'number').map(({ name }) => name);
	const flat = isFlat ? new FlatRows(new Set(kept)) : undefined;
	const rows: Row[] = [];
	for (const part of parts) {
		const row = fields.length === 0 ? wholeRow(part) : pickedRow(part, fields);
		rows.push(flat?.flat(row) ?? row);
		await pause();
	}
	const named: Row[] = [];
	for (const row of rows) {
		named.push(await renamed(flat?.settled(row) ?? row, takenByOthers, pause));
		await pause();
	}
	return named;
}
