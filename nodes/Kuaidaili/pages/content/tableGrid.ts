import type { AnyNode, Element } from 'domhandler';

import { childrenOf, isElement } from './tree';

/** A page may say any number. */
const MOST_SPANNED = 50;
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

/** Cells that reach down into the rows below, by their columns: how many rows are left to them. */
type OpenSpans = number[];

/**
 * The cells of each row by their columns; undefined where a larger cell reaches into a column. Counts `colspan` and
 * `rowspan` by the rules of the HTML standard: a cell ends with its group of rows.
 *
 * @param cellsOf the cells of a row that count
 */
export function* gridOf(
	groups: readonly Element[][],
	cellsOf: (row: Element) => readonly Element[],
): Generator<Array<Element | undefined>, void> {
	for (const rows of groups) {
		const open: OpenSpans = [];
		for (const [index, row] of rows.entries()) {
			const columns: Array<Element | undefined> = [];
			const skipSpanned = () => {
				while ((open[columns.length] ?? 0) > 0) {
					open[columns.length] -= 1;
					columns.push(undefined);
				}
			};
			for (const cell of cellsOf(row)) {
				skipSpanned();
				const columnsSpanned = Math.max(1, spanOf(cell.attribs.colspan, MOST_SPANNED));
				const rowsLeft = rows.length - index;
				const rowsSpanned = spanOf(cell.attribs.rowspan, MOST_ROWS_SPANNED) || rowsLeft;
				for (let column = 0; column < columnsSpanned; column += 1) {
					open[columns.length] = Math.min(rowsSpanned, rowsLeft) - 1;
					columns.push(column === 0 ? cell : undefined);
				}
			}
			skipSpanned();
			yield columns;
		}
	}
}
