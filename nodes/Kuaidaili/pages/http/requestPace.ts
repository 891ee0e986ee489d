import { KeyedMutex } from '../../../shared/api/wait';
import { RateLimiter } from '../../../shared/api/rateLimiter';

/** The rate limiter of all executions of this process, which share an order's rate. */
const limiter = new RateLimiter('perSecond');

/** One for each run that shares a rate. */
const runs = new KeyedMutex();

/** How often requests may leave, of whatever pages. */
export class RequestPace {
	/**
	 * @param key of those that share the pace
	 * @param intervalMs the time between two requests in milliseconds; 0 for any number at once
	 * @param run whose requests leave in the order they came
	 */
	constructor(
		private readonly key: string,
		readonly intervalMs: number,
		private readonly run: string,
	) {}

	/**
	 * Resolves when the caller may send a request. One slot of each run at a time is waited for, so that a long run makes no
	 * other wait for its end. Throws CancelledError at once when the signal aborts.
	 */
	async acquireSlot(signal: AbortSignal | undefined): Promise<void> {
		const unlock = await runs.lock(`${this.key} ${this.run}`, signal);
		await limiter.acquire(this.key, this.intervalMs, signal).finally(unlock);
	}

	/** Keeps all requests from leaving for so long. */
	pause(ms: number): void {
		limiter.pause(this.key, ms);
	}
}
