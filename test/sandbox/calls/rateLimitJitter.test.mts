import { perSecond, RateLimits } from '../../../sandbox/limits/rateLimits.mts';
import { startSandbox } from '../../../sandbox/sandbox.mts';
import { call } from '../client.mts';
import { newLimits, PROXIES } from './measuredLimits.mts';

describe('with jitter', () => {
	const rules = [perSecond(1)];
	const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);

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

	it('what is just enough is the interval and the whole jitter', () => {
		const enough = SEEDS.flatMap((seed) => refused(jittery(seed), 1020));
		const nearly = SEEDS.flatMap((seed) => refused(jittery(seed), 1018));
		expect([enough.length, nearly.length > 0]).toEqual([0, true]);
	});

	it('holds calls up and never lets one come before its time', () => {
		const limits = jittery(7);
		expect(limits.refusal('a', rules, 0)).toBeUndefined();
		for (let arrival = 0; arrival < 980; arrival += 1) {
			expect(limits.refusal('a', rules, arrival)).toBe(-120);
		}
		expect(limits.refusal('a', rules, 1020)).toBeUndefined();
	});

	it('the same seed refuses the same calls, another one others', () => {
		expect(refused(jittery(3), 1000)).toEqual(refused(jittery(3), 1000));
		expect(refused(jittery(3), 1000)).not.toEqual(refused(jittery(4), 1000));
	});

	it('is scaled with the intervals', () => {
		const scaled = newLimits({ scale: 0.1, toleranceMs: 0, jitterMs: 20 }, 3);
		expect(refused(scaled, 105)).toEqual([]);
		expect(refused(scaled, 100)).not.toEqual([]);
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

	it('does not change what is drawn for the answers', async () => {
		const extract = async (calls: number) => {
			const sandbox = await startSandbox({
				rateLimitJitterMs: 20,
				seed: 9,
				forwardProxies: false,
				catalogueSize: 100,
			});
			refused(sandbox.limits, 1000, calls);
			const { text } = await call(sandbox.hosts.baseUrl, PROXIES, sandbox.keys.opsVip, {
				num: '5',
			});
			await sandbox.close();
			return text;
		};
		expect(await extract(1)).toBe(await extract(50));
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
