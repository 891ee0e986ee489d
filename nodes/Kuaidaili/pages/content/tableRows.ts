import type { Element } from 'domhandler';

import { propertyOf } from '../../../shared/guards';
import { gridOf, isCell, rowGroupsOf } from './tableGrid';
import { childrenOf, type Pause } from './tree';

/** The most columns of one cell, by the HTML standard. */
const MOST_COLUMNS_SPANNED = 1000;

/** The values of a row by the names of its columns. */
type TableRow = Array<readonly [name: string, value: string]>;

/** A row of a table with the cell that covers each of its columns. */
interface GridRow {
	readonly element: Element;
	readonly cells: ReadonlyArray<Element | undefined>;
}

function cellsOf(row: Element): Element[] {
	return childrenOf(row).filter(isCell);
}

/** The rows that name the columns: those of `thead`; without one, the first rows that have only `th`. */
function headersOf(rows: readonly GridRow[]): ReadonlySet<GridRow> {
	const isOfHead = ({ element }: GridRow) => propertyOf(element.parentNode, 'name') === 'thead';
	if (rows.some(isOfHead)) return new Set(rows.filter(isOfHead));
	const first = rows.findIndex(({ element }) => {
		const cells = cellsOf(element);
		return cells.length === 0 || cells.some(({ name }) => name === 'td');
	});
	return new Set(first < 0 ? rows : rows.slice(0, first));
}

/** Names a column after all header cells above it. */
function nameOf(column: number, headers: ReadonlySet<GridRow>, textOf: (cell: Element) => string) {
	const cells = new Set([...headers].map(({ cells: all }) => all[column]));
	const texts = [...cells].map((cell) => (cell === undefined ? '' : textOf(cell)));
	return texts.filter((text) => text !== '').join(' ') || `column ${column + 1}`;
}

/** The rows of a table but those that name its columns. A cell that spans several rows or columns is in each of them. */
export async function readTable(
	table: Element,
	textOf: (cell: Element) => string,
	pause: Pause,
): Promise<Map<Element, TableRow>> {
	const groups = rowGroupsOf(table);
	const elements = groups.flat();
	const rows: GridRow[] = [];
	for (const cells of gridOf(groups, cellsOf, MOST_COLUMNS_SPANNED)) {
		rows.push({ element: elements[rows.length], cells });
		await pause();
	}
	const headers = headersOf(rows);
	const columns = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
	const names = Array.from({ length: columns }, (_, column) => nameOf(column, headers, textOf));
	const values = new Map<Element, TableRow>();
	for (const row of rows) {
		if (headers.has(row)) continue;
		const texts = names.map((name, column) => {
			const cell = row.cells[column];
			return [name, cell === undefined ? '' : textOf(cell)] as const;
		});
		values.set(row.element, texts);
		await pause();
	}
	return values;
}
