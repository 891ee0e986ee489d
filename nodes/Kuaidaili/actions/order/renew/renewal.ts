import type { IDataObject } from 'n8n-workflow';

import type { UnknownRecord } from '../../../../shared/guards';
import { isTestEvent } from '../../../../shared/testEvent';
import type { Purchase } from '../../../purchase/contract';

/** The parts of a purchase that differ between the kinds of renewals. */
export interface Renewal<State>
	extends Pick<
		Purchase<State>,
		'words' | 'prepare' | 'readState' | 'insteadOfBuying' | 'compare' | 'findDuplicate'
	> {
	/** Whether an answer says no more than was known before: a cache on the way may repeat an old one. */
	isOldAnswer(answer: UnknownRecord, before: State): boolean;
}

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
