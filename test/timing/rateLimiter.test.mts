import { RateLimiter } from '../../nodes/shared/transport/rateLimiter.ts';

/** Of the interval; a little more than that is what the limiter adds to be on the safe side. */
const MOST = 1.15;

/** The ratio of the time that some calls took to the time that they had to take. */
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
	return (starts[calls] - starts[0]) / (calls * intervalMs);
}

it.each([
	[20, 200],
	[2, 1000],
])('%d calls at intervals of %d ms are never too close and hardly slower', async (...given) => {
	const ratios: number[] = [];
	// A machine that is busy with other work may wake a sleeper late
	while (ratios.length < 3 && (ratios.at(-1) ?? 2) > MOST) ratios.push(await overhead(...given));
	expect(Math.min(...ratios)).toBeLessThanOrEqual(MOST);
});
