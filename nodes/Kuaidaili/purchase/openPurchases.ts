/** How long after an unclear purchase its order may still appear. */
const LATE_MS = 600_000;

/** No run can tell its own orders from others' if it looked longer ago than this. */
const REMEMBERED_MS = 86_400_000;

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
		if (this.clock() - lookedAt > REMEMBERED_MS) return true;
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
		const tooOld = this.clock() - REMEMBERED_MS - LATE_MS;
		for (const other of this.open) {
			if ((other.unclearSince ?? Infinity) < tooOld) this.open.delete(other);
		}
		for (const [orderid, knownSince] of this.knownOrders) {
			if (knownSince < tooOld) this.knownOrders.delete(orderid);
		}
	}
}

export const openPurchases = new OpenPurchases();
