import { setMaxListeners } from 'node:events';

import { CancelledError } from '../../../../../nodes/shared/api/errors.ts';
import { RateLimiter } from '../../../../../nodes/shared/api/rateLimiter.ts';
import { perSecond, RateLimits } from '../../../../../sandbox/limits/rateLimits.mts';
import { seededRandom } from '../../../../../sandbox/random.mts';
import { watchTimers } from '../../../support/timers.mts';
import { fakeTime, gaps, manyListeners } from './limiterTime.mts';
import { RequestPace } from '../../../../../nodes/Kuaidaili/pages/http/requestPace.ts';

describe('a key', () => {
	it.each([
		[100, 125],
		[200, 225],
		[500, 525],
		[1000, 1050],
		[5000, 5250],
	])(
		'keeps %d ms and 5 percent, but at least 25 ms, because arrivals move',
		async (intervalMs, spacing) => {
			const { call, pass, times } = fakeTime();
			for (let index = 0; index < 20; index++) call(String(index), intervalMs);
			await pass(spacing * 20);
			expect(times()).toHaveLength(20);
			for (const gap of gaps(times())) expect(gap).toBe(spacing);
		},
	);

	it.each([1, 2, 3])(
		'is never too fast for a service that measures arrivals with 20 ms of jitter (seed %d)',
		async (seed) => {
			const { call, pass, times } = fakeTime();
			for (let index = 0; index < 200; index++) call(String(index), 1000);
			await pass(220_000);
			const settings = {
				on: true,
				scale: 1,
				toleranceMs: 0,
				jitterMs: 20,
				refusedCallsCount: false,
			};
			const service = new RateLimits(settings, seededRandom(seed));
			const refused = (arrivals: readonly number[]) =>
				arrivals.filter((at) => service.refusal('key', [perSecond(1)], at) !== undefined).length;
			expect(times()).toHaveLength(200);
			expect(refused(times())).toBe(0);
			// The bare interval would be
			expect(refused(times().map((_at, index) => 1_000_000 + index * 1000))).toBeGreaterThan(20);
		},
	);

	it('tells when a call may leave, and takes no slot for that', async () => {
		const { limiter, call, pass, times } = fakeTime();
		call('first', 1000);
		await pass(0);
		void limiter.untilFree('key').then(() => call('asked', 1000));
		await pass(1049);
		expect(times()).toEqual([0]);
		await pass(1);
		expect(times()).toEqual([0, 1050]);
	});

	it('leaves no interval free where no other process uses the key', async () => {
		const { call, pass, times } = fakeTime();
		for (let index = 0; index < 60; index++) call(String(index), 1000);
		await pass(70_000);
		expect(new Set(gaps(times()))).toEqual(new Set([1050]));
	});

	it('leaves each seventh interval free while another process is known to use the key, and no longer', async () => {
		const { call, limiter, pass, times } = fakeTime();
		const random = jest.spyOn(Math, 'random').mockReturnValue(0.14);
		limiter.backOff('key', 1000);
		for (let index = 0; index < 40; index++) call(String(index), 1000);
		await pass(10_000);
		random.mockReturnValue(0.15);
		await pass(10_000);
		random.mockReturnValue(0.14);
		await pass(80_000);
		const [before, between, after] = [9_000, 19_000, 32_000];
		const kept = (from: number, to: number) =>
			new Set(gaps(times().filter((at) => at >= from && at <= to)));
		expect(kept(0, before)).toEqual(new Set([2100]));
		expect(kept(before + 4000, between)).toEqual(new Set([1050]));
		expect(kept(after, Infinity)).toEqual(new Set([1050]));
	});
});

describe('with 20,000 keys', () => {
	it('remembers a bounded number of lanes', async () => {
		let now = 0;
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		const limiter = new RateLimiter();
		let largest = 0;
		for (let index = 0; index < 20_000; index++) {
			await limiter.acquire(`key ${index}`, 1000);
			largest = Math.max(largest, Reflect.get(limiter, 'paces').size);
			now += 50;
		}
		expect(largest).toBe(10_000);
		jest.restoreAllMocks();
	});

	it('never forgets a key whose interval is still running, or that is held back', async () => {
		jest.useFakeTimers();
		const limiter = new RateLimiter();
		await limiter.acquire('busy', 5000);
		limiter.pause('held', 60_000);
		let busyAt = 0;
		let heldAt = 0;
		const fillUp = async (name: string) => {
			for (let index = 0; index < 3000; index++) await limiter.acquire(`${name} ${index}`, 200);
		};
		const begin = performance.now();
		await fillUp('early');
		void limiter.acquire('busy', 5000).then(() => (busyAt = performance.now() - begin));
		await jest.advanceTimersByTimeAsync(20_000);
		await fillUp('late');
		void limiter.acquire('held', 200).then(() => (heldAt = performance.now() - begin));
		await jest.advanceTimersByTimeAsync(60_000);
		expect(busyAt).toBeGreaterThan(5000);
		expect(heldAt).toBeGreaterThanOrEqual(60_000);
	});

	it('never forgets a key in which somebody waits', async () => {
		jest.useFakeTimers();
		const limiter = new RateLimiter();
		const starts: number[] = [];
		const begin = performance.now();
		const call = () =>
			void limiter.acquire('key', 20_000).then(() => starts.push(performance.now() - begin));
		call();
		call();
		await jest.advanceTimersByTimeAsync(15_000);
		for (let index = 0; index < 3000; index++) await limiter.acquire(`key ${index}`, 200);
		call();
		await jest.advanceTimersByTimeAsync(60_000);
		expect(starts).toHaveLength(3);
		for (const gap of gaps(starts)) expect(gap).toBeGreaterThan(20_000);
	});
});

