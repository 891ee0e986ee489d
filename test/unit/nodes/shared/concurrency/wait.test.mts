import { getEventListeners } from 'node:events';

import { CancelledError } from '../../../../../nodes/shared/errors/callErrors.ts';
import {
	throwIfCancelled,
	untilCancelled,
	wait,
	waitUntil,
} from '../../../../../nodes/shared/concurrency/wait.ts';
import { watchTimers } from '../../../support/timers.mts';

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

/** What became of a promise, to be looked at while it may still be open. */
function watch(promise: Promise<unknown>): { state: string } {
	const watched = { state: 'open' };
	promise.then(
		() => (watched.state = 'done'),
		(error: unknown) => (watched.state = error instanceof CancelledError ? 'cancelled' : 'failed'),
	);
	return watched;
}

function listeners({ signal }: AbortController): number {
	return getEventListeners(signal, 'abort').length;
}

describe('throwIfCancelled', () => {
	it('throws only when the signal has aborted', () => {
		const controller = new AbortController();
		throwIfCancelled(undefined);
		throwIfCancelled(controller.signal);
		controller.abort();
		expect(() => throwIfCancelled(controller.signal)).toThrow(CancelledError);
	});
});

describe('untilCancelled', () => {
	it.each([undefined, new AbortController().signal])(
		'gives what the work gives',
		async (signal) => {
			await expect(untilCancelled(Promise.resolve('result'), signal)).resolves.toBe('result');
			await expect(untilCancelled(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
		},
	);

	it('rejects the moment the signal aborts, while the work goes on', async () => {
		const controller = new AbortController();
		const watched = watch(untilCancelled(new Promise(() => {}), controller.signal));
		await Promise.resolve();
		expect(watched.state).toBe('open');
		controller.abort();
		await new Promise(setImmediate);
		expect(watched.state).toBe('cancelled');
	});

	it('rejects at once for a signal that aborted before', async () => {
		const cancelled = untilCancelled(new Promise(() => {}), AbortSignal.abort());
		await expect(cancelled).rejects.toThrow(CancelledError);
	});

	it('swallows a later rejection of the work', async () => {
		let fail = (_error: Error) => {};
		const work = new Promise((_resolve, reject) => (fail = reject));
		const controller = new AbortController();
		const watched = watch(untilCancelled(work, controller.signal));
		controller.abort();
		fail(new Error('too late'));
		// An unhandled rejection would fail the test now
		await new Promise(setImmediate);
		expect(watched.state).toBe('cancelled');
	});

	it('leaves no listener on the signal', async () => {
		const controller = new AbortController();
		const { signal } = controller;
		const open = untilCancelled(new Promise<void>((resolve) => setImmediate(resolve)), signal);
		expect(listeners(controller)).toBe(1);
		await open;
		await untilCancelled(Promise.resolve(), signal);
		await untilCancelled(Promise.reject(new Error('no')), signal).catch(() => {});
		await new Promise(setImmediate);
		expect(listeners(controller)).toBe(0);
	});
});

describe('wait', () => {
	it('waits for the time and no shorter', async () => {
		const before = performance.now();
		await wait(60, undefined);
		const took = performance.now() - before;
		expect(took).toBeGreaterThanOrEqual(60);
		expect(took).toBeLessThan(1000);
	});

	it.each([0, -5])('does not wait for %d milliseconds', async (ms) => {
		jest.useFakeTimers();
		await wait(ms, undefined);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('ends to the millisecond, also after several slices', async () => {
		jest.useFakeTimers();
		const watched = watch(wait(1700, new AbortController().signal));
		await jest.advanceTimersByTimeAsync(1699);
		expect(watched.state).toBe('open');
		await jest.advanceTimersByTimeAsync(1);
		expect(watched.state).toBe('done');
		expect(jest.getTimerCount()).toBe(0);
	});

	it('never sleeps longer than half a second at a time, for versions that cannot wake a sleeper', async () => {
		jest.useFakeTimers();
		const setTimer = jest.spyOn(globalThis, 'setTimeout');
		const waiting = wait(3000, undefined);
		await jest.advanceTimersByTimeAsync(3000);
		await waiting;
		const slices = setTimer.mock.calls.map(([, ms]) => ms ?? 0);
		expect(slices.length).toBeGreaterThanOrEqual(6);
		expect(Math.max(...slices)).toBeLessThanOrEqual(500);
	});

	it('rejects at once when it is cancelled, without timer and listener', async () => {
		jest.useFakeTimers();
		const controller = new AbortController();
		const watched = watch(wait(60_000, controller.signal));
		await jest.advanceTimersByTimeAsync(1234);
		controller.abort();
		await jest.advanceTimersByTimeAsync(0);
		expect(watched.state).toBe('cancelled');
		expect(jest.getTimerCount()).toBe(0);
		expect(listeners(controller)).toBe(0);
	});

	it('collects no listeners over a long time', async () => {
		jest.useFakeTimers();
		const controller = new AbortController();
		const waiting = wait(60_000, controller.signal);
		await jest.advanceTimersByTimeAsync(30_000);
		expect(listeners(controller)).toBeLessThanOrEqual(2);
		await jest.advanceTimersByTimeAsync(30_000);
		await waiting;
		expect(listeners(controller)).toBe(0);
	});

	it('rejects at once for a signal that aborted before, even when no time is left', async () => {
		await expect(wait(60_000, AbortSignal.abort())).rejects.toThrow(CancelledError);
		await expect(wait(0, AbortSignal.abort())).rejects.toThrow(CancelledError);
	});

	it('leaves no real timer behind when it is cancelled', async () => {
		const timers = watchTimers();
		const controller = new AbortController();
		const waiting = wait(60_000, controller.signal);
		expect(timers.left()).toBe(1);
		controller.abort();
		await expect(waiting).rejects.toThrow(CancelledError);
		expect(timers.left()).toBe(0);
	});
});

describe('waitUntil', () => {
	it('waits also for the last fraction of a millisecond', async () => {
		jest.useFakeTimers();
		let now = 99.5;
		const watched = watch(waitUntil(100, undefined, () => now));
		await jest.advanceTimersByTimeAsync(10);
		expect(watched.state).toBe('open');
		now = 100;
		await jest.advanceTimersByTimeAsync(10);
		expect(watched.state).toBe('done');
	});

	it('goes by the clock that it is given', async () => {
		jest.useFakeTimers();
		let now = 100;
		const watched = watch(waitUntil(300, undefined, () => now));
		await jest.advanceTimersByTimeAsync(5000);
		expect(watched.state).toBe('open');
		now = 300;
		await jest.advanceTimersByTimeAsync(200);
		expect(watched.state).toBe('done');
	});
});
