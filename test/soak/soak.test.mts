import type { LoggedRequest } from '../../sandbox/sandbox.mts';
import { heapTrend, mostAtTheEnd, type MemorySample } from './memory.mts';
import { allowedInWindow, isByStall, mostInWindow } from './pace.mts';

function samples(heapAt: (index: number) => number): MemorySample[] {
	return Array.from({ length: 40 }, (_none, index) => ({
		seconds: 30 * (index + 1),
		heap: heapAt(index),
		resident: 800,
		stalls: [],
	}));
}

function isFlat(all: readonly MemorySample[]): boolean {
	const trend = heapTrend(all);
	return trend.lastQuarter <= mostAtTheEnd(trend);
}

describe('the heap', () => {
	it.each<[string, (index: number) => number]>([
		['that stays', () => 200],
		['that goes up and down', (index) => 200 + (index % 7)],
		['that grows only at first', (index) => Math.min(200, 100 + 10 * index)],
		['with a single peak', (index) => (index === 35 ? 400 : 200)],
	])('%s is flat', (_name, heapAt) => {
		expect(isFlat(samples(heapAt))).toBe(true);
	});

	it.each<[string, (index: number) => number]>([
		['all the time', (index) => 200 + index],
		['late', (index) => (index < 25 ? 200 : 220)],
	])('that grows %s is not flat', (_name, heapAt) => {
		expect(isFlat(samples(heapAt))).toBe(false);
	});

	it('has a trend per hour', () => {
		expect(heapTrend(samples((index) => 200 + index / 2)).megabytesPerHour).toBeCloseTo(60);
	});
});

function call(arrival: number): LoggedRequest {
	return {
		number: 1,
		time: new Date(arrival),
		arrival,
		host: 'base',
		method: 'GET',
		path: '/api/querykpscity',
		delivery: 1,
		parameters: {},
		code: 0,
		status: 200,
		workDone: true,
		refusedByRateLimit: false,
		fault: undefined,
		outcome: 'answered',
	};
}

describe('the pace', () => {
	it('is counted within any ten seconds', () => {
		const steady = Array.from({ length: 60 }, (_none, index) => call(index * 1000));
		expect(mostInWindow(steady)).toBeLessThanOrEqual(allowedInWindow(1000));
		const faster = Array.from({ length: 60 }, (_none, index) => call(index * 800));
		expect(mostInWindow(faster)).toBeGreaterThan(allowedInWindow(1000));
	});

	it('is forgiven only where a process stood still between the two calls', () => {
		const early = call(100_000);
		expect(isByStall(early, [])).toBe(false);
		expect(isByStall(early, [{ from: 97_000, to: 98_000 }])).toBe(false);
		expect(isByStall(early, [{ from: 99_100, to: 99_300 }])).toBe(true);
		expect(isByStall(early, [{ from: 100_500, to: 101_000 }])).toBe(false);
	});
});
