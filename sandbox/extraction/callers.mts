import type { Order } from '../accounts/order.mts';
import type { Clock } from '../time/clock.mts';

const MINUTE_MS = 60_000;

/** From how many addresses an order's proxies were asked for within the last minute, for -51. */
export class Callers {
	private readonly lastCalls = new WeakMap<Order, Map<string, number>>();

	constructor(private readonly clock: Clock) {}

	/** False for an address beyond the cap; those that were there before go on. */
	admits(order: Order, address: string, cap: number): boolean {
		const now = this.clock.milliseconds();
		const known = [...(this.lastCalls.get(order) ?? [])];
		const recent = new Map(known.filter(([, time]) => now - time < MINUTE_MS));
		const admitted = recent.has(address) || recent.size < cap;
		if (admitted) recent.set(address, now);
		this.lastCalls.set(order, recent);
		return admitted;
	}
}