describe('in real time', () => {
	it('leaves no timer behind when everybody is cancelled', async () => {
		const limiter = new RateLimiter();
		await limiter.acquire('key', 5000);
		const timers = watchTimers();
		const controller = manyListeners();
		const turns = Array.from({ length: 100 }, async () => {
			await expect(limiter.acquire('key', 5000, controller.signal)).rejects.toThrow(CancelledError);
		});
		await new Promise(setImmediate);
		const cancelledAt = performance.now();
		controller.abort();
		await Promise.all(turns);
		// Before the turn of even one of them
		expect(performance.now() - cancelledAt).toBeLessThan(5000);
		// One waits for its turn; the others wait for the one before them
		expect(timers.started()).toBe(1);
		expect(timers.left()).toBe(0);
	});
});

describe('a cancelled caller', () => {
	it('that has not begun gets no turn and takes none', async () => {
		const { call, cancelled, pass, starts } = fakeTime();
		call('cancelled', 200, 'key', AbortSignal.abort());
		call('other');
		await pass(0);
		expect(cancelled).toEqual(['cancelled']);
		expect(starts).toEqual([['other', 0]]);
	});

	it('takes no turn when it leaves while it is first in line', async () => {
		const { call, cancelled, pass, times } = fakeTime();
		const controller = new AbortController();
		call('first', 5000);
		call('second', 5000, 'key', controller.signal);
		await pass(4999);
		controller.abort();
		await pass(0);
		expect(cancelled).toEqual(['second']);
		expect(jest.getTimerCount()).toBe(0);
		await pass(4001);
		call('third', 5000);
		await pass(0);
		expect(times()).toEqual([0, 9000]);
	});

	it('may be any one of many, at any time', async () => {
		const { call, cancelled, pass, names, times } = fakeTime();
		const controllers = Array.from({ length: 60 }, () => new AbortController());
		controllers.forEach(({ signal }, index) => call(String(index), 200, 'key', signal));
		for (let index = 0; index < 60; index += 3) {
			await pass(97);
			controllers[(index * 7) % 60].abort();
		}
		await pass(15_000);
		expect(names().length + cancelled.length).toBe(60);
		expect(names()).toEqual([...names()].sort((a, b) => Number(a) - Number(b)));
		for (const gap of gaps(times())) {
			expect(gap).toBeGreaterThan(200);
			expect(gap).toBeLessThanOrEqual(450);
		}
	});
});

describe('backing off', () => {
	it('begins at the interval, grows by half, and ends at 8 seconds', () => {
		const { limiter } = fakeTime();
		const pauses = Array.from({ length: 12 }, () => limiter.backOff('key', 100));
		pauses.forEach((pause, index) => {
			const grown = Math.min(100 * 1.5 ** index, 4000);
			expect(pause).toBeGreaterThanOrEqual(grown);
			expect(pause).toBeLessThanOrEqual(2 * grown);
		});
		expect(new Set(pauses).size).toBe(12);
	});
});

describe('holding back', () => {
	it('moves a caller that waits already', async () => {
		const { call, limiter, pass, times } = fakeTime();
		call('first');
		call('second');
		await pass(100);
		limiter.pause('key', 3000);
		await pass(5000);
		expect(times()).toEqual([0, 3100]);
	});

	it('is not shortened by holding back less', async () => {
		const { call, limiter, pass, times } = fakeTime();
		limiter.pause('key', 3000);
		limiter.pause('key', 10);
		call('first');
		await pass(5000);
		expect(times()).toEqual([3000]);
	});

	it('can be left by a cancelled caller at once', async () => {
		const { call, cancelled, limiter, pass } = fakeTime();
		const controller = new AbortController();
		limiter.pause('key', 60_000);
		call('first', 200, 'key', controller.signal);
		await pass(1000);
		controller.abort();
		await pass(0);
		expect(cancelled).toEqual(['first']);
		expect(jest.getTimerCount()).toBe(0);
	});
});

/** Five a second: 210 ms between two requests, the margin included. */
const INTERVAL_MS = 210;

let keys = 0;

describe('runs', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	/** A run has a hundred requests to make; the names of runs whose requests have left come in `order`. */
	async function besideLongRun() {
		const key = `order ${(keys += 1)}`;
		const order: string[] = [];
		const ask = (name: string, run: string, count: number, signal?: AbortSignal) => {
			for (let index = 0; index < count; index += 1)
				new RequestPace(key, 200, run).acquireSlot(signal).then(
					() => order.push(name),
					() => {},
				);
		};
		ask('long', 'long', 100);
		await jest.advanceTimersByTimeAsync(INTERVAL_MS / 2);
		return { order, ask, pass: async (ms: number) => await jest.advanceTimersByTimeAsync(ms) };
	}

	it('take turns, however many requests of one wait', async () => {
		const { order, ask, pass } = await besideLongRun();
		ask('b', 'b', 2);
		ask('c', 'c', 1);
		await pass(6 * INTERVAL_MS);
		expect(order.slice(0, 7)).toEqual(['long', 'long', 'b', 'c', 'long', 'b', 'long']);
	});

	it('keep the pace together', async () => {
		const { order, ask, pass } = await besideLongRun();
		ask('b', 'b', 50);
		await pass(10 * INTERVAL_MS);
		expect(order).toHaveLength(11);
		await pass(200 * INTERVAL_MS);
		expect(order).toHaveLength(150);
	});

	it('lose no turn to one that is cancelled', async () => {
		const { order, ask, pass } = await besideLongRun();
		const controller = new AbortController();
		setMaxListeners(0, controller.signal);
		ask('cancelled', 'cancelled', 50, controller.signal);
		ask('b', 'b', 1);
		controller.abort();
		await pass(2 * INTERVAL_MS);
		expect(order).toEqual(['long', 'long', 'b']);
	});
});
