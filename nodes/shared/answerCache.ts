interface Entry<T> {
	readonly answer: Promise<T>;
	readonly askedAt: number;
}

export interface CacheLimits {
	readonly longestAgeMs: number;
	readonly largestSize: number;
}

/** Answers of the service, held in memory for a short time; whoever asks meanwhile shares them. */
export class AnswerCache<T> {
	private readonly entries = new Map<string, Entry<T>>();

	/** @param clock milliseconds that never run backwards */
	constructor(
		private readonly limits: CacheLimits,
		private readonly clock: () => number = () => performance.now(),
	) {}

	/** How many answers are held. */
	get size(): number {
		return this.entries.size;
	}

	/** The answer in memory or on its way, or a new one. A failure is not held. */
	async obtain(question: string, ask: () => Promise<T>): Promise<T> {
		this.forgetOld();
		const known = this.entries.get(question);
		if (known !== undefined) return await known.answer;
		const entry = { answer: ask(), askedAt: this.clock() };
		this.entries.set(question, entry);
		entry.answer.catch(() => {
			if (this.entries.get(question) === entry) this.entries.delete(question);
		});
		return await entry.answer;
	}

	/** The next question goes to the service again. */
	forget(question: string): void {
		this.entries.delete(question);
	}

	private forgetOld(): void {
		const now = this.clock();
		for (const [question, { askedAt }] of this.entries) {
			const tooMany = this.entries.size >= this.limits.largestSize;
			if (tooMany || now - askedAt >= this.limits.longestAgeMs) this.entries.delete(question);
		}
	}
}
