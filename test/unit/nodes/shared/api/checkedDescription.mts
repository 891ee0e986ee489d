import type { CallError, FailureText } from '../../../../../nodes/shared/api/errors.ts';

/** What all texts for the user have in common. */
export function check(error: CallError): FailureText {
	const text = error.describe();
	expect(text.message).not.toMatch(/[.:]$|\s$|undefined|NaN|\[object/);
	expect(text.description).toMatch(/^[A-Z'0-9]/);
	expect(text.description).not.toMatch(/\s$| {2}|undefined|NaN|\[object/);
	return text;
}
