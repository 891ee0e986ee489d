import { CallError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { describeFailure } from '../../../../../nodes/shared/transport/describeFailure.ts';

/** What all texts for the user have in common. */
export function check(error: CallError): ReturnType<typeof describeFailure> {
	const text = describeFailure(error);
	expect(text.message).not.toMatch(/[.:]$|\s$|undefined|NaN|\[object/);
	expect(text.description).toMatch(/^[A-Z'0-9]/);
	expect(text.description).not.toMatch(/\s$| {2}|undefined|NaN|\[object/);
	return text;
}
