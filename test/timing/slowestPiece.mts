import { longestPiece, type TextReader } from '../../harness/hostilePages/readers.mts';

// Twice what is allowed: the collector of garbage works for all pieces, in threads of its own
export const LONGEST_MS = 400;

/** Processor time of this process in ms: others on the machine do not count. */
function processorTime(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

/**
 * The longest time for which a reader lets nothing else run, in milliseconds of processor time: of two readings, because
 * the reader is not compiled yet in the first one.
 */
export async function slowestPiece(read: TextReader, text: string): Promise<number> {
	const ms = await longestPiece(() => read(text), processorTime);
	return ms > LONGEST_MS ? Math.min(ms, await longestPiece(() => read(text), processorTime)) : ms;
}
