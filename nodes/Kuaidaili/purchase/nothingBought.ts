import {
	CallError,
	CancelledError,
	DescribedError,
	WrongKeyTypeError,
} from '../../shared/transport/callErrors';
import { describeFailure } from '../../shared/transport/describeFailure';

/** Errors whose text already says that nothing was bought. */
const PLAIN = [DescribedError, CancelledError, WrongKeyTypeError];

/** A failed call before a purchase would read as if the purchase itself had failed. */
export function withNothingBought(error: unknown): never {
	if (!(error instanceof CallError) || PLAIN.some((kind) => error instanceof kind)) throw error;
	const text = describeFailure(error);
	const note = 'This was a question before the purchase; nothing was bought for this item.';
	// Not as a note of the error itself: others may have waited for the same answer
	throw new DescribedError({ ...text, description: `${text.description} ${note}` });
}
