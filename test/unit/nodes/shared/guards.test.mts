import { fingerprintOf } from '../../../../nodes/shared/api/sign.ts';
import { ownValue, toRecord } from '../../../../nodes/shared/guards.ts';
import { alphabetically, enumerated, formatNumber } from '../../../../nodes/shared/wording.ts';

it('takes own values only', () => {
	expect(ownValue({ a: 1 }, 'a')).toBe(1);
	expect(ownValue({ a: 1 }, 'b')).toBeUndefined();
	for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
		expect(ownValue({}, name)).toBeUndefined();
	}
	expect(ownValue({ hasOwnProperty: 5 }, 'hasOwnProperty')).toBe(5);
});

it('an item keeps the names of the service, but for the one that n8n takes for a failure', () => {
	expect(toRecord({ orderid: '1', error: 'x' })).toEqual({ orderid: '1', service_error: 'x' });
});

it('is the same for the same, in every process', () => {
	expect(fingerprintOf('o1fjh1re9o28876h7c08', '')).toBe(fingerprintOf('o1fjh1re9o28876h7c08', ''));
	// It is saved with workflows: a change would make all of them tell anew
	expect(fingerprintOf('a', 'b')).toMatch(/^0473ef2dc0d324ab/);
});

it.each([
	[['a'], ['b']],
	[
		['a', 'b'],
		['b', 'a'],
	],
	[['a,b'], ['a', 'b']],
	[['a'], ['a', '']],
])('tells %j from %j', (one, other) => {
	expect(fingerprintOf(...one)).not.toBe(fingerprintOf(...other));
});

it('does not contain what it stands for', () => {
	expect(fingerprintOf('o1fjh1re9o28876h7c08')).toMatch(/^[0-9a-f]{32}$/);
});

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
	expect(alphabetically('a', 'A')).toBe(0);
});

it.each([
	[['a'], 'a'],
	[['a', 'b'], 'a or b'],
	[['a', 'b', 'c'], 'a, b, or c'],
])('writes %j as a list in a sentence', (texts, words) => {
	expect(enumerated(texts)).toBe(words);
});
