/** In milliseconds. */
export interface Clocks {
	/** Never runs backwards, but may stand still while the machine is suspended. */
	readonly monotonic: () => number;
	/** Goes on then, but may be set. */
	readonly wall: () => number;
}

export const CLOCKS: Clocks = { monotonic: () => performance.now(), wall: () => Date.now() };

/** By both clocks. */
export interface Moment {
	readonly monotonic: number;
	readonly wall: number;
}

export function momentIn(ms: number, { monotonic, wall }: Clocks): Moment {
	return { monotonic: monotonic() + ms, wall: wall() + ms };
}

/** By the clock that gets there first; negative once it is over. */
export function millisecondsUntil(moment: Moment, { monotonic, wall }: Clocks): number {
	return Math.min(moment.monotonic - monotonic(), moment.wall - wall());
}
