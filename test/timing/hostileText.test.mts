import { PARTS, repeated, SIZE } from '../../harness/hostilePages/pages.mts';
import { TEXT_READERS } from '../../harness/hostilePages/readers.mts';
import { shareOf, triesAll } from '../fullMatrices.mts';
import { LONGEST_MS, slowestPiece } from './slowestPiece.mts';

// A quarter of the size shows what grows faster than the text; "npm run fuzz" takes all of it, each reader every part
const TEXT_SIZE = triesAll ? SIZE : SIZE / 4;

it.each(Object.entries(TEXT_READERS).map(([name, read], row) => [name, row, read] as const))(
	'%s holds up nothing (%i)',
	async (_name, row, read) => {
		const slow: Array<readonly [part: string, ms: number]> = [];
		for (const part of shareOf(PARTS, 12, row)) {
			const ms = await slowestPiece(read, repeated(part, TEXT_SIZE));
			if (ms > LONGEST_MS) slow.push([part, Math.round(ms)]);
		}
		expect(slow).toEqual([]);
	},
	600_000,
);
