import { CLOCKS, millisecondsUntil, momentIn, type Clocks, type Moment } from './clocks';

export interface FailureLimits {
	/** The most proxies of all orders together. */
	readonly mostProxies: number;
	/** For how long a proxy counts as failed of which nobody knows when it ends. */
	readonly unknownLifeSeconds: number;
}

const LIMITS: FailureLimits = { mostProxies: 20_000, unknownLifeSeconds: 300 };

function idOf(order: string, address: string): string {
	return `${order} ${address}`;
}

/**
 * Proxies that failed before their end. The service may send their addresses again as long as they live, and each
 * time they would cost another attempt.
 */
export class FailedProxies {
	/** When each of them ends, by order and address: the one that failed first comes first. */
	private readonly ends = new Map<string, Moment>();

	constructor(
		private readonly limits: FailureLimits = LIMITS,
		private readonly clocks: Clocks = CLOCKS,
	) {}

	/** How many are remembered. */
	get size(): number {
		return this.ends.size;
	}

	/** @param end undefined where that is unknown */
	add(order: string, address: string, end: Moment | undefined): void {
		const { mostProxies, unknownLifeSeconds } = this.limits;
		if (end === undefined && this.has(order, address)) return;
		const id = idOf(order, address);
		this.ends.delete(id);
		this.ends.set(id, end ?? momentIn(unknownLifeSeconds * 1000, this.clocks));
		const [first] = this.ends.keys();
		if (this.ends.size > mostProxies) this.ends.delete(first);
	}

	has(order: string, address: string): boolean {
		const id = idOf(order, address);
		const end = this.ends.get(id);
		if (end === undefined) return false;
		const isOver = millisecondsUntil(end, this.clocks) <= 0;
		if (isOver) this.ends.delete(id);
		return !isOver;
	}
}

/** Of all executions of this process. */
export const failedProxies = new FailedProxies();
