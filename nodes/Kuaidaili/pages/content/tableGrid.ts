import type { AnyNode, Element } from 'domhandler';

import { childrenOf, isElement } from './tree';

/** A page may say any number. */
const MOST_ROWS_SPANNED = 65_534;

/** The rows of a table in the order in which a browser shows them, by their groups. */
export function rowGroupsOf(table: Element): Element[][] {
	const head: Element[][] = [];
	const bodies: Element[][] = [];
	const foot: Element[][] = [];
	for (const part of childrenOf(table).filter(isElement)) {
		if (part.name === 'tr') {
			bodies.push([part]);
			continue;
		}
		const rows = childrenOf(part).filter(
			(row): row is Element => isElement(row) && row.name === 'tr',
		);
		if (part.name === 'thead' && head.length === 0) head.push(rows);
		else if (part.name === 'tfoot' && foot.length === 0) foot.push(rows);
		else if (/^t(?:head|body|foot)$/.test(part.name)) bodies.push(rows);
	}
	return [...head, ...bodies, ...foot];
}

export function isCell(node: AnyNode): node is Element {
	return isElement(node) && (node.name === 'td' || node.name === 'th');
}

function spanOf(value: string | undefined, most: number): number {
	const span = Number.parseInt(value ?? '', 10);
	return Number.isNaN(span) || span < 0 ? 1 : Math.min(span, most);
}

/** The columns of a table that are read. */
const MOST_COLUMNS = 1000;

/** The cells of a table with those that others span: far more than what a page can write out as elements. */
const MOST_CELLS = 500_000;

/** The columns that are read of a table of so many rows. Any row may say that it has a thousand, at no cost. */
function mostColumnsOf(rows: number): number {
	return Math.min(MOST_COLUMNS, Math.ceil(MOST_CELLS / Math.max(1, rows)));
}

/**
 * The cell that covers each column of each row; undefined for none. Counts `colspan` and `rowspan` by the rules of the
 * HTML standard (4.9.12.1): a cell ends with its group of rows. Where cells overlap, which is
 * an error of the page, the first one stands as long as it lasts.
 *
 * @param cellsOf the cells of a row that count
 * @param mostSpanned the most columns of one cell
 */
export function* gridOf(
	groups: readonly Element[][],
	cellsOf: (row: Element) => readonly Element[],
	mostSpanned: number,
): Generator<Array<Element | undefined>, void> {
	const mostColumns = mostColumnsOf(groups.reduce((sum, { length }) => sum + length, 0));
	for (const rows of groups) {
		/**
		 * Cells that reach down to the row `until`, which is not counted: by column, in their order, each of which ends later
		 * than the one before.
		 */
		const open: Array<Array<{ readonly cell: Element; readonly until: number }> | undefined> = [];
		for (const [index, row] of rows.entries()) {
			const columns = Array.from(open, (spans) => {
				while (spans?.[0] !== undefined && spans[0].until <= index) spans.shift();
				return spans?.[0]?.cell;
			});
			while (columns.length > 0 && columns.at(-1) === undefined) columns.pop();
			let column = 0;
			for (const cell of cellsOf(row)) {
				while (columns[column] !== undefined) column += 1;
				const width = Math.max(1, spanOf(cell.attribs.colspan, mostSpanned));
				const end = Math.min(column + width, mostColumns);
				const until = index + (spanOf(cell.attribs.rowspan, MOST_ROWS_SPANNED) || Infinity);
				for (; column < end; column += 1) {
					while (columns.length < column) columns.push(undefined);
					columns[column] ??= cell;
					while (open.length <= column) open.push(undefined);
					const spans = (open[column] ??= []);
					const last = spans.at(-1)?.until ?? 0;
					if (until > index + 1 && until > last) spans.push({ cell, until });
				}
			}
			yield columns;
		}
	}
}
