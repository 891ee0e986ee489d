import type { KuaidailiCredential } from './sign';
import type { Endpoint } from '../service/endpoint';
import { KeyedMutex, throwIfCancelled, waitUntil } from './wait';

/** The service limits calls with one key pair to one endpoint. */
export function rateLimitKey({ secretId }: KuaidailiCredential, { host, path }: Endpoint): string {
	return `${secretId} ${host}${path}`;
}

/** The state of one key, in milliseconds of the monotonic clock. */
interface Pace {
	lastStart: number;
	/** No call is sent before this moment, whatever the interval: set after a "too fast" response. */
	notBefore: number;
	/** How many calls have left without a free interval between them. */
	inARow: number;
	/** How many "too fast" responses have come since the last call that was not too fast. */
	refusals: number;
	refusedAt: number;
}

/**
 * The time that is added to each interval, because the service measures arrivals: two calls that leave exactly one
 * interval apart arrive closer than that when the network holds up the first.
 */
const MARGIN_RATIO = 0.05;
const MIN_MARGIN_MS = 25;

/** The distance that the limiter keeps between two calls of an endpoint with this interval. */
export function keptIntervalMs(intervalMs: number, leastMarginMs = MIN_MARGIN_MS): number {
	return intervalMs + Math.max(intervalMs * MARGIN_RATIO, leastMarginMs);
}

/**
 * The number of calls in a row after which one interval stays free: another process with the same key would hardly
 * ever find the few milliseconds between two calls.
 */
const MOST_IN_A_ROW = 30;
/** The limit while another process is known to use the key. */
const MOST_IN_A_ROW_IF_SHARED = 6;
/** How many intervals after a "too fast" response another process is taken to use the key. */
const SHARED_FOR_INTERVALS = 60;

const TOO_FAST_BACKOFF_FACTOR = 1.5;
const LONGEST_BACKOFF_MS = 8000;

/** The longest interval that any endpoint has; an idle key is forgotten after it. */
const LONGEST_INTERVAL_MS = 5000;
/** The number of keys from which on each new one drops those that are idle. */
const MANY_KEYS = 256;

type Limited =
	/** The interval between any two arrivals. */
	| 'interval'
	/** How many arrive within a second: what timers are late may be made up for, and no interval stays free. */
	| 'perSecond';

/**
 * Keeps rate limits: calls with one key are sent at least the interval apart, in the order they came. A canceled
 * caller leaves the queue right away and takes up no slot.
 */
export class RateLimiter {
	private readonly queues = new KeyedMutex();
	private readonly paces = new Map<string, Pace>();

	/** @param clock milliseconds that never run backwards */
	constructor(
		private readonly limited: Limited = 'interval',
		private readonly clock: () => number = () => performance.now(),
	) {}

	/**
	 * Resolves when the caller may send.
	 *
	 * @param run whose callers leave in the order they came; runs take turns, so that a long one makes no other wait
	 * for its end
	 */
	async acquire(
		key: string,
		intervalMs: number,
		signal?: AbortSignal,
		run?: string,
	): Promise<void> {
		if (run === undefined) return (await this.hold(key, intervalMs, signal))();
		throwIfCancelled(signal);
		const unlockRun = await this.queues.lock(`${key} ${run}`, signal);
		try {
			(await this.hold(key, intervalMs, signal))();
		} finally {
			unlockRun();
		}
	}

	/**
	 * Acquires a slot for a caller that still has something to do before it sends. Those behind it wait, and
	 * the next interval counts from the release.
	 */
	async hold(key: string, intervalMs: number, signal?: AbortSignal): Promise<() => void> {
		throwIfCancelled(signal);
		const cameAt = this.clock();
		const pace = this.paceOf(key);
		const unlock = await this.queues.lock(key, signal);
		const start = await this.waitForSlot(pace, intervalMs, signal).catch(
			(error: unknown): never => {
				unlock();
				throw error;
			},
		);
		return () => {
			const now = this.clock();
			const spacing = this.spacing(intervalMs);
			pace.inARow = this.inARowAfter(pace, intervalMs, now);
			// After a standstill of the process, those who wait don't leave all at once
			const due = Math.max(start, cameAt, now - spacing);
			pace.lastStart = this.limited === 'perSecond' ? due : now;
			unlock();
		};
	}

