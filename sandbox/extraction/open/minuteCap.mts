import { monotonicMs } from '../../time/monotonic.mts';

const MINUTE_MS = 60_000;

interface HandedOut {
	at: number;
	count: number;
}

/** Counts the addresses of an order over the last minute, for -51. */
export class MinuteCap {
	private readonly handedOut = new Map<string, HandedOut[]>();

	/** Takes `count` from the allowance; false, and nothing taken, when that is more than is left. */
	take(orderId: string, count: number, cap: number): boolean {
		const now = monotonicMs();
		const recent = (this.handedOut.get(orderId) ?? []).filter(({ at }) => now - at < MINUTE_MS);
		const used = recent.reduce((sum, each) => sum + each.count, 0);
		const allowed = used + count <= cap;
		if (allowed) recent.push({ at: now, count });
		this.handedOut.set(orderId, recent);
		return allowed;
	}
}
