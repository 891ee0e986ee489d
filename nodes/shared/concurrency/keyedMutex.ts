import { untilCancelled } from './wait';

/** A mutex per key. Waiting callers get the lock in the order they came. */
export class KeyedMutex<Key = string> {
	private readonly tails = new Map<Key, Promise<void>>();

	/** How many keys are locked or waited for. */
	get size(): number {
		return this.tails.size;
	}

	isLocked(key: Key): boolean {
		return this.tails.has(key);
	}

	/**
	 * Resolves when all who came before have released the key.
	 *
	 * @returns what to call to release it
	 * @throws CancelledError at once when `signal` aborts
	 */
	async lock(key: Key, signal: AbortSignal | undefined): Promise<() => void> {
		const before = this.tails.get(key) ?? Promise.resolve();
		let release = () => {};
		const released = new Promise<void>((resolve) => (release = resolve));
		this.tails.set(key, released);
		void released.then(() => {
			if (this.tails.get(key) === released) this.tails.delete(key);
		});
		await untilCancelled(before, signal).catch((error: unknown): never => {
			// Callers further back in the queue still have to wait for those in front
			void before.then(release);
			throw error;
		});
		return release;
	}
}
