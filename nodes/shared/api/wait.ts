import { sleep } from 'n8n-workflow';

import { CancelledError } from './errors';

export function throwIfCancelled(signal: AbortSignal | undefined): void {
	if (signal?.aborted === true) throw new CancelledError();
}

/**
 * Settles as `work` does, or rejects the moment `signal` aborts. What becomes of `work` afterwards is
 * ignored, its rejection included.
 */
export async function untilAborted<T>(
	work: Promise<T>,
	signal: AbortSignal,
	reason: () => Error,
): Promise<T> {
	return await new Promise<T>((resolve, reject) => {
		const onAbort = () => reject(reason());
		if (signal.aborted) onAbort();
		else signal.addEventListener('abort', onAbort, { once: true });
		work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
	});
}

export async function untilCancelled<T>(
	work: Promise<T>,
	signal: AbortSignal | undefined,
): Promise<T> {
	if (signal === undefined) return await work;
	return await untilAborted(work, signal, () => new CancelledError());
}

export async function waitUntil(moment: number, signal: AbortSignal | undefined): Promise<void> {
	throwIfCancelled(signal);
	for (;;) {
		const leftMs = moment - performance.now();
		if (leftMs <= 0) return;
		await untilCancelled(sleep(leftMs, signal), signal);
	}
}

export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
	await waitUntil(performance.now() + ms, signal);
}

/** The longest time for which nothing else in the process runs. */
const LONGEST_PIECE_MS = 30;

/** Makes a function to await between pieces of work, so that others get to run. */
export function eventLoopYielder(): () => Promise<void> {
	let since = performance.now();
	return async () => {
		if (performance.now() - since < LONGEST_PIECE_MS) return;
		await sleep(0);
		since = performance.now();
	};
}

/** A mutex per key. Waiting callers get the lock in the order they came. */
export class KeyedMutex<Key = string> {
	private readonly tails = new Map<Key, Promise<void>>();

	async lock(key: Key, signal: AbortSignal | undefined): Promise<() => void> {
		const before = this.tails.get(key) ?? Promise.resolve();
		let release = () => {};
		const released = new Promise<void>((resolve) => (release = resolve));
		this.tails.set(key, released);
		void released.then(() => {
			if (this.tails.get(key) === released) this.tails.delete(key);
		});
		await untilCancelled(before, signal).catch((error: unknown): never => {
			// Callers further back in the queue still have to wait for those in front
			void before.then(release);
			throw error;
		});
		return release;
	}
}

/** Slots for work that is done at the same time. Whoever has waited longest gets the next one. */
export class Slots<Waiter = void> {
	private readonly queue = new Map<() => void, Waiter>();

	constructor(private free: number) {}

	/** Everybody who waits for a slot, in the order in which they get one. */
	get waiting(): Iterable<Waiter> {
		return this.queue.values();
	}

	/**
	 * Waits for a slot. Whoever has one and waits for another may wait forever.
	 *
	 * @param waiter stands among the waiting ones meanwhile
	 * @returns frees the slot; called once
	 */
	async acquire(waiter: Waiter): Promise<() => void> {
		if (this.free > 0) this.free -= 1;
		else await new Promise<void>((begin) => this.queue.set(begin, waiter));
		return () => {
			const [next] = this.queue.keys();
			if (next === undefined) this.free += 1;
			else {
				this.queue.delete(next);
				next();
			}
		};
	}
}
