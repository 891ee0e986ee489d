import { median, quantile, ratioOf } from '../../bench/statistics.mts';

describe('median', () => {
	it('is the value in the middle, in whatever order they come', () => {
		expect(median([9, 1, 5])).toBe(5);
		expect(median([10, 9, 100])).toBe(10);
		expect(median([7])).toBe(7);
	});

	it('lies between the two in the middle of an even number of values', () => {
		expect(median([4, 1, 2, 100])).toBe(3);
	});

	it('of nothing is an error', () => {
		expect(() => median([])).toThrow('There are no values');
	});

	it('leaves the values as they are', () => {
		const values = [3, 1, 2];
		median(values);
		expect(values).toEqual([3, 1, 2]);
	});
});

describe('quantile', () => {
	it('finds the ends and what lies between two values', () => {
		const values = [40, 10, 30, 20];
		expect(quantile(values, 0)).toBe(10);
		expect(quantile(values, 1)).toBe(40);
		expect(quantile(values, 0.25)).toBe(17.5);
		expect(quantile(values, 0.75)).toBe(32.5);
	});
});

describe('ratioOf', () => {
	it('compares within each pair, so that a slow moment of the machine does not count', () => {
		const pairs = [
			{ ours: 1, other: 2 },
			{ ours: 50, other: 100 },
			{ ours: 2, other: 4 },
		];
		expect(ratioOf(pairs)).toEqual({ ratio: 0.5, low: 0.5, high: 0.5, pairs: 3 });
	});

	it('tells where the middle half of the pairs lies', () => {
		const pairs = [1, 2, 3, 4, 5].map((ours) => ({ ours, other: 1 }));
		expect(ratioOf(pairs)).toEqual({ ratio: 3, low: 2, high: 4, pairs: 5 });
	});

	it('is not moved by one pair that went wrong', () => {
		const pairs = [1, 1, 1, 1, 1000].map((ours) => ({ ours, other: 1 }));
		expect(ratioOf(pairs).ratio).toBe(1);
	});
});
