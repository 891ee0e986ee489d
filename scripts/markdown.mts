function row(cells: readonly string[]): string {
	return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** A table of Markdown. */
export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}
