import { fingerprintOf } from '../../../../nodes/shared/fingerprint.ts';

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
