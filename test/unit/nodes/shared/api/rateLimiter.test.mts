import { RateLimiter } from '../../../../../nodes/shared/api/rateLimiter.ts';
import { fakeTime, gaps } from './limiterTime.mts';

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
