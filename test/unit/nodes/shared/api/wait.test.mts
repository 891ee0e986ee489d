import { getEventListeners } from 'node:events';
import { setImmediate as pause } from 'node:timers/promises';
import {
	KeyedMutex,
	untilCancelled,
	wait,
	waitUntil,
} from '../../../../../nodes/shared/api/wait.ts';
import { CancelledError } from '../../../../../nodes/shared/api/errors.ts';

/** Who got the turn, in the order in which they did. */
function line() {
	const mutex = new KeyedMutex();
	const got: string[] = [];
	const leaves = new Map<string, () => void>();
	return {
		got,
		join: async (who: string, thing = 'order', signal?: AbortSignal) => {
			leaves.set(who, await mutex.lock(thing, signal));
			got.push(who);
		},
		async leave(who: string) {
			leaves.get(who)?.();
			await pause();
		},
	};
}

it('they come one after the other, in the order in which they joined', async () => {
	const { got, join, leave } = line();
	const all = Promise.all([join('first'), join('second'), join('third')]);
	await pause();
	expect(got).toEqual(['first']);
	await leave('first');
	expect(got).toEqual(['first', 'second']);
	await leave('second');
	await all;
	expect(got).toEqual(['first', 'second', 'third']);
	await leave('third');
});

it('one that is cancelled leaves at once, and those behind still wait for those in front', async () => {
	const { got, join, leave } = line();
	const controller = new AbortController();
	await join('first');
	const second = join('second', 'order', controller.signal);
	const third = join('third');
	controller.abort();
	await expect(second).rejects.toThrow(CancelledError);
	await pause();
	expect(got).toEqual(['first']);
	await leave('first');
	await third;
	await leave('third');
	expect(got).toEqual(['first', 'third']);
});

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

it('to leave twice gives nobody two mutex', async () => {
	const { got, join, leave } = line();
	await join('first');
	const second = join('second');
	void join('third');
	await leave('first');
	await leave('first');
	await second;
	expect(got).toEqual(['first', 'second']);
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

describe('untilCancelled', () => {
	it('rejects the moment the signal aborts, while the work goes on', async () => {
		const controller = new AbortController();
		const watched = watch(untilCancelled(new Promise(() => {}), controller.signal));
		await Promise.resolve();
		expect(watched.state).toBe('open');
		controller.abort();
		await new Promise(setImmediate);
		expect(watched.state).toBe('cancelled');
	});

	it('rejects at once where the signal was aborted before', async () => {
		const watched = watch(untilCancelled(new Promise(() => {}), AbortSignal.abort()));
		await new Promise(setImmediate);
		expect(watched.state).toBe('cancelled');
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
	it('ends to the millisecond', async () => {
		jest.useFakeTimers();
		const watched = watch(wait(1700, new AbortController().signal));
		await jest.advanceTimersByTimeAsync(1699);
		expect(watched.state).toBe('open');
		await jest.advanceTimersByTimeAsync(1);
		expect(watched.state).toBe('done');
		expect(jest.getTimerCount()).toBe(0);
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
});

describe('waitUntil', () => {
	it('waits also for the last fraction of a millisecond', async () => {
		jest.useFakeTimers();
		let now = 99.5;
		jest.spyOn(performance, 'now').mockImplementation(() => now);
		const watched = watch(waitUntil(100, undefined));
		await jest.advanceTimersByTimeAsync(10);
		expect(watched.state).toBe('open');
		now = 100;
		await jest.advanceTimersByTimeAsync(200);
		expect(watched.state).toBe('done');
		jest.restoreAllMocks();
	});
});
