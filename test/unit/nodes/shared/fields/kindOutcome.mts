import { NoTextError, type ValueKind } from '../../../../../nodes/shared/fields/field.ts';

/** What becomes of a value: the text that is sent, nothing, or a refusal. */
export function outcome(kind: ValueKind, value: unknown): string | undefined {
	try {
		const text = kind.toText(value);
		return text === undefined || kind.accepts(text) ? text : `refused ${text}`;
	} catch (error) {
		if (error instanceof NoTextError) return 'no text';
		throw error;
	}
}

/** Have no sensible text for any of the kinds. */
export const NO_TEXT: unknown[] = [
	NaN,
	Infinity,
	-Infinity,
	{},
	{ a: 1 },
	12n,
	() => 1,
	Symbol('1'),
	new Date(0),
];

export const EMPTY: unknown[] = [undefined, null, '', '  ', '\n', '\u3000'];
