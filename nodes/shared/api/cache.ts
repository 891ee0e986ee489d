import { asError, CancelledError } from './errors';
import { untilCancelled } from './wait';

interface Cached<T> {
	readonly response: Promise<T>;
	readonly fetchedAt: number;
	/** Undefined while it is on its way. */
	value?: T;
}

/** Caches responses of the service for a short time. Concurrent callers with the same key share one fetch. */
export class ResponseCache<T> {
	private readonly entries = new Map<string, Cached<T>>();

	constructor(
		private readonly limits: {
			readonly longestAgeMs: number;
			readonly largestSize: number;
			/** Whether a response may still be used, for responses with an expiry of their own. */
			readonly isUsable?: (value: T) => boolean;
		},
	) {}

	/**
	 * The response in memory or on its way, or a new one. A rejection is not held; if the execution that started it is
	 * cancelled, the others start it again.
	 *
	 * @param signal of the execution that waits, where it has one
	 */
	async obtain(key: string, fetch: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		for (;;) {
			try {
				return await untilCancelled(this.share(key, fetch), signal);
			} catch (error) {
				const isOfAnother = error instanceof CancelledError && signal?.aborted !== true;
				if (!isOfAnother) throw asError(error);
			}
		}
	}

	private async share(key: string, fetch: () => Promise<T>): Promise<T> {
		const { longestAgeMs, largestSize, isUsable } = this.limits;
		const now = performance.now();
		const known = this.entries.get(key);
		if (known !== undefined && now - known.fetchedAt < longestAgeMs) {
			if (known.value === undefined || isUsable?.(known.value) !== false)
				return await known.response;
		}
		const entry: Cached<T> = { response: fetch(), fetchedAt: now };
		// At the end: the oldest response is dropped first
		this.entries.delete(key);
		this.entries.set(key, entry);
		const [oldest] = this.entries.keys();
		if (this.entries.size > largestSize) this.entries.delete(oldest);
		try {
			entry.value = await entry.response;
			return entry.value;
		} finally {
			const isRejected = entry.value === undefined;
			if (isRejected && this.entries.get(key) === entry) this.entries.delete(key);
		}
	}

	/** Drops a response that was refused. A newer one, fetched meanwhile, stays. */
	forget(key: string, isRefused: (value: T) => boolean): void {
		const value = this.entries.get(key)?.value;
		if (value !== undefined && isRefused(value)) this.entries.delete(key);
	}

	delete(key: string): void {
		this.entries.delete(key);
	}
}
