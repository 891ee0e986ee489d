// Kept at load time: a test that installs fake timers later must not stop the pace measurement.
const { bigint } = process.hrtime;

/** Milliseconds that never jump, for measuring the pace of calls. */
export function monotonicMs(): number {
	return Number(bigint()) / 1e6;
}
