/** Rows of text with their columns under each other. */
export function table(rows: ReadonlyArray<readonly string[]>): string {
	const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
	return rows
		.map((row) => `  ${row.map((cell, column) => cell.padEnd(width(column))).join('  ')}`.trimEnd())
		.join('\n');
}
