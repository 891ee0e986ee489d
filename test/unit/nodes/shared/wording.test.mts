import { alphabetically, formatNumber } from '../../../../nodes/shared/wording.ts';

it.each([0, 7, 999, 1_000, 12_345, 999_999, 1_000_000, -5, -100, -1_000, -123_456, 0.5, 1_234.5])(
	'writes %d as people do who read English',
	(value) => {
		expect(formatNumber(value)).toBe(value.toLocaleString('en-US'));
	},
);

it.each([Infinity, -Infinity, NaN, 1e21, 1e-7])('leaves %d as it is', (value) => {
	expect(formatNumber(value)).toBe(String(value));
});

it('sorts texts whatever their case', () => {
	expect(['b', 'C', 'a', 'A'].sort(alphabetically)).toEqual(['a', 'A', 'b', 'C']);
});
