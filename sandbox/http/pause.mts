import { setMaxListeners } from 'node:events';

/** Waits, but not longer than the sandbox lives: then it throws. */
export async function pause(milliseconds: number, closing: AbortSignal): Promise<void> {
	if (milliseconds <= 0) return;
	closing.throwIfAborted();
	// Each request that waits is one
	setMaxListeners(0, closing);
	await new Promise<void>((resolve, reject) => {
		const stop = () => {
			clearTimeout(timer);
			reject(closing.reason);
		};
		const timer = setTimeout(() => {
			closing.removeEventListener('abort', stop);
			resolve();
		}, milliseconds);
		closing.addEventListener('abort', stop, { once: true });
	});
}
