/** The shortest time to wait for an answer before a repeatable call is tried again. */
const MIN_SILENCE_MS = 5000;

/** One attempt and two more share the time of a call. */
const ATTEMPTS = 3;

/** With less than this left, another attempt could hardly get an answer. */
const MIN_ATTEMPT_MS = 500;

/**
 * How long nothing may arrive before an attempt of a repeatable call is given up: short enough to leave
 * time for another one.
 */
export function silenceLimitMs(leftMs: number, timeoutMs: number): number {
	return Math.min(leftMs, Math.max(MIN_SILENCE_MS, Math.floor(timeoutMs / ATTEMPTS)));
}

/**
 * The time of one call, with all its attempts and the pauses between them. Waiting for its turn, which
 * depends on other calls, does not count.
 */
export class CallTime {
	private spentMs = 0;

	constructor(private readonly timeoutMs: number) {}

	/** How long an attempt that is safe to repeat may take, in whole milliseconds, as timers want them. */
	get leftMs(): number {
		return Math.max(MIN_ATTEMPT_MS, Math.round(this.timeoutMs - this.spentMs));
	}

	/** @returns what to call when the work is over that counts from now on */
	start(): () => void {
		const start = performance.now();
		return () => {
			this.spentMs += performance.now() - start;
		};
	}

	/** @returns false where the pause would leave no time for another attempt */
	spend(pauseMs: number): boolean {
		if (this.spentMs + pauseMs + MIN_ATTEMPT_MS > this.timeoutMs) return false;
		this.spentMs += pauseMs;
		return true;
	}
}
