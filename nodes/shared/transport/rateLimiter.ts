import { throwIfCancelled, untilCancelled, waitUntil } from './wait';

/** The callers that wait for one key. */
interface Queue {
	/** When the last call was let through; milliseconds of the monotonic clock. */
	lastStart: number;
	/** Nobody is let through before this moment, whatever the interval: set after a "too fast" answer. */
	notBefore: number;
	/** Settles when the last caller has left the queue. */
	tail: Promise<void>;
	/** Callers in the queue, the first included. */
	waiting: number;
}

/**
 * Added to each interval, because the service measures arrivals: two calls that leave exactly one
 * interval apart may arrive a little closer than that.
 */
const MARGIN_RATIO = 0.005;
const MARGIN_MS = 1.5;

/** The longest interval that any endpoint has; an idle queue is forgotten after it. */
const LONGEST_INTERVAL_MS = 5000;
const QUEUES_BEFORE_SWEEP = 256;

/**
 * Keeps the documented rate limits: calls with one key start at least the interval apart, first come
 * first served. A cancelled caller leaves the queue at once and takes up no slot.
 */
export class RateLimiter {
	private readonly queues = new Map<string, Queue>();
	private sweepAt = QUEUES_BEFORE_SWEEP;

	/** @param clock milliseconds that never run backwards */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/** How many keys are remembered. */
	get size(): number {
		return this.queues.size;
	}

	/**
	 * Resolves when the caller may send.
	 *
	 * @throws CancelledError at once when `signal` aborts
	 */
	async acquire(key: string, intervalMs: number, signal?: AbortSignal): Promise<void> {
		throwIfCancelled(signal);
		const queue = this.queue(key);
		const before = queue.tail;
		let release = () => {};
		queue.tail = new Promise((resolve) => (release = resolve));
		queue.waiting++;
		let isAcquired = false;
		try {
			await untilCancelled(before, signal);
			const interval = intervalMs + Math.max(MARGIN_MS, intervalMs * MARGIN_RATIO);
			// Read again after each wait: a "too fast" answer may have moved the moment meanwhile
			for (;;) {
				const start = Math.max(queue.lastStart + interval, queue.notBefore);
				if (this.clock() >= start) break;
				await waitUntil(start, signal, this.clock);
			}
			queue.lastStart = this.clock();
			isAcquired = true;
		} finally {
			queue.waiting--;
			if (isAcquired) release();
			// A cancelled caller is gone, but whoever is behind still has to wait for those in front
			else void before.then(release);
		}
	}

	/** For a call that leaves later than it was let through: the next one counts from now. */
	restart(key: string): void {
		this.queue(key).lastStart = this.clock();
	}

	/** Holds all callers of the key back, after the service said that calls come too fast. */
	pause(key: string, ms: number): void {
		const queue = this.queue(key);
		queue.notBefore = Math.max(queue.notBefore, this.clock() + ms);
	}

	private queue(key: string): Queue {
		const known = this.queues.get(key);
		if (known !== undefined) return known;
		if (this.queues.size >= this.sweepAt) this.forgetIdleQueues();
		const queue: Queue = {
			lastStart: -Infinity,
			notBefore: -Infinity,
			tail: Promise.resolve(),
			waiting: 0,
		};
		this.queues.set(key, queue);
		return queue;
	}

	private forgetIdleQueues(): void {
		const now = this.clock();
		for (const [key, queue] of this.queues) {
			const isIdle = queue.lastStart + 2 * LONGEST_INTERVAL_MS < now && queue.notBefore < now;
			if (isIdle && queue.waiting === 0) this.queues.delete(key);
		}
		// Sweeping costs as much as there are queues, so the next one waits until they have doubled
		this.sweepAt = Math.max(QUEUES_BEFORE_SWEEP, this.queues.size * 2);
	}
}
