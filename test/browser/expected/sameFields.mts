import { expect } from '../../../harness/checks/checks.mts';
import type { SeenField } from '../editor/nodePanel.mts';

function inWords({ label, value, min, max, hint }: SeenField): string {
	const shown = value === undefined ? '' : ` = "${value}"`;
	const range = min === undefined && max === undefined ? '' : ` (${min ?? '…'} to ${max ?? '…'})`;
	const below = hint === undefined ? '' : `, below it "${hint}"`;
	return `'${label}'${shown}${range}${below}`;
}

/** What is expected without a value may have any. */
function comparable(seen: SeenField, expected: SeenField | undefined): SeenField {
	return expected?.value === undefined ? { label: seen.label } : seen;
}

/** The same fields in the same order, with the same values and ranges. */
export function expectSameFields(
	seen: readonly SeenField[],
	expected: readonly SeenField[],
	where: string,
): void {
	const seenWords = seen.map((field, index) => inWords(comparable(field, expected[index])));
	const expectedWords = expected.map(inWords);
	const longest = Math.max(seenWords.length, expectedWords.length);
	for (let index = 0; index < longest; index++) {
		const [shown = 'no more field', wanted = 'no more field'] = [
			seenWords[index],
			expectedWords[index],
		];
		expect(shown === wanted, `${where}: the editor shows ${shown} where ${wanted} is expected`);
	}
}
