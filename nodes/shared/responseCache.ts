interface Entry<T> {
	readonly response: Promise<T>;
	readonly fetchedAt: number;
}

export interface CacheLimits {
	readonly longestAgeMs: number;
	readonly largestSize: number;
}

/** Responses of the service, held in memory for a short time. Callers that ask for the same key meanwhile share one. */
export class ResponseCache<T> {
	private readonly entries = new Map<string, Entry<T>>();

	/** @param clock milliseconds that never run backwards */
	constructor(
		private readonly limits: CacheLimits,
		private readonly clock: () => number = () => performance.now(),
	) {}

	/** How many responses are held. */
	get size(): number {
		return this.entries.size;
	}

	/** The response in memory or on its way, or a new one. A rejection is not held. */
	async obtain(key: string, fetch: () => Promise<T>): Promise<T> {
		this.forgetOld();
		const known = this.entries.get(key);
		if (known !== undefined) return await known.response;
		const entry = { response: fetch(), fetchedAt: this.clock() };
		this.entries.set(key, entry);
		entry.response.catch(() => {
			if (this.entries.get(key) === entry) this.entries.delete(key);
		});
		return await entry.response;
	}

	/** The next caller fetches anew. */
	delete(key: string): void {
		this.entries.delete(key);
	}

	private forgetOld(): void {
		const now = this.clock();
		for (const [key, { fetchedAt }] of this.entries) {
			const tooMany = this.entries.size >= this.limits.largestSize;
			if (tooMany || now - fetchedAt >= this.limits.longestAgeMs) this.entries.delete(key);
		}
	}
}
