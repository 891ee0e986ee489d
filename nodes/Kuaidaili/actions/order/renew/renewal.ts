import type { IDataObject } from 'n8n-workflow';

import { isTestEvent } from '../../../../shared/testEvent';
import type { Purchase } from '../../../purchase/contract';

/** The parts of a purchase that differ between the kinds of renewals. */
export type Renewal<State> = Pick<
	Purchase<State>,
	| 'words'
	| 'prepare'
	| 'readState'
	| 'insteadOfBuying'
	| 'compare'
	| 'findDuplicate'
	| 'showsWithinMs'
>;

const REASON =
	"This is a test event of Kuaidaili Trigger, so nothing was bought. A real event renews the order now. To renew in a test, set 'Renew' to 'Always'.";

/**
 * The output for an order that a test of the trigger brought: testing a workflow must not cost anything.
 *
 * @param json what came in
 * @param shown of the order
 * @returns undefined for any other item
 */
export function skippedForTestEvent(
	json: IDataObject,
	shown: IDataObject,
): IDataObject | undefined {
	return isTestEvent(json) ? { renewed: false, reason: REASON, ...shown } : undefined;
}
