import {
	CancelledError,
	HttpStatusError,
	NoAnswerError,
	ServiceRefusedError,
	UnusableAnswerError,
	type CallError,
} from './callErrors';
import { codeMeaning } from '../service/codes';

/**
 * What a failed call says about the work:
 * - `notSent`: nothing was done, and sending again is allowed;
 * - `refused`: nothing was done; the same request would be refused again;
 * - `unclear`: it may have been done.
 */
export type Proof = 'notSent' | 'refused' | 'unclear';

function proofOfRefusal(error: ServiceRefusedError): Proof {
	const meaning = codeMeaning(error.endpoint, error.code);
	// What an unknown code means for the money is unknown too
	if (meaning === undefined || meaning.leavesOpen === true) return 'unclear';
	return meaning.reaction === undefined ? 'refused' : 'notSent';
}

/** How much a failed purchase proves. Everything that is not known to be harmless is unclear. */
export function proofOf(error: CallError): Proof {
	if (error.tokenFetch !== undefined) {
		return error.tokenFetch === 'beforeRequest' ? 'notSent' : 'unclear';
	}
	if (error instanceof ServiceRefusedError) return proofOfRefusal(error);
	if (error instanceof NoAnswerError) return error.failure.mayHaveArrived ? 'unclear' : 'notSent';
	if (error instanceof CancelledError) return error.inFlight ? 'unclear' : 'notSent';
	if (error instanceof HttpStatusError || error instanceof UnusableAnswerError) return 'unclear';
	return 'notSent';
}
