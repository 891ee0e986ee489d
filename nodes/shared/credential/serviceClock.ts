/** By origin: the clock of the service minus that of this machine, in milliseconds. */
const differences = new Map<string, number>();

/** Remembers by how much a clock differs with which the service refused a signature. */
export function noteClockDifference(origin: string, differenceMs: number): void {
	differences.set(origin, differenceMs);
}

/**
 * The time to sign with, in milliseconds since 1970: that of this machine, unless the service refused it.
 *
 * @param now by the clock of this machine
 */
export function signingTime(origin: string, now: number): number {
	return now + (differences.get(origin) ?? 0);
}
