import type { Purchase } from '../../../purchase/purchase';

/** What differs from one kind of order to the other. */
export type Renewal<Seen> = Pick<
	Purchase<Seen>,
	'words' | 'prepare' | 'look' | 'insteadOfBuying' | 'compare' | 'excess' | 'showsWithinMs'
>;