	/**
	 * Resolves when a caller could send at once. It takes no slot: whoever is quicker leaves first.
	 *
	 * @returns for how long the next caller has to wait behind one that sends now, in milliseconds
	 */
	async untilFree(key: string, intervalMs: number, signal?: AbortSignal): Promise<number> {
		const pace = this.paceOf(key);
		const unlock = await this.queues.lock(key, signal);
		await this.waitForSlot(pace, intervalMs, signal).finally(unlock);
		const now = this.clock();
		const inARow = this.inARowAfter(pace, intervalMs, now);
		return this.nextStart({ ...pace, lastStart: now, inARow }, intervalMs) - now;
	}

	/**
	 * Pauses all callers with the key after a "too fast" response: longer each time, and random, so that
	 * processes with the same key don't collide again and again.
	 *
	 * @returns for how long, in milliseconds
	 */
	backOff(key: string, intervalMs: number): number {
		const pace = this.paceOf(key);
		const grown = intervalMs * TOO_FAST_BACKOFF_FACTOR ** pace.refusals;
		const ms = Math.min(grown, LONGEST_BACKOFF_MS / 2) * (1 + Math.random());
		pace.refusals += 1;
		pace.refusedAt = this.clock();
		pace.inARow = 0;
		this.pause(key, ms);
		return ms;
	}

	accepted(key: string): void {
		this.paceOf(key).refusals = 0;
	}

	pause(key: string, ms: number): void {
		const pace = this.paceOf(key);
		pace.notBefore = Math.max(pace.notBefore, this.clock() + ms);
	}

	private async waitForSlot(
		pace: Pace,
		intervalMs: number,
		signal: AbortSignal | undefined,
	): Promise<number> {
		// Read again after each wait: a "too fast" answer may have moved the moment meanwhile
		for (;;) {
			const start = Math.max(this.nextStart(pace, intervalMs), pace.notBefore);
			if (this.clock() >= start) return start;
			await waitUntil(start, signal, this.clock);
		}
	}

	/** How many calls will have left without a free interval between them when another one leaves now. */
	private inARowAfter({ lastStart, inARow }: Pace, intervalMs: number, now: number): number {
		return now >= lastStart + 2 * this.spacing(intervalMs) ? 1 : inARow + 1;
	}

	private nextStart(pace: Pace, intervalMs: number): number {
		const isShared = this.clock() < pace.refusedAt + SHARED_FOR_INTERVALS * intervalMs;
		const most = isShared ? MOST_IN_A_ROW_IF_SHARED : MOST_IN_A_ROW;
		const leavesGap = this.limited === 'interval' && pace.inARow >= most;
		return pace.lastStart + this.spacing(intervalMs) * (leavesGap ? 2 : 1);
	}

	private spacing(intervalMs: number): number {
		const least = this.limited === 'interval' ? MIN_MARGIN_MS : 0;
		return keptIntervalMs(intervalMs, least);
	}

	private paceOf(key: string): Pace {
		const known = this.paces.get(key);
		if (known !== undefined) return known;
		if (this.paces.size >= MANY_KEYS) this.forgetIdleKeys();
		const pace: Pace = {
			lastStart: -Infinity,
			notBefore: -Infinity,
			inARow: 0,
			refusals: 0,
			refusedAt: -Infinity,
		};
		this.paces.set(key, pace);
		return pace;
	}

	private forgetIdleKeys(): void {
		const now = this.clock();
		for (const [key, pace] of this.paces) {
			const isIdle = pace.lastStart + 2 * LONGEST_INTERVAL_MS < now && pace.notBefore < now;
			if (isIdle && !this.queues.isLocked(key)) this.paces.delete(key);
		}
	}
}

export const rateLimiter = new RateLimiter();
