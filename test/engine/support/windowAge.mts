import { sleep } from './sleep.mts';

const WINDOW_MS = 10_000;

/** Waits until a window, in which workers sign a request alike, is so old: in its last half second, purchases wait. */
export async function untilWindowAge(ms: number): Promise<void> {
	await sleep((WINDOW_MS + ms - (Date.now() % WINDOW_MS)) % WINDOW_MS);
}
