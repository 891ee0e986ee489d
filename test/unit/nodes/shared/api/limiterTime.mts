import { CancelledError } from '../../../../../nodes/shared/api/errors.ts';
import { RateLimiter } from '../../../../../nodes/shared/api/rateLimiter.ts';

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

/** Sets the test's own time; `starts` then notes who left when. */
export function fakeTime() {
	jest.useFakeTimers();
	const limiter = new RateLimiter();
	const begin = performance.now();
	const starts: Array<[name: string, at: number]> = [];
	const cancelled: string[] = [];

	function call(name: string, intervalMs = 200, key = 'key', signal?: AbortSignal): void {
		limiter.acquire(key, intervalMs, signal).then(
			() => starts.push([name, Math.round(performance.now() - begin)]),
			(error: unknown) => {
				if (!(error instanceof CancelledError)) throw error;
				cancelled.push(name);
			},
		);
	}
	return {
		limiter,
		call,
		cancelled,
		starts,
		names: () => starts.map(([name]) => name),
		times: () => starts.map(([, at]) => at),
		pass: async (ms: number) => await jest.advanceTimersByTimeAsync(ms),
	};
}

export function gaps(times: readonly number[]): number[] {
	return times.slice(1).map((time, index) => time - times[index]);
}
