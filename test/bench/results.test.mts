import { asJson, asMarkdown, inWords, isMet } from '../../bench/results.mts';

const measure = { name: 'growth', goal: 1.1 };
const measured = { ratio: 1.00249, low: 0.99, high: 1.0171, pairs: 7, calls: 31 };

it('meets a goal with a ratio that is no larger, and never without one', () => {
	expect(isMet({ measure, measured })).toBe(true);
	expect(isMet({ measure, measured: { ...measured, ratio: 1.1 } })).toBe(true);
	expect(isMet({ measure, measured: { ...measured, ratio: 1.101 } })).toBe(false);
	expect(isMet({ measure, failure: 'One call was rejected' })).toBe(false);
});

it('is a row of a table', () => {
	const rows = asMarkdown([
		{ measure, measured },
		{ measure: { name: 'reuse', goal: 0.01 }, measured: { ...measured, ratio: 0.02, pairs: 1 } },
		{ measure: { name: 'pacing', goal: 1.06 }, failure: 'One call was rejected' },
	]).split('\n');
	expect(rows.slice(2)).toEqual([
		'| `growth` | 1.1 | 1.002 |',
		'| `reuse` | 0.01 | 0.02 **missed** |',
		'| `pacing` | 1.06 | — One call was rejected |',
	]);
});

it('is a line for people, and one for programs', () => {
	expect(inWords(measured)).toBe('1.002 (0.99 to 1.017 in the middle half of 7 pairs); calls: 31');
	expect(JSON.parse(asJson({ measure, measured }))).toEqual({
		...measure,
		ok: true,
		...measured,
		ratio: 1.002,
		high: 1.017,
	});
});
