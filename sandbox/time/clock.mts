/** Milliseconds that never jump, for measuring the pace of calls. */
export function monotonicMs(): number {
	return performance.now();
}

/**
 * The service's idea of the time. It runs at normal speed and can be moved, so that a test can see
 * a token or an order expire. Rate limits do not use it: see monotonic.mts.
 */
export class Clock {
	private shiftMs = 0;

	now(): Date {
		return new Date(this.milliseconds());
	}

	milliseconds(): number {
		return Date.now() + this.shiftMs;
	}

	advance(milliseconds: number): void {
		this.shiftMs += milliseconds;
	}

	set(date: Date): void {
		if (Number.isNaN(date.getTime())) throw new RangeError('The clock needs a valid date');
		this.shiftMs = date.getTime() - Date.now();
	}

	/** Back to the time of the machine. */
	reset(): void {
		this.shiftMs = 0;
	}
}
