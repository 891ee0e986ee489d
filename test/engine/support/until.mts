import { sleep } from './sleep.mts';

/** Waits for what will be so soon. */
export async function until(isSo: () => boolean, longestMs = 5000): Promise<void> {
	const end = performance.now() + longestMs;
	while (!isSo()) {
		if (performance.now() > end) throw new Error(`Not so after ${longestMs} ms: ${isSo}`);
		await sleep(5);
	}
}
