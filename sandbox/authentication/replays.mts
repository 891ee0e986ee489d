import type { Clock } from '../time/clock.mts';

/**
 * Signed requests that were already accepted. How long the service remembers them is not
 * documented; here it is as long as the timestamp alone would still let them through.
 */
export class Replays {
	private readonly forgetAt = new Map<string, number>();

	constructor(
		private readonly clock: Clock,
		private readonly rememberSeconds: number,
	) {}

	/** False when the same mark was there before. */
	isFirst(mark: string): boolean {
		const now = this.clock.milliseconds();
		const known = this.forgetAt.get(mark);
		if (known !== undefined && known > now) return false;
		this.forgetExpired(now);
		this.forgetAt.set(mark, now + this.rememberSeconds * 1000);
		return true;
	}

	// Marks are in the order of their arrival, so the expired ones are in front.
	private forgetExpired(now: number): void {
		for (const [mark, time] of this.forgetAt) {
			if (time > now) return;
			this.forgetAt.delete(mark);
		}
	}
}
