/**
 * By origin: the clock of the service minus that of this machine, in milliseconds, where the service refused this
 * machine's time.
 */
const corrections = new Map<string, number>();

/** Undefined where this machine's clock is right as far as anybody knows. */
export function clockCorrection(origin: string): number | undefined {
	return corrections.get(origin);
}

/**
 * Learns from a signature that the service refused because of its time. The answer may come from a gateway with a
 * wrong clock, so a correction that was refused as well is dropped.
 *
 * @param used the correction that it was signed with
 * @param differenceMs by the answer
 */
export function noteRefusedTime(
	origin: string,
	used: number | undefined,
	differenceMs: number | undefined,
): void {
	// Another call has learned something in the meantime
	if (corrections.get(origin) !== used) return;
	if (used !== undefined) corrections.delete(origin);
	else if (differenceMs !== undefined) corrections.set(origin, differenceMs);
}

/**
 * The time to sign with, in milliseconds since 1970: that of this machine, unless the service refused it.
 *
 * @param now by the clock of this machine
 */
export function signingTime(origin: string, now: number): number {
	return now + (corrections.get(origin) ?? 0);
}
