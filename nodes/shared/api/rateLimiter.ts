import type { KuaidailiCredential } from './sign';
import type { Endpoint } from '../service/endpoint';
import { KeyedMutex, throwIfCancelled, waitUntil } from './wait';

/** The service limits calls with one key pair to one endpoint. */
export function rateLimitKey({ secretId }: KuaidailiCredential, { host, path }: Endpoint): string {
	return `${secretId} ${host}${path}`;
}

/** The state of one key, in milliseconds of the monotonic clock. */
interface Pace {
	/** The next call leaves then at the earliest. */
	freeAt: number;
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

/** How many intervals after a "too fast" response another process is taken to use the key. */
const SHARED_FOR_INTERVALS = 30;
/**
 * The share of intervals that stay free then: another process would hardly ever find the few milliseconds between two
 * calls.
 */
const FREE_IF_SHARED = 1 / 7;

const TOO_FAST_BACKOFF_FACTOR = 1.5;
const LONGEST_BACKOFF_MS = 8000;

/** The number of keys that are remembered: far more than are in use within one interval. */
const MOST_KEYS = 10_000;

/**
 * Keeps rate limits: calls with one key are sent at least the interval apart, in the order they came. A canceled
 * caller leaves the queue right away and takes up no slot.
 */
export class RateLimiter {
	private readonly queues = new KeyedMutex();
	private readonly paces = new Map<string, Pace>();

	/**
	 * @param limited the interval between any two arrivals, or how many arrive within a second: what timers are late may be
	 * made up for then, and no interval stays free
	 */
	constructor(private readonly limited: 'interval' | 'perSecond' = 'interval') {}

	/** Resolves when the caller may send. */
	async acquire(key: string, intervalMs: number, signal?: AbortSignal): Promise<void> {
		(await this.hold(key, intervalMs, signal))();
	}

	/**
	 * Acquires a slot for a caller that still has something to do before it sends. Those behind it wait, and
	 * the next interval counts from the release.
	 */
	async hold(key: string, intervalMs: number, signal?: AbortSignal): Promise<() => void> {
		throwIfCancelled(signal);
		const cameAt = performance.now();
		const pace = this.paceOf(key);
		const unlock = await this.queues.lock(key, signal);
		const dueAt = await this.waitForSlot(pace, signal).catch((error: unknown): never => {
			unlock();
			throw error;
		});
		return () => {
			const now = performance.now();
			const isExact = this.limited === 'interval';
			const leastMarginMs = isExact ? MIN_MARGIN_MS : 0;
			const spacing = intervalMs + Math.max(intervalMs * MARGIN_RATIO, leastMarginMs);
			const isShared = isExact && now < pace.refusedAt + SHARED_FOR_INTERVALS * intervalMs;
			const kept = isShared && Math.random() < FREE_IF_SHARED ? 2 * spacing : spacing;
			// After a standstill of the process, those who wait don't leave all at once
			const leftAt = isExact ? now : Math.max(dueAt, cameAt, now - spacing);
			pace.freeAt = Math.max(pace.freeAt, leftAt + kept);
			unlock();
		};
	}

	/** Resolves when a caller could send at once. It takes no slot: whoever is quicker leaves first. */
	async untilFree(key: string, signal?: AbortSignal): Promise<void> {
		const unlock = await this.queues.lock(key, signal);
		await this.waitForSlot(this.paceOf(key), signal).finally(unlock);
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
		pace.refusedAt = performance.now();
		this.pause(key, ms);
		return ms;
	}

	accepted(key: string): void {
		this.paceOf(key).refusals = 0;
	}

	pause(key: string, ms: number): void {
		const pace = this.paceOf(key);
		pace.freeAt = Math.max(pace.freeAt, performance.now() + ms);
	}

	/** @returns the moment that was waited for */
	private async waitForSlot(pace: Pace, signal: AbortSignal | undefined): Promise<number> {
		// Read again after each wait: a "too fast" answer may have moved the moment meanwhile
		for (;;) {
			const { freeAt } = pace;
			if (performance.now() >= freeAt) return freeAt;
			await waitUntil(freeAt, signal);
		}
	}

	private paceOf(key: string): Pace {
		const known = this.paces.get(key);
		if (known !== undefined) return known;
		const [oldest] = this.paces.keys();
		if (oldest !== undefined && this.paces.size >= MOST_KEYS) this.paces.delete(oldest);
		const pace: Pace = { freeAt: -Infinity, refusals: 0, refusedAt: -Infinity };
		this.paces.set(key, pace);
		return pace;
	}
}

export const rateLimiter = new RateLimiter();
