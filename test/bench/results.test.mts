import { inWords, isMet } from '../../bench/results.mts';

const measure = { name: 'growth', goal: 1.1 };
const measured = { ratio: 1.00249, low: 0.99, high: 1.0171, pairs: 7, calls: 31 };

it('meets a goal with a ratio that is no larger, and never without one', () => {
	expect(isMet({ measure, measured })).toBe(true);
	expect(isMet({ measure, measured: { ...measured, ratio: 1.1 } })).toBe(true);
	expect(isMet({ measure, measured: { ...measured, ratio: 1.101 } })).toBe(false);
	expect(isMet({ measure, failure: 'One call was rejected' })).toBe(false);
});

it('is a line for people', () => {
	expect(inWords(measured)).toBe('1.002 (0.99 to 1.017 in the middle half of 7 pairs); calls: 31');
});
