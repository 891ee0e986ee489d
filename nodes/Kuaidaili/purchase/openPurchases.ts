/** How long an order may come late, after nobody knows whether it was placed. */
const LATE_MS = 600_000;
const MOST_KNOWN_ORDERS = 1000;

/** A request of createorder that was sent, or is about to be. */
export interface OpenPurchase {
	readonly secretId: string;
	/** Milliseconds since 1970; undefined while it is on its way. */
	unclearSince?: number;
}

/**
 * The orders of this process that are being placed. A new order in the list of the account belongs to a
 * certain request only if no other request can have placed it.
 */
export class OpenPurchases {
	private readonly open = new Set<OpenPurchase>();

	private readonly knownOrders = new Set<string>();

	/** @param clock milliseconds since 1970 */
	constructor(private readonly clock: () => number = () => Date.now()) {}

	begin(secretId: string): OpenPurchase {
		const purchase = { secretId };
		this.open.add(purchase);
		return purchase;
	}

	/** @param orderid of the order that it placed, or undefined where it placed none */
	end(purchase: OpenPurchase, orderid?: string): void {
		this.open.delete(purchase);
		if (orderid === undefined) return;
		this.knownOrders.add(orderid);
		for (const oldest of this.knownOrders) {
			if (this.knownOrders.size <= MOST_KNOWN_ORDERS) break;
			this.knownOrders.delete(oldest);
		}
	}

	/** It may have placed an order that is not known. */
	endUnclear(purchase: OpenPurchase): void {
		purchase.unclearSince = this.clock();
	}

	/** Whether another request may have placed an order of the same account that is not known. */
	hasOthers(purchase: OpenPurchase): boolean {
		const tooOld = this.clock() - LATE_MS;
		for (const other of this.open) {
			if ((other.unclearSince ?? Infinity) < tooOld) this.open.delete(other);
		}
		return [...this.open].some(
			(other) => other !== purchase && other.secretId === purchase.secretId,
		);
	}

	/** Whether a request of this process is known to have placed the order. */
	isKnown(orderid: string): boolean {
		return this.knownOrders.has(orderid);
	}
}

export const openPurchases = new OpenPurchases();
