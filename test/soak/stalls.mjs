// @ts-check
/**
 * Moments in which a process got no processor time. What it sends or receives then is late through no
 * fault of its own.
 */
const LOOK_EVERY_MS = 10;
const SHORTEST_STALL_MS = 15;
/** More than enough for the time between two samples, and not so many that they look like a leak. */
const MOST_KEPT = 2_000;

/** @typedef {{ from: number, to: number }} Stall in milliseconds since 1970 */

/**
 * @returns {() => Stall[]} gives the stalls since it was called last
 */
export function watchStalls() {
	/** @type {Stall[]} */
	let stalls = [];
	let last = Date.now();
	setInterval(() => {
		const now = Date.now();
		const isLate = now - last >= LOOK_EVERY_MS + SHORTEST_STALL_MS;
		if (isLate && stalls.length < MOST_KEPT) stalls.push({ from: last, to: now });
		last = now;
	}, LOOK_EVERY_MS).unref();
	return () => {
		const taken = stalls;
		stalls = [];
		return taken;
	};
}
