import { HOSTILE_PAGES, PARTS, repeated, SIZE } from '../../harness/hostilePages/pages.mts';
import {
	longestPiece,
	TEXT_READERS,
	type TextReader,
} from '../../harness/hostilePages/readers.mts';
import { shareOf, triesAll } from '../fullMatrices.mts';

/** Processor time of this process in ms: others on the machine do not count. */
function processorTime(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

// Twice what is allowed: the collector of garbage works for all pieces, in threads of its own
const LONGEST_MS = 400;

// A quarter of the size shows what grows faster than the text; "npm run fuzz" takes all of it, each reader every
// part, and all pages, which `page-hostile` of the benchmarks measures as well
const TEXT_SIZE = triesAll ? SIZE : SIZE / 4;

/** The first time, it is not compiled yet. */
async function slowestOf(read: TextReader, text: string): Promise<number> {
	const ms = await longestPiece(() => read(text), processorTime);
	return ms > LONGEST_MS ? Math.min(ms, await longestPiece(() => read(text), processorTime)) : ms;
}

it.each(Object.entries(TEXT_READERS).map(([name, read], row) => [name, row, read] as const))(
	'%s holds up nothing (%i)',
	async (_name, row, read) => {
		const slow: Array<readonly [part: string, ms: number]> = [];
		for (const part of shareOf(PARTS, 6, row)) {
			const ms = await slowestOf(read, repeated(part, TEXT_SIZE));
			if (ms > LONGEST_MS) slow.push([part, Math.round(ms)]);
		}
		expect(slow).toEqual([]);
	},
	600_000,
);

it.each(shareOf(HOSTILE_PAGES, 2, 0))(
	'$name holds up nothing',
	async ({ reader, text }) => {
		expect(await slowestOf(TEXT_READERS[reader], text())).toBeLessThan(LONGEST_MS);
	},
	600_000,
);
