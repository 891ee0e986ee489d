import { loggedWait, type ExecutionScope } from '../../../shared/api/wait';
import { RateLimiter } from '../../../shared/api/rateLimiter';

/** The rate limiter of all executions of this process, which share an order's rate. */
const limiter = new RateLimiter('perSecond');

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

	/** Resolves when the caller may send a request. Throws CancelledError at once when the signal aborts. */
	async acquireSlot(scope: ExecutionScope, label: string): Promise<void> {
		const slot = limiter.acquire(this.key, this.intervalMs, scope.signal, this.run);
		await loggedWait(slot, scope, label, 'for the pace of the order');
	}

	/** Keeps all requests from leaving for so long. */
	pause(ms: number): void {
		limiter.pause(this.key, ms);
	}
}
