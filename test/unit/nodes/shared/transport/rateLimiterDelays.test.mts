import { fakeTime, gaps, manyListeners } from './limiterTime.mts';

describe('a cancelled caller', () => {
	it('that has not begun gets no turn and takes none', async () => {
		const { call, cancelled, pass, starts } = fakeTime();
		call('cancelled', 200, 'key', AbortSignal.abort());
		call('other');
		await pass(0);
		expect(cancelled).toEqual(['cancelled']);
		expect(starts).toEqual([['other', 0]]);
	});

	it('leaves at once, and the one behind gets the turn', async () => {
		const { call, cancelled, pass, starts, times } = fakeTime();
		const controller = new AbortController();
		call('first');
		call('second', 200, 'key', controller.signal);
		call('third');
		await pass(50);
		controller.abort();
		await pass(0);
		expect(cancelled).toEqual(['second']);
		expect(starts).toHaveLength(1);
		await pass(175);
		expect(starts.at(-1)?.[0]).toBe('third');
		expect(times()[1]).toBeLessThanOrEqual(225);
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

	it('does not let those behind overtake those in front', async () => {
		const { call, pass, names, times } = fakeTime();
		const controller = new AbortController();
		call('first');
		call('second');
		call('cancelled', 200, 'key', controller.signal);
		call('fourth');
		await pass(10);
		controller.abort();
		call('fifth');
		await pass(1000);
		expect(names()).toEqual(['first', 'second', 'fourth', 'fifth']);
		for (const gap of gaps(times())) expect(gap).toBeGreaterThan(200);
	});

	it('makes no difference to the last of a hundred when it is one of 99', async () => {
		const { call, cancelled, pass, starts } = fakeTime();
		const controller = manyListeners();
		call('running');
		await pass(0);
		for (let index = 0; index < 99; index++) call(String(index), 200, 'key', controller.signal);
		call('last');
		await pass(100);
		controller.abort();
		await pass(0);
		expect(cancelled).toHaveLength(99);
		await pass(125);
		expect(starts.map(([name]) => name)).toEqual(['running', 'last']);
		expect(jest.getTimerCount()).toBe(0);
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

	it('begins anew after a call that was not too fast', () => {
		const { limiter } = fakeTime();
		for (let refusal = 0; refusal < 9; refusal++) limiter.backOff('key', 100);
		limiter.accepted('key');
		expect(limiter.backOff('key', 100)).toBeLessThanOrEqual(200);
	});

	it('holds back all callers with the key', async () => {
		const { call, limiter, pass, times } = fakeTime();
		const pause = limiter.backOff('key', 1000);
		call('first', 1000);
		await pass(5000);
		expect(times()[0]).toBeGreaterThanOrEqual(Math.floor(pause));
	});
});

describe('holding back', () => {
	it('makes the next caller wait', async () => {
		const { call, limiter, pass, times } = fakeTime();
		call('first');
		await pass(0);
		limiter.pause('key', 3000);
		call('second');
		await pass(2999);
		expect(times()).toEqual([0]);
		await pass(1);
		expect(times()).toEqual([0, 3000]);
	});

	it('moves a caller that waits already', async () => {
		const { call, limiter, pass, times } = fakeTime();
		call('first');
		call('second');
		await pass(100);
		limiter.pause('key', 3000);
		await pass(5000);
		expect(times()).toEqual([0, 3100]);
	});

	it('works on a key that nobody has used yet', async () => {
		const { call, limiter, pass, times } = fakeTime();
		limiter.pause('key', 700);
		call('first');
		await pass(5000);
		expect(times()).toEqual([700]);
	});

	it('is not shortened by holding back less', async () => {
		const { call, limiter, pass, times } = fakeTime();
		limiter.pause('key', 3000);
		limiter.pause('key', 10);
		call('first');
		await pass(5000);
		expect(times()).toEqual([3000]);
	});

	it('keeps the interval between the callers behind it', async () => {
		const { call, limiter, pass, times } = fakeTime();
		limiter.pause('key', 3000);
		call('first');
		call('second');
		await pass(5000);
		expect(gaps(times())[0]).toBeGreaterThan(200);
	});

	it('leaves other lanes alone', async () => {
		const { call, limiter, pass, times } = fakeTime();
		limiter.pause('key', 3000);
		call('first', 200, 'other key');
		await pass(0);
		expect(times()).toEqual([0]);
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
