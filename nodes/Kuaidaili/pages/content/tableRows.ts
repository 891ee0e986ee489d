import type { Element } from 'domhandler';

import { propertyOf } from '../../../shared/guards';
import { gridOf, isCell, rowGroupsOf } from './tableGrid';
import { childrenOf, type Pause } from './tree';

/** The most columns of one cell, by the HTML standard. */
const MOST_COLUMNS_SPANNED = 1000;

/** Values by the names of their columns, in the order of the columns. */
export type Row = ReadonlyArray<readonly [name: string, value: unknown]>;

function cellsOf(row: Element): Element[] {
	return childrenOf(row).filter(isCell);
}

/** Rows above those that name the columns: a title, a unit, a note. */
const MOST_NOTES = 3;

/** The rows of a table that are no data. */
interface HeaderRows {
	/** Rows that name the columns. */
	readonly naming: ReadonlySet<Element>;
	/** These, and rows with a title or a note above them. */
	readonly all: ReadonlySet<Element>;
}

/**
 * Finds the rows that name the columns: those of `thead`; without one, the first rows that have only `th`, but for empty
 * cells in the corner, and above them rows of a single cell, such as a title or a unit.
 */
function headersOf(rows: readonly Element[], textOf: (cell: Element) => string): HeaderRows {
	const isOfHead = ({ parentNode }: Element) => propertyOf(parentNode, 'name') === 'thead';
	const isHeader = (cells: readonly Element[]) =>
		cells.some(({ name }) => name === 'th') &&
		cells.every((cell) => cell.name === 'th' || textOf(cell) === '');
	let naming: readonly Element[] = rows.filter(isOfHead);
	let notes = 0;
	if (naming.length === 0) {
		const first = rows.findIndex((row) => cellsOf(row).length !== 1);
		const isBelowNotes = first > 0 && first <= MOST_NOTES && isHeader(cellsOf(rows[first]));
		if (isBelowNotes) notes = first;
		const end = rows.findIndex((row, index) => index >= notes && !isHeader(cellsOf(row)));
		naming = rows.slice(notes, end < 0 ? rows.length : end);
	}
	const several = naming.filter((row) => cellsOf(row).length > 1);
	return {
		naming: new Set(several.length > 0 ? several : naming),
		all: new Set([...rows.slice(0, notes), ...naming]),
	};
}

/**
 * Names a column after the header cells above it.
 *
 * @param headers the cell of each header row, which may be the same one; undefined for none
 */
function nameOf(
	column: number,
	headers: ReadonlyArray<Element | undefined>,
	textOf: (cell: Element) => string,
): string {
	const texts = [...new Set(headers)].map((cell) => (cell === undefined ? '' : textOf(cell)));
	return texts.filter((text) => text !== '').join(' ') || `column_${column + 1}`;
}

/**
 * The rows of a table but those that name its columns. A cell that spans several rows or columns is in each of them.
 *
 * @param onUse called with the text of a cell for each of its columns and rows, to which it may say no by an error
 */
export async function readTable(
	table: Element,
	textOf: (cell: Element) => string,
	onUse: (text: string) => string,
	pause: Pause,
): Promise<Map<Element, Row>> {
	const groups = rowGroupsOf(table);
	const rows = groups.flat();
	/** The cell that covers each column, row by row. */
	const grid: Array<ReadonlyArray<Element | undefined>> = [];
	for (const cells of gridOf(groups, cellsOf, MOST_COLUMNS_SPANNED)) {
		grid.push(cells);
		await pause();
	}
	/** Texts of cells, read once: a cell may stand in a thousand columns, and be a whole page. */
	const texts = new Map<Element, string>();
	const cellText = (cell: Element) => {
		const text = texts.get(cell) ?? textOf(cell);
		texts.set(cell, text);
		return onUse(text);
	};
	const headers = headersOf(rows, textOf);
	const headerCells = grid.filter((_cells, index) => headers.naming.has(rows[index]));
	const columns = grid.reduce((most, cells) => Math.max(most, cells.length), 0);
	const names: string[] = [];
	for (let column = 0; column < columns; column += 1) {
		const above = headerCells.map((cells) => cells[column]);
		names.push(nameOf(column, above, cellText));
		await pause();
	}
	const values = new Map<Element, Row>();
	for (const [index, row] of rows.entries()) {
		if (headers.all.has(row)) continue;
		const cells = names.map((name, column) => {
			const cell = grid[index][column];
			return [name, cell === undefined ? '' : cellText(cell)] as const;
		});
		values.set(row, cells);
		await pause();
	}
	return values;
}
