// Kept at load time: a test that installs fake timers later must not stop the pace measurement.
const nanoseconds = process.hrtime.bigint.bind(process.hrtime);

/** Milliseconds that never jump, for measuring the pace of calls. */
export function monotonicMs(): number {
	return Number(nanoseconds()) / 1e6;
}
