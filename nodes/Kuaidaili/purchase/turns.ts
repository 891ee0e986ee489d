import { untilCancelled } from '../../shared/transport/wait';

/** Lets those who want to work with the same thing do so one after the other. */
export class Turns {
	private readonly tails = new Map<string, Promise<void>>();

	/** For how many things somebody works or waits. */
	get size(): number {
		return this.tails.size;
	}

	/**
	 * Resolves when all who came before are done.
	 *
	 * @returns what to call when the work is done
	 * @throws CancelledError at once when `signal` aborts
	 */
	async take(thing: string, signal: AbortSignal | undefined): Promise<() => void> {
		const before = this.tails.get(thing) ?? Promise.resolve();
		let leave = () => {};
		const left = new Promise<void>((resolve) => (leave = resolve));
		this.tails.set(thing, left);
		void left.then(() => {
			if (this.tails.get(thing) === left) this.tails.delete(thing);
		});
		await untilCancelled(before, signal).catch((error: unknown): never => {
			// Whoever is behind still has to wait for those in front
			void before.then(leave);
			throw error;
		});
		return leave;
	}
}
