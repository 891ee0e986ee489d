import type { FailureText } from '../../shared/errors/callErrors';

/** 'Execute step' on a later node runs this one again within this time, as a double click does. */
export const REPEATED_CLICK_MS = 600_000;

/** A run may get to its purchase long after the click: it waits for its turn, and for slow answers. */
const CLICK_REMEMBERED_MS = 3_600_000;

/** A purchase of a manual execution, for the same purchase in another one. */
export class ManualPurchase<Outcome> {
	/** By the monotonic clock: when it was sent, or when its outcome was known. */
	at: number;
	/** Undefined while it is on its way, and if nothing was bought. */
	outcome?: Outcome;
	readonly settled: Promise<void>;
	/** The items of other executions that got it instead of a purchase of their own, with their executions. */
	readonly repeatedFor = new Map<string, string>();
	private resolve = () => {};

	constructor(
		readonly executionId: string,
		private readonly clock: () => number,
	) {
		this.at = clock();
		this.settled = new Promise((resolve) => (this.resolve = resolve));
	}

	get msAgo(): number {
		return this.clock() - this.at;
	}

	settle(outcome: Outcome | undefined): void {
		this.outcome = outcome;
		this.at = this.clock();
		this.resolve();
	}
}

/** Who is about to buy in a manual execution. */
export interface ManualBuyer {
	readonly executionId: string;
	/** Tells the items of all executions apart. */
	readonly item: string;
	/** When the run began, by `now`. */
	readonly begunAt: number;
}

/** The purchases that manual executions of this process made, by node and purchase. */
export class ManualPurchases<Outcome> {
	private readonly known = new Map<string, Array<ManualPurchase<Outcome>>>();

	/** @param clock milliseconds that never run backwards */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/** The moment now, to be taken when a run begins. */
	now(): number {
		return this.clock();
	}

	/**
	 * The same purchase in another execution, less than ten minutes before the run began. Each is found for one
	 * item of an execution only, so that two items get two orders.
	 *
	 * @param keys any of those that it was begun with
	 */
	find(keys: readonly string[], buyer: ManualBuyer): ManualPurchase<Outcome> | undefined {
		this.forgetOld();
		const { executionId, item, begunAt } = buyer;
		const known = new Set(keys.flatMap((key) => this.known.get(key) ?? []));
		const recent = [...known].filter(
			(purchase) =>
				purchase.executionId !== executionId && begunAt - purchase.at < REPEATED_CLICK_MS,
		);
		const found =
			recent.find(({ repeatedFor }) => repeatedFor.has(item)) ??
			recent.find(({ repeatedFor }) => ![...repeatedFor.values()].includes(executionId));
		found?.repeatedFor.set(item, executionId);
		return found;
	}

	begin(keys: readonly string[], executionId: string): ManualPurchase<Outcome> {
		const purchase = new ManualPurchase<Outcome>(executionId, this.clock);
		for (const key of keys) this.known.set(key, [...(this.known.get(key) ?? []), purchase]);
		return purchase;
	}

	/** @param outcome undefined where nothing was bought */
	end(keys: readonly string[], purchase: ManualPurchase<Outcome>, outcome?: Outcome): void {
		purchase.settle(outcome);
		if (outcome !== undefined) return;
		for (const key of keys) this.keep(key, (other) => other !== purchase);
	}

	private keep(key: string, isKept: (purchase: ManualPurchase<Outcome>) => boolean): void {
		const kept = (this.known.get(key) ?? []).filter(isKept);
		if (kept.length === 0) this.known.delete(key);
		else this.known.set(key, kept);
	}

	private forgetOld(): void {
		const now = this.clock();
		for (const key of this.known.keys()) this.keep(key, ({ at }) => now - at < CLICK_REMEMBERED_MS);
	}
}

/** How long after a purchase it may still show. */
export const LATE_MS = 600_000;

/** No run can tell its own orders from others' if it looked longer ago than this. */
const OPEN_REMEMBERED_MS = 86_400_000;

interface MadePurchase {
	readonly subject: string;
	/** When it was known to be made. */
	readonly at: number;
	/** What the service showed right before it, where it said so. */
	readonly before: unknown;
}

interface PlacedOrder {
	/** When it was known to be placed. */
	readonly at: number;
	/** The same for all purchases that a condition counts together. */
	readonly subject: string;
}

