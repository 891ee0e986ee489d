import { perSecond, RateLimits } from '../../../sandbox/limits/rateLimits.mts';
import { startSandbox } from '../../../sandbox/sandbox.mts';
import { newLimits } from './measuredLimits.mts';

describe('with jitter', () => {
	const rules = [perSecond(1)];
	const SEEDS = Array.from({ length: 10 }, (_, seed) => seed);

	/** Which of 200 calls are refused. They come evenly, as nearly as they can. */
	function refused(limits: RateLimits, betweenMs: number, arrivals = 200): number[] {
		const indexes = Array.from({ length: arrivals }, (_, index) => index);
		return indexes.filter((index) => limits.refusal('a', rules, index * betweenMs) !== undefined);
	}

	const jittery = (seed: number, jitterMs = 20) => newLimits({ toleranceMs: 0, jitterMs }, seed);

	it.each(SEEDS)(
		'the interval and 5 % is enough in 200 calls, the bare one is not (%i)',
		(seed) => {
			expect(refused(jittery(seed), 1050)).toEqual([]);
			expect(refused(jittery(seed), 1000).length).toBeGreaterThan(20);
		},
	);

	it('the same seed refuses the same calls, another one others', () => {
		expect(refused(jittery(3), 1000)).toEqual(refused(jittery(3), 1000));
		expect(refused(jittery(3), 1000)).not.toEqual(refused(jittery(4), 1000));
	});

	it('is an option of the sandbox, which leaves no tolerance and obeys its seed', async () => {
		const start = (seed: number) =>
			startSandbox({
				rateLimitJitterMs: 20,
				rateLimits: { toleranceMs: 50 },
				seed,
				forwardProxies: false,
				catalogueSize: 10,
			});
		const sandboxes = [await start(5), await start(5), await start(6)];
		const [one, same, other] = sandboxes.map(({ limits }) => refused(limits, 1000));
		expect(one).toEqual(same);
		expect(one).not.toEqual(other);
		for (const { limits, close } of sandboxes) {
			expect(limits.settings).toEqual({
				on: true,
				byClock: false,
				scale: 1,
				toleranceMs: 0,
				jitterMs: 20,
				refusedCount: false,
			});
			await close();
		}
	});
});

describe('by the clock', () => {
	it('the second of a limit ends with a second of the clock, wherever it began', () => {
		const rules = [perSecond(1)];
		const starts = Array.from({ length: 1000 }, (_, ms) => ms);
		const passed = starts.filter((start) => {
			const limits = newLimits({ byClock: true }, 1);
			expect(limits.refusal('a', rules, start)).toBeUndefined();
			return limits.refusal('a', rules, start + 10) === undefined;
		});
		// Those that begin in the last ten milliseconds of a second
		expect(passed).toHaveLength(10);
	});
});
