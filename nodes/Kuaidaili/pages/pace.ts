import { waitUntil } from '../../shared/concurrency/wait';

/** Added to each interval: the network moves arrivals, which is where the service counts. */
const MARGIN = 1.05;

/** Lets requests leave one by one, evenly spread. */
export class Pace {
	private next = -Infinity;

	private readonly intervalMs: number;

	/**
	 * @param perSecond Infinity for any number
	 * @param clock milliseconds that never run backwards
	 */
	constructor(
		perSecond: number,
		private readonly clock: () => number = () => performance.now(),
	) {
		this.intervalMs = (1000 / perSecond) * MARGIN;
	}

	/** Resolves when it is the caller's turn. Throws CancelledError at once when `signal` aborts. */
	async turn(signal: AbortSignal | undefined): Promise<void> {
		const moment = Math.max(this.next, this.clock());
		this.next = moment + this.intervalMs;
		await waitUntil(moment, signal, this.clock);
	}

	/** Nobody leaves for so long. */
	pause(ms: number): void {
		this.next = Math.max(this.next, this.clock() + ms);
	}
}

const MOST_ORDERS = 500;

/** Of all executions of this process: they share what an order allows. */
const pacesOfOrders = new Map<string, { readonly perSecond: number; readonly pace: Pace }>();

/**
 * The pace of an order.
 *
 * @param orderKey tells the key pairs of orders apart
 * @param perSecond what the order allows
 */
export function paceOfOrder(orderKey: string, perSecond = Infinity): Pace {
	const known = pacesOfOrders.get(orderKey);
	if (known?.perSecond === perSecond) return known.pace;
	const [oldest] = pacesOfOrders.keys();
	if (pacesOfOrders.size >= MOST_ORDERS) pacesOfOrders.delete(oldest);
	const pace = new Pace(perSecond);
	pacesOfOrders.set(orderKey, { perSecond, pace });
	return pace;
}