/** A request that spends money and was sent, or is about to be. */
export interface OpenPurchase {
	/** Of the key pair that buys. */
	readonly secretId: string;
	/** The Secret ID of the account that pays; undefined where only the order's key pair is known. */
	readonly account: string | undefined;
	/** The same for all purchases that a condition counts together. */
	readonly subject: string;
	/** When the state before the purchase was read. */
	readonly lookedAt: number;
	/** That state, where the service said it. */
	readonly before: unknown;
	/** Undefined while it is on its way. */
	unclearSince?: number;
	/** What other executions say instead of buying. */
	unclearText?: FailureText;
}

/**
 * The purchases of this process that are being made. What is new at the service belongs to a certain
 * request only if no other request can have brought it.
 */
export class OpenPurchases {
	private readonly open = new Set<OpenPurchase>();

	/** The orders that were placed, by number. */
	private readonly knownOrders = new Map<string, PlacedOrder>();

	/** Those that are known to be made, oldest first. */
	private made: MadePurchase[] = [];

	/** How many were begun so far, by account. */
	private readonly begun = new Map<string | undefined, number>();

	/** @param clock milliseconds that never run backwards */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/** The current moment, to be taken before the state is read. */
	now(): number {
		return this.clock();
	}

	begin(begun: Omit<OpenPurchase, 'unclearSince' | 'unclearText'>): OpenPurchase {
		this.forgetOld();
		const purchase = { ...begun };
		const { account } = purchase;
		this.open.add(purchase);
		this.begun.set(account, (this.begun.get(account) ?? 0) + 1);
		return purchase;
	}

	/** How many purchases were begun so far that the account may pay. */
	countBegun(account: string): number {
		return (this.begun.get(account) ?? 0) + (this.begun.get(undefined) ?? 0);
	}

	/** Whether a purchase that the account may pay is on its way, or unclear and may still be charged. */
	mayBeCharged(account: string): boolean {
		const now = this.clock();
		return [...this.open].some(
			(purchase) =>
				(purchase.account ?? account) === account &&
				(purchase.unclearSince ?? Infinity) + LATE_MS >= now,
		);
	}

	/** Nothing was bought. */
	undo(purchase: OpenPurchase): void {
		this.open.delete(purchase);
	}

	/** @param orderid of the order that it placed or renewed, where that is known */
	end(purchase: OpenPurchase, orderid: string | undefined): void {
		const { subject, before } = purchase;
		const at = this.clock();
		this.open.delete(purchase);
		this.made.push({ subject, before, at });
		if (orderid !== undefined) this.knownOrders.set(orderid, { at, subject });
	}

	/**
	 * The purchase may have been made, but its result is unknown.
	 *
	 * @param text what other executions say instead of buying, as long as it may still show
	 */
	endUnclear(purchase: OpenPurchase, text: FailureText): void {
		purchase.unclearSince = this.clock();
		purchase.unclearText = text;
	}

	/** Of an unclear purchase that may still show. */
	recentlyUnclear(subject: string): FailureText | undefined {
		const since = this.clock() - LATE_MS;
		for (const { subject: other, unclearSince = -Infinity, unclearText } of this.open) {
			if (other === subject && unclearSince >= since) return unclearText;
		}
		return undefined;
	}

	/** What the service showed right before each purchase that was made so recently that it may not show yet. */
	recentlyBefore(subject: string): unknown[] {
		const since = this.clock() - LATE_MS;
		const recent = this.made.filter(({ subject: other, at }) => other === subject && at >= since);
		return recent.map(({ before }) => before).filter((before) => before !== undefined);
	}

	/**
	 * Whether another request with the same key pair may have caused what is new since the look: one that
	 * is on its way, or an unclear one whose effect may have come late.
	 */
	hasOthers(purchase: Pick<OpenPurchase, 'secretId' | 'lookedAt'>): boolean {
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

	/** The numbers of the orders that were placed so recently that the service may not list them yet. */
	recentlyPlaced(subject: string): string[] {
		const since = this.clock() - LATE_MS;
		return [...this.knownOrders].flatMap(([orderid, placed]) =>
			placed.subject === subject && placed.at >= since ? [orderid] : [],
		);
	}

	private forgetOld(): void {
		const tooOld = this.clock() - OPEN_REMEMBERED_MS - LATE_MS;
		for (const other of this.open) {
			if ((other.unclearSince ?? Infinity) < tooOld) this.open.delete(other);
		}
		for (const [orderid, { at }] of this.knownOrders) {
			if (at < tooOld) this.knownOrders.delete(orderid);
		}
		this.made = this.made.filter(({ at }) => at >= this.clock() - LATE_MS);
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

export const openPurchases = new OpenPurchases();
export const cancelledRuns = new CancelledRuns();
