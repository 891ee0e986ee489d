import { HOSTILE_PAGES } from '../../harness/hostilePages/pages.mts';
import { TEXT_READERS } from '../../harness/hostilePages/readers.mts';
import { shareOf } from '../fullMatrices.mts';
import { LONGEST_MS, slowestPiece } from './slowestPiece.mts';

// "npm run fuzz" takes all pages, which `page-hostile` of the benchmarks measures as well
it.each(shareOf(HOSTILE_PAGES, 2, 0))(
	'$name holds up nothing',
	async ({ reader, text }) => {
		expect(await slowestPiece(TEXT_READERS[reader], text())).toBeLessThan(LONGEST_MS);
	},
	600_000,
);
