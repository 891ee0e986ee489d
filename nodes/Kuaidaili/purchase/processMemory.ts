/** A double click on 'Execute step' starts two executions within this time. */
const DOUBLE_CLICK_MS = 10_000;

/** A run may get to its purchase long after the click: it waits for its turn, and for slow answers. */
const CLICK_REMEMBERED_MS = 3_600_000;

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
			if (this.clock() - at >= CLICK_REMEMBERED_MS) this.latest.delete(key);
		}
	}
}

/** How long after an unclear purchase its order may still appear. */
const LATE_MS = 600_000;

/** No run can tell its own orders from others' if it looked longer ago than this. */
const OPEN_REMEMBERED_MS = 86_400_000;

/** A request that spends money and was sent, or is about to be. */
export interface OpenPurchase {
	/** Of the key pair that buys. */
	readonly secretId: string;
	/** When the state before the purchase was read. */
	readonly lookedAt: number;
	/** Undefined while it is on its way. */
	unclearSince?: number;
}

/**
 * The purchases of this process that are being made. What is new at the service belongs to a certain
 * request only if no other request can have brought it.
 */
export class OpenPurchases {
	private readonly open = new Set<OpenPurchase>();

	/** The orders that were placed, each with the moment at which that was known. */
	private readonly knownOrders = new Map<string, number>();

	/** @param clock milliseconds that never run backwards */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/** The current moment, to be taken before the state is read. */
	now(): number {
		return this.clock();
	}

	/** @param lookedAt when it was asked what there was before */
	begin(secretId: string, lookedAt: number): OpenPurchase {
		this.forgetOld();
		const purchase = { secretId, lookedAt };
		this.open.add(purchase);
		return purchase;
	}

	/** @param orderid of the order that it placed, or undefined where it placed none */
	end(purchase: OpenPurchase, orderid?: string): void {
		this.open.delete(purchase);
		if (orderid !== undefined) this.knownOrders.set(orderid, this.clock());
	}

	/** The purchase may have been made, but its result is unknown. */
	endUnclear(purchase: OpenPurchase): void {
		purchase.unclearSince = this.clock();
	}

	/**
	 * Whether another request with the same key pair may have caused what is new since the look: one that
	 * is on its way, or an unclear one whose effect may have come late.
	 */
	hasOthers(purchase: OpenPurchase): boolean {
		const { secretId, lookedAt } = purchase;
		if (this.clock() - lookedAt > OPEN_REMEMBERED_MS) return true;
		return [...this.open].some(
			(other) =>
				other !== purchase &&
				other.secretId === secretId &&
				(other.unclearSince ?? Infinity) + LATE_MS >= lookedAt,
		);
	}

	/** Whether a request of this process is known to have placed the order. */
	isKnown(orderid: string): boolean {
		return this.knownOrders.has(orderid);
	}

	private forgetOld(): void {
		const tooOld = this.clock() - OPEN_REMEMBERED_MS - LATE_MS;
		for (const other of this.open) {
			if ((other.unclearSince ?? Infinity) < tooOld) this.open.delete(other);
		}
		for (const [orderid, knownSince] of this.knownOrders) {
			if (knownSince < tooOld) this.knownOrders.delete(orderid);
		}
	}
}

/** How many nodes are remembered. */
const MAX_CANCELLED_NODES = 500;

/** What cancelled runs have bought, until the next run of the same node says it. */
class CancelledRuns {
	private readonly texts = new Map<string, string>();

	/** @param purchases in whole sentences */
	note(nodeKey: string, purchases: string): void {
		const earlier = this.texts.get(nodeKey);
		this.texts.delete(nodeKey);
		this.texts.set(nodeKey, [earlier, purchases].filter(Boolean).join(' '));
		for (const oldest of this.texts.keys()) {
			if (this.texts.size <= MAX_CANCELLED_NODES) break;
			this.texts.delete(oldest);
		}
	}

	/** @returns what was noted, for the one run that says it */
	take(nodeKey: string): string | undefined {
		const purchases = this.texts.get(nodeKey);
		this.texts.delete(nodeKey);
		return purchases;
	}
}

export const recentPurchases = new RecentPurchases();
export const openPurchases = new OpenPurchases();
export const cancelledRuns = new CancelledRuns();
