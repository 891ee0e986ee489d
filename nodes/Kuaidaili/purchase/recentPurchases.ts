/** A double click on 'Execute step' starts two executions within this time. */
const DOUBLE_CLICK_MS = 10_000;

/** A run may get to its purchase long after the click: it waits for its turn, and for slow answers. */
const REMEMBERED_MS = 3_600_000;

interface RecentPurchase {
	readonly executionId: string;
	/** By the monotonic clock. */
	readonly at: number;
	/** What it was, such as "order 965102959536478, Tunnel Proxy (TPS), Prepaid". */
	readonly label: string;
}

/** The latest purchases that manual executions of this process made, by node and purchase. */
export class RecentPurchases {
	private readonly latest = new Map<string, RecentPurchase>();

	/** @param clock milliseconds that never run backwards */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/** The moment now, to be taken when a run begins. */
	now(): number {
		return this.clock();
	}

	/**
	 * The same purchase in another execution, and how long ago that was.
	 *
	 * @param begunAt when the run began that is about to buy, by `now`
	 * @returns undefined for one that was made long before the run began
	 */
	find(
		key: string,
		executionId: string,
		begunAt: number,
	): { label: string; msAgo: number } | undefined {
		this.forgetOld();
		const known = this.latest.get(key);
		if (known === undefined || known.executionId === executionId) return undefined;
		if (begunAt - known.at >= DOUBLE_CLICK_MS) return undefined;
		return { label: known.label, msAgo: this.clock() - known.at };
	}

	set(key: string, executionId: string, label: string): void {
		this.latest.set(key, { executionId, label, at: this.clock() });
	}

	/** Forgets the purchase of an execution that bought nothing. A later purchase of another one stays. */
	delete(key: string, executionId: string): void {
		if (this.latest.get(key)?.executionId === executionId) this.latest.delete(key);
	}

	private forgetOld(): void {
		for (const [key, { at }] of this.latest) {
			if (this.clock() - at >= REMEMBERED_MS) this.latest.delete(key);
		}
	}
}

export const recentPurchases = new RecentPurchases();
