/** By the clock of the test; the one of node:timers/promises always keeps real time. */
export async function sleep(milliseconds: number): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
}
