import {
	CallError,
	CancelledError,
	DescribedError,
	WrongKeyTypeError,
} from '../../shared/transport/callErrors';
import { describeFailure } from '../../shared/transport/describeFailure';

/** Failures that say themselves that nothing was bought. */
const PLAIN = [DescribedError, CancelledError, WrongKeyTypeError];

/** Questions before a purchase look like the purchase itself to whoever reads that one failed. */
export function withNothingBought(error: unknown): never {
	if (!(error instanceof CallError) || PLAIN.some((kind) => error instanceof kind)) throw error;
	const text = describeFailure(error);
	const note = 'This was a question before the purchase; nothing was bought for this item.';
	// Not as a note of the error itself: others may have waited for the same answer
	throw new DescribedError({ ...text, description: `${text.description} ${note}` });
}
