import { RateLimiter } from '../../nodes/shared/transport/rateLimiter.ts';
import { ruledGap } from '../engine/support/ruledGap.mts';

/** How much later than the rule wants it the timers of a busy machine may be. */
const MOST_LATENESS = 1.09;

/** The ratio of the time that some calls took to the time that the rule gives them. */
async function overhead(calls: number, intervalMs: number): Promise<number> {
	const limiter = new RateLimiter();
	const starts: number[] = [];
	await Promise.all(
		Array.from({ length: calls + 1 }, async () => {
			await limiter.acquire('key', intervalMs);
			starts.push(performance.now());
		}),
	);
	const gaps = starts.slice(1).map((start, index) => start - starts[index]);
	expect(Math.min(...gaps)).toBeGreaterThanOrEqual(intervalMs);
	return (starts[calls] - starts[0]) / (calls * ruledGap(intervalMs));
}

it.each([
	[20, 200],
	[2, 1000],
])('%d calls at intervals of %d ms are never too close and hardly slower', async (...given) => {
	const ratios: number[] = [];
	// A machine that is busy with other work may wake a sleeper late
	while (ratios.length < 3 && (ratios.at(-1) ?? 2) > MOST_LATENESS)
		ratios.push(await overhead(...given));
	expect(Math.min(...ratios)).toBeLessThanOrEqual(MOST_LATENESS);
});
