/** A whole text of JSON, or a number in it. Texts are matched first, so that digits inside stay alone. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Integers of up to 15 digits are always exact in JavaScript. */
const MAY_HOLD_LARGE_INTEGER = /\d{16}/;

/**
 * JSON.parse, but integers beyond JavaScript's exact range become texts with all their digits:
 * order numbers have 15 or 16 digits, and a changed digit is another order.
 *
 * @throws SyntaxError as JSON.parse does
 */
export function parseExactJson(text: string): unknown {
	if (!MAY_HOLD_LARGE_INTEGER.test(text)) return JSON.parse(text);
	// Quoting a number must not turn invalid JSON into valid JSON
	JSON.parse(text);
	const quoted = text.replace(TEXT_OR_NUMBER, (token) => {
		const isLargeInteger = /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
		return isLargeInteger ? `"${token}"` : token;
	});
	return JSON.parse(quoted);
}
