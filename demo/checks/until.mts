import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;

/** @returns whether it came to pass before `giveUp` was aborted */
export async function until(condition: () => boolean, giveUp: AbortSignal): Promise<boolean> {
	while (!condition()) {
		if (giveUp.aborted) return false;
		await sleep(LOOK_EVERY_MS);
	}
	return true;
}
