import { sleep } from 'n8n-workflow';

import { RateLimiter } from '../../../../../nodes/shared/api/rateLimiter.ts';
import { perSecond, RateLimits } from '../../../../../sandbox/limits/rateLimits.mts';
import { seededRandom } from '../../../../../sandbox/random.mts';

const LIMITS = { on: true, scale: 1, toleranceMs: 0 };

/** How long a call that was too fast is tried again, as `nextAttempt` has it. */
const PATIENCE_MS = 180_000;

interface Part {
	readonly calls: number;
	readonly after?: number;
}

/**
 * Processes with one key at a service that takes one call per second, in virtual time.
 *
 * @returns the time that all of them take, divided by what the limit forces, and how many calls failed
 */
async function together(parts: readonly Part[], seed: number) {
	jest.useFakeTimers();
	const random = seededRandom(seed);
	jest.spyOn(Math, 'random').mockImplementation(random);
	const service = new RateLimits(LIMITS);
	const networkMs = () => 2 + random() * 8;
	const begin = performance.now();
	let failed = 0;

	async function call(limiter: RateLimiter): Promise<boolean> {
		for (const since = performance.now(); performance.now() - since < PATIENCE_MS; ) {
			await limiter.acquire('key', 1000);
			await sleep(networkMs());
			const isRefused = service.refusal('key', [perSecond(1)], performance.now()) !== undefined;
			await sleep(networkMs());
			if (!isRefused) {
				limiter.accepted('key');
				return true;
			}
			limiter.backOff('key', 1000);
		}
		return false;
	}

	async function process({ calls, after = 0 }: Part): Promise<void> {
		await sleep(after);
		const limiter = new RateLimiter();
		for (let index = 0; index < calls; index++) if (!(await call(limiter))) failed += 1;
	}

	let endedAt: number | undefined;
	void Promise.all(parts.map(process)).then(() => (endedAt = performance.now()));
	while (endedAt === undefined) await jest.advanceTimersByTimeAsync(500);
	const calls = parts.reduce((sum, part) => sum + part.calls, 0);
	return { ratio: (endedAt - begin) / ((calls - 1) * 1000), failed };
}

const beside = (calls: number): Part[] => [
	{ calls },
	...Array.from({ length: 8 }, (_, index) => ({ calls: 1, after: 5000 + index * 1500 })),
];

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

it.each([
	['eight with 20 calls each', Array.from({ length: 8 }, () => ({ calls: 20 })), 1.25],
	['eight with one call, beside one with 120', beside(120), 1.2],
	['eight with one call, beside one with 500', beside(500), 1.15],
	['one alone', [{ calls: 100 }], 1.06],
])('processes with one key waste little time, and none fails: %s', async (_, parts, goal) => {
	const ratios: number[] = [];
	for (let seed = 1; seed <= 5; seed++) {
		const { ratio, failed } = await together(parts, seed);
		expect(failed).toBe(0);
		ratios.push(ratio);
	}
	expect(ratios.sort((a, b) => a - b)[2]).toBeLessThanOrEqual(goal);
});
