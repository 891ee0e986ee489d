// Not the global one: a test that installs fake timers must not stop the server.
import { setTimeout } from 'node:timers/promises';

/** Waits, but not longer than the sandbox lives: then it throws. */
export async function pause(milliseconds: number, closing: AbortSignal): Promise<void> {
	if (milliseconds > 0) await setTimeout(milliseconds, undefined, { signal: closing });
}
