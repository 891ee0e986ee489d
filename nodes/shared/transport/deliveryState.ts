import {
	CancelledError,
	HttpStatusError,
	NetworkError,
	ApiError,
	InvalidResponseError,
	type CallError,
} from './callErrors';
import { codeMeaning } from '../service/codes';

/**
 * What a failed purchase says about the work:
 * - `notSent`: nothing left this machine;
 * - `turnedAway`: this delivery was not carried out, because of its key, its time or the pace. Where a gateway
 *   delivers one request twice, the other delivery may have been;
 * - `refused`: nothing was done; the same request would be refused again;
 * - `unclear`: it may have been done.
 */
export type DeliveryState = 'notSent' | 'turnedAway' | 'refused' | 'unclear';

function deliveryStateOfRefusal(error: ApiError): DeliveryState {
	const meaning = codeMeaning(error.endpoint, error.code);
	// An unknown code doesn't tell whether money was spent
	if (meaning === undefined || meaning.leavesOpen === true) return 'unclear';
	return meaning.retry === undefined ? 'refused' : 'turnedAway';
}

/** How much a failed purchase proves. Everything that is not known to be harmless is unclear. */
export function deliveryStateOf(error: CallError): DeliveryState {
	if (error.isBeforeRequest === true) return 'notSent';
	if (error instanceof ApiError) return deliveryStateOfRefusal(error);
	if (error instanceof NetworkError) return error.failure.mayHaveArrived ? 'unclear' : 'notSent';
	if (error instanceof CancelledError) return error.inFlight ? 'unclear' : 'notSent';
	if (error instanceof HttpStatusError || error instanceof InvalidResponseError) return 'unclear';
	return 'notSent';
}
