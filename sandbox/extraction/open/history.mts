import type { OpenProxy } from '../../catalogue/openProxy.mts';
import type { Clock } from '../../time/clock.mts';
import { chinaDay } from '../../time/chinaTime.mts';

interface Day {
	name: string;
	proxies: Set<OpenProxy>;
}

/** Which proxies an order has already got today, for `dedup`. */
export class ExtractionHistory {
	private readonly days = new Map<string, Day>();

	constructor(private readonly clock: Clock) {}

	today(orderId: string): Set<OpenProxy> {
		const name = chinaDay(this.clock.now());
		const known = this.days.get(orderId);
		if (known?.name === name) return known.proxies;
		const proxies = new Set<OpenProxy>();
		this.days.set(orderId, { name, proxies });
		return proxies;
	}
}
