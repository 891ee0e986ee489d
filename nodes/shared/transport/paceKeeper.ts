import { throwIfCancelled, untilCancelled, waitUntil } from './wait';

/** One line of callers: a key on an endpoint. */
interface Lane {
	/** When the last call left; milliseconds of the monotonic clock. */
	lastStart: number;
	/** Nobody leaves before this moment, whatever the interval: set after a "too fast" answer. */
	notBefore: number;
	/** Settles when the last caller in the line has left it. */
	tail: Promise<void>;
	/** Callers in the line, the one whose turn it is included. */
	waiting: number;
}

/**
 * Added to each interval, because the service measures arrivals: two calls that leave exactly one
 * interval apart may arrive a little closer than that.
 */
const MARGIN_RATIO = 0.005;
const MARGIN_MS = 1.5;

/** The longest interval that any endpoint has; an idle lane is forgotten after it. */
const LONGEST_INTERVAL_MS = 5000;
const LANES_BEFORE_SWEEP = 256;

/**
 * Keeps the documented rate limits: calls in one lane start at least the interval apart, first come
 * first served. A cancelled caller leaves the line at once and takes up no slot.
 */
export class PaceKeeper {
	private readonly lanes = new Map<string, Lane>();
	private sweepAt = LANES_BEFORE_SWEEP;

	/** @param clock milliseconds that never run backwards */
	constructor(private readonly clock: () => number = () => performance.now()) {}

	/** How many lanes are remembered. */
	get size(): number {
		return this.lanes.size;
	}

	/**
	 * Resolves when the caller may send.
	 *
	 * @throws CancelledError at once when `signal` aborts
	 */
	async takeTurn(laneName: string, intervalMs: number, signal?: AbortSignal): Promise<void> {
		throwIfCancelled(signal);
		const lane = this.lane(laneName);
		const before = lane.tail;
		let leave = () => {};
		lane.tail = new Promise((resolve) => (leave = resolve));
		lane.waiting++;
		let hasTurn = false;
		try {
			await untilCancelled(before, signal);
			const interval = intervalMs + Math.max(MARGIN_MS, intervalMs * MARGIN_RATIO);
			// Read again after each wait: a "too fast" answer may have moved the moment meanwhile
			for (;;) {
				const start = Math.max(lane.lastStart + interval, lane.notBefore);
				if (this.clock() >= start) break;
				await waitUntil(start, signal, this.clock);
			}
			lane.lastStart = this.clock();
			hasTurn = true;
		} finally {
			lane.waiting--;
			if (hasTurn) leave();
			// A cancelled caller is gone, but whoever is behind still has to wait for those in front
			else void before.then(leave);
		}
	}

	/** For a call that leaves later than its turn came: the next one counts from now. */
	leaveNow(laneName: string): void {
		this.lane(laneName).lastStart = this.clock();
	}

	/** Holds the whole lane back, after the service said that calls come too fast. */
	holdBack(laneName: string, ms: number): void {
		const lane = this.lane(laneName);
		lane.notBefore = Math.max(lane.notBefore, this.clock() + ms);
	}

	private lane(name: string): Lane {
		const known = this.lanes.get(name);
		if (known !== undefined) return known;
		if (this.lanes.size >= this.sweepAt) this.forgetIdleLanes();
		const lane: Lane = {
			lastStart: -Infinity,
			notBefore: -Infinity,
			tail: Promise.resolve(),
			waiting: 0,
		};
		this.lanes.set(name, lane);
		return lane;
	}

	private forgetIdleLanes(): void {
		const now = this.clock();
		for (const [name, lane] of this.lanes) {
			const idle = lane.lastStart + 2 * LONGEST_INTERVAL_MS < now && lane.notBefore < now;
			if (idle && lane.waiting === 0) this.lanes.delete(name);
		}
		// Sweeping costs as much as there are lanes, so the next one waits until they have doubled
		this.sweepAt = Math.max(LANES_BEFORE_SWEEP, this.lanes.size * 2);
	}
}
