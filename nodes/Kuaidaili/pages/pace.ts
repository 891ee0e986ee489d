import { KeyedMutex, waitUntil } from '../../shared/concurrency/wait';

/** Added to each interval: the network moves arrivals, which is where the service counts. */
const MARGIN = 1.05;

/** There is one line for the foremost of all runs. */
const LINE = '';

/** Lets requests leave one by one, evenly spread. Runs take turns, so that a long one makes no other wait for its end. */
export class Pace {
	/** Between two requests, in milliseconds. */
	readonly intervalMs: number;

	private readonly linesOfRuns = new KeyedMutex<object>();

	private readonly line = new KeyedMutex();

	/** Nobody leaves before. */
	private next = -Infinity;

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

	/**
	 * Resolves when it is the caller's turn. Whoever leaves the line takes up no turn.
	 *
	 * @param run whose requests leave in the order in which they came
	 * @throws CancelledError at once when `signal` aborts
	 */
	async turn(run: object, signal: AbortSignal | undefined): Promise<void> {
		const cameAt = this.clock();
		const letNextOfRun = await this.linesOfRuns.lock(run, signal);
		try {
			const letNextRun = await this.line.lock(LINE, signal);
			await this.leave(cameAt, signal).finally(letNextRun);
		} finally {
			letNextOfRun();
		}
	}

	private async leave(cameAt: number, signal: AbortSignal | undefined): Promise<void> {
		// Read again after each wait: a pause may have begun meanwhile
		while (this.clock() < this.next) await waitUntil(this.next, signal, this.clock);
		// From the moment that was waited for, so that timers that are late don't add up; after a standstill of the
		// process, from now, so that those who wait don't leave all at once
		const latest = this.clock() - this.intervalMs;
		this.next = Math.max(this.next, cameAt, latest) + this.intervalMs;
	}

	/** Nobody leaves for so long. */
	pause(ms: number): void {
		this.next = Math.max(this.next, this.clock() + ms);
	}
}

const MOST_ORDERS = 500;

interface KnownPace {
	readonly perSecond: number;
	readonly pace: Pace;
}

/** Of all executions of this process: they share what an order allows. */
const pacesOfOrders = new Map<string, KnownPace>();

/**
 * The pace of an order.
 *
 * @param orderKey tells the key pairs of orders apart
 * @param perSecond what the order allows; undefined where nobody says, so that what was said before holds
 */
export function paceOfOrder(orderKey: string, perSecond?: number): Pace {
	const known = pacesOfOrders.get(orderKey);
	const allowed = perSecond ?? known?.perSecond ?? Infinity;
	if (known?.perSecond === allowed) return known.pace;
	const [oldest] = pacesOfOrders.keys();
	if (pacesOfOrders.size >= MOST_ORDERS) pacesOfOrders.delete(oldest);
	const pace = new Pace(allowed);
	pacesOfOrders.set(orderKey, { perSecond: allowed, pace });
	return pace;
}
