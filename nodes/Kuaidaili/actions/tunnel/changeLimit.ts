import {
	KeyedMutex,
	loggedWait,
	logWait,
	waitUntil,
	type Waiter,
} from '../../../shared/concurrency/wait';
import { CHANGE_TPS_IP } from '../../../shared/service/endpoints/order';

/** Source: the service's limits of changetpsip. */
const CHANGES_PER_PERIOD = 2;

interface Changes {
	/** When the last two changes were made, by the clock. */
	readonly moments: readonly number[];
	readonly periodMs: number;
}

/** The limit is used up for longer than anybody waits. */
export class TooManyChangesError extends Error {
	constructor(readonly waitMs: number) {
		super('The IP was changed twice in its period');
	}
}

/**
 * Keeps to two changes per period of an order, across this process. How the service
 * counts its periods is not documented; two in any time of that length are two in each of them as well.
 */
export class ChangeLimit {
	private readonly queues = new KeyedMutex();

	private readonly changes = new Map<string, Changes>();

	/** @param clock milliseconds that never run backwards */
	constructor(
		private readonly longestWaitMs: number,
		private readonly clock: () => number = () => performance.now(),
	) {}

	/** How many orders are remembered. */
	get size(): number {
		return this.changes.size;
	}

	/**
	 * Makes a change as soon as the order may have another one.
	 *
	 * @param isMade whether a change that failed with this error may have been made nevertheless
	 * @throws TooManyChangesError when that takes too long, CancelledError, and what `change` throws
	 */
	async run<T>(
		{ orderid, periodMs }: { readonly orderid: string; readonly periodMs: number },
		change: () => Promise<T>,
		isMade: (error: unknown) => boolean,
		waiter: Waiter,
	): Promise<T> {
		const turn = this.queues.lock(orderid, waiter.signal);
		const { path } = CHANGE_TPS_IP;
		const unlock = await loggedWait(turn, waiter, path, 'for another change of the same tunnel');
		try {
			this.forgetOld();
			await this.waitForTurn(orderid, periodMs, waiter);
			const result = await change().catch((error: unknown): never => {
				if (isMade(error)) this.remember(orderid, periodMs);
				throw error;
			});
			this.remember(orderid, periodMs);
			return result;
		} finally {
			unlock();
		}
	}

	private async waitForTurn(orderid: string, periodMs: number, waiter: Waiter): Promise<void> {
		const moments = this.changes.get(orderid)?.moments ?? [];
		const first = moments.at(-CHANGES_PER_PERIOD);
		if (first === undefined) return;
		const turn = first + periodMs;
		const waitMs = turn - this.clock();
		if (waitMs > this.longestWaitMs) throw new TooManyChangesError(waitMs);
		logWait(waiter, CHANGE_TPS_IP.path, waitMs, 'because the IP was changed twice just now');
		await waitUntil(turn, waiter.signal, this.clock);
	}

	private remember(orderid: string, periodMs: number): void {
		const moments = [...(this.changes.get(orderid)?.moments ?? []), this.clock()];
		this.changes.set(orderid, { moments: moments.slice(-CHANGES_PER_PERIOD), periodMs });
	}

	private forgetOld(): void {
		const now = this.clock();
		for (const [orderid, { moments, periodMs }] of this.changes) {
			if (moments.every((moment) => moment + periodMs <= now)) this.changes.delete(orderid);
		}
	}
}
