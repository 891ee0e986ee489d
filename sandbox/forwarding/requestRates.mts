import type { ProxyOrder } from '../accounts/order.mts';
import type { RateLimitSettings } from '../limits/rateLimits.mts';
import { monotonicMs } from '../time/monotonic.mts';

/**
 * How many requests and connections an order has made through its proxies in the last second. Only
 * tunnels have a documented limit. A refused request does not count; the service does not say.
 */
export class RequestRates {
	private readonly recent = new WeakMap<ProxyOrder, number[]>();

	constructor(private readonly settings: RateLimitSettings) {}

	/** Whether one more is allowed; it counts then. */
	take(order: ProxyOrder): boolean {
		if (!this.settings.on || !('maxRps' in order)) return true;
		const now = monotonicMs();
		const since = now - 1000 * this.settings.scale;
		const recent = (this.recent.get(order) ?? []).filter((time) => time > since);
		if (recent.length >= order.maxRps) return false;
		this.recent.set(order, [...recent, now]);
		return true;
	}
}
