import type { OrderExpiry } from '../../../../shared/orders/orderExpiry';

/**
 * The service accepts one renewal of an order per second. What was asked less than that before a renewal
 * arrives shows every other one that it can follow, also those of other processes; half of it is left for
 * requests that take different times on their way.
 */
const FRESH_MS = 500;

/** For one try: a line so slow that no answer is fresh must not keep a renewal from being made. */
const MOST_LOOKS = 2;

/** The expiry of an order, asked again when it is no longer fresh. */
export class FreshExpiry {
	/**
	 * @param latest what the order was like when asked last
	 * @param askedAt when that was, before the question left; by `clock`
	 * @param clock milliseconds that never run backwards
	 */
	constructor(
		private readonly ask: () => Promise<OrderExpiry>,
		public latest: OrderExpiry,
		private askedAt: number,
		private readonly clock: () => number,
	) {}

	/** @throws what `ask` throws */
	async refresh(): Promise<OrderExpiry> {
		for (let looks = 0; looks < MOST_LOOKS && !this.isFresh(); looks++) {
			this.askedAt = this.clock();
			this.latest = await this.ask();
		}
		return this.latest;
	}

	private isFresh(): boolean {
		return this.clock() - this.askedAt <= FRESH_MS;
	}
}
