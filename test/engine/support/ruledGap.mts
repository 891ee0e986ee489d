/** How far apart the rule wants two calls to leave, in milliseconds: the interval plus 5 %, and 25 ms at least. */
export function ruledGap(intervalMs: number): number {
	return intervalMs + Math.max(intervalMs * 0.05, 25);
}
