/** Milliseconds that never jump, for measuring the pace of calls. */
export function monotonicMs(): number {
	return performance.now();
}
