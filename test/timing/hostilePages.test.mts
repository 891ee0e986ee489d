import { HOSTILE_PAGES } from '../../harness/hostilePages/pages.mts';
import { TEXT_READERS } from '../../harness/hostilePages/readers.mts';
import { triesAll } from '../fullMatrices.mts';
import { LONGEST_MS, slowestPiece } from './slowestPiece.mts';

// One for each reader; "npm run fuzz" takes all pages, which `page-hostile` of the benchmarks measures as well
const TRIED = HOSTILE_PAGES.filter(
	({ reader }, index) =>
		triesAll || !HOSTILE_PAGES.slice(0, index).some((one) => one.reader === reader),
);

it.each(TRIED)(
	'$name holds up nothing',
	async ({ reader, text }) => {
		expect(await slowestPiece(TEXT_READERS[reader], text())).toBeLessThan(LONGEST_MS);
	},
	600_000,
);
