import { sleep } from 'n8n-workflow';

/** Longest time between two looks, in milliseconds: nothing is given up later than this. */
const LONGEST_PAUSE_MS = 500;

interface Watched {
	/** By the monotonic clock, in milliseconds. */
	readonly deadline: number;
	readonly giveUp: () => void;
}

/**
 * Gives up on work that takes too long. One timer watches over all of it: to start a timer for each call
 * and to stop it after the answer took as long as everything else that is done for a call.
 */
export class DeadlineWatch {
	private readonly watched = new Set<Watched>();
	private isLooking = false;

	/**
	 * Settles as `work` does, or rejects when `ms` have passed, at most half a second later.
	 * What `work` does afterwards is nobody's business any more; its rejection is swallowed.
	 *
	 * @param overdue makes the error
	 */
	async within<T>(work: Promise<T>, ms: number, overdue: () => Error): Promise<T> {
		return await new Promise<T>((resolve, reject) => {
			const watched: Watched = {
				deadline: performance.now() + ms,
				giveUp: () => reject(overdue()),
			};
			this.watched.add(watched);
			if (!this.isLooking) void this.look();
			work.then(resolve, reject).finally(() => this.watched.delete(watched));
		});
	}

	private async look(): Promise<void> {
		this.isLooking = true;
		while (this.watched.size > 0) {
			await sleep(this.nextPauseMs());
			const now = performance.now();
			for (const one of this.watched) {
				if (one.deadline > now) continue;
				this.watched.delete(one);
				one.giveUp();
			}
		}
		this.isLooking = false;
	}

	private nextPauseMs(): number {
		const now = performance.now();
		let pause = LONGEST_PAUSE_MS;
		for (const { deadline } of this.watched) pause = Math.min(pause, deadline - now);
		return pause;
	}
}
