import type { Purchase } from '../../../purchase/contract';

/** The parts of a purchase that differ between the kinds of renewals. */
export type Renewal<Seen> = Pick<
	Purchase<Seen>,
	'words' | 'prepare' | 'look' | 'insteadOfBuying' | 'compare' | 'excess' | 'showsWithinMs'
>;
