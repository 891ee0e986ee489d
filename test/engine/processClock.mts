/*
 * The clock by which the node keeps its pace, and by which it holds key pairs of orders in memory. A
 * test can move it: then nothing waits for the pace of calls that, by the test's story, lie minutes or
 * days apart. The sandbox measures the pace by another clock, so its own checks have to be off.
 */

interface ProcessClock {
	advance(milliseconds: number): void;
}

/** For the tests of a file. With a speed of 10 also the waits within one look end ten times sooner. */
export function useProcessClock(speed = 1): ProcessClock {
	const real = performance.now.bind(performance);
	const start = real();
	let moved = 0;
	beforeAll(() => {
		jest
			.spyOn(performance, 'now')
			.mockImplementation(() => start + (real() - start) * speed + moved);
	});
	afterAll(() => jest.mocked(performance.now).mockRestore());
	return {
		advance(milliseconds) {
			moved += milliseconds;
		},
	};
}
