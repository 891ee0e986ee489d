import type { Clock } from '../time/clock.mts';
import type { Order } from './order.mts';

const IN_EFFECT_AFTER_MS = 60_000;

const USUAL_LIMIT = 50;

interface Version {
	addresses: readonly string[];
	inEffectFrom: number;
}

/**
 * The client addresses that may use the proxies of an order without a login, by order. A list can be
 * read back at once, as the service's own tests do, but lets nobody in or out before a minute is over.
 */
export class Whitelists {
	// What is in effect, then what is still to come.
	private readonly versions = new WeakMap<Order, Version[]>();

	constructor(private readonly clock: Clock) {}

	/** As it was set last. */
	of(order: Order): readonly string[] {
		return this.upToDate(order).at(-1)?.addresses ?? [];
	}

	/** Whether the minute after a change is not over yet. */
	isChanging(order: Order): boolean {
		return (this.upToDate(order).at(-1)?.inEffectFrom ?? 0) > this.clock.milliseconds();
	}

	admits(order: Order, address: string): boolean {
		const [inEffect] = this.upToDate(order);
		if (!inEffect || inEffect.inEffectFrom > this.clock.milliseconds()) return false;
		return inEffect.addresses.includes(address);
	}

	replace(order: Order, addresses: readonly string[]): void {
		const inEffectFrom = this.clock.milliseconds() + IN_EFFECT_AFTER_MS;
		this.versions.set(order, [...this.upToDate(order), { addresses, inEffectFrom }]);
	}

	/** Without the minute, for a test that is about something else. */
	replaceNow(order: Order, addresses: readonly string[]): void {
		this.versions.set(order, [{ addresses, inEffectFrom: this.clock.milliseconds() }]);
	}

	private upToDate(order: Order): Version[] {
		const versions = this.versions.get(order) ?? [];
		const now = this.clock.milliseconds();
		const inEffect = versions.findLastIndex(({ inEffectFrom }) => inEffectFrom <= now);
		return versions.slice(Math.max(0, inEffect));
	}
}

/** How many addresses the whitelist of an order takes. */
export function whitelistLimit(order: Order): number {
	return 'whiteipCount' in order ? order.whiteipCount : USUAL_LIMIT;
}
