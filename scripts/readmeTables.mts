import { COMMON_CODES, documentedCodes, type CodeMeaning } from '../nodes/shared/service/codes.ts';

function row(cells: readonly string[]): string {
	return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

function codeRows(codes: ReadonlyMap<number, CodeMeaning>): string[][] {
	return [...codes]
		.sort(([a], [b]) => b - a)
		.map(([code, { message, cure }]) => [String(code), message, cure]);
}

function codesSection(): string {
	const head = ['Code', 'What happened', 'What to do'];
	const own = [...documentedCodes('getProxy')].filter(([code]) => !COMMON_CODES.has(code));
	return [
		'Codes of **Proxy: Extract**:',
		table(head, codeRows(new Map(own))),
		'Codes of every operation:',
		table(head, codeRows(COMMON_CODES)),
	].join('\n\n');
}

const SECTIONS: ReadonlyMap<string, () => string> = new Map([['codes', codesSection]]);

/** The README with every generated section written anew between its marks. */
export function updatedReadme(readme: string): string {
	let updated = readme;
	for (const [name, section] of SECTIONS) {
		const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
		const [before, rest] = updated.split(begin);
		const after = rest?.split(end)[1];
		if (after === undefined) throw new Error(`README.md lacks the marks of the section "${name}"`);
		updated = `${before}${begin}\n\n${section()}\n\n${end}${after}`;
	}
	return updated;
}
