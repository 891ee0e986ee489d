/*
 * The clock by which the node keeps its pace, and by which it holds key pairs of orders in memory. A
 * test can move it: then nothing waits for the pace of calls that, by the test's story, lie minutes or
 * days apart, and no timer that lies in between goes off. The sandbox measures the pace by it too.
 */

interface ProcessClock {
	advance(milliseconds: number): void;
}

/** For the tests of a file. */
export function useProcessClock(): ProcessClock {
	const now = performance.now.bind(performance);
	let moved = 0;
	beforeAll(() => {
		jest.spyOn(performance, 'now').mockImplementation(() => now() + moved);
	});
	afterAll(() => jest.mocked(performance.now).mockRestore());
	return {
		advance(milliseconds) {
			moved += milliseconds;
		},
	};
}
