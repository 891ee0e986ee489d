/** A JSON string or number. Strings are matched as a whole, so that digits inside them stay untouched. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Integers of fewer digits are always exact in JavaScript. */
const FEWEST_DIGITS = 16;

function isDigit(text: string, position: number): boolean {
	const code = text.charCodeAt(position);
	return code >= 48 && code <= 57;
}

/**
 * Whether so many digits stand in a row. A row of them covers one of the positions that are looked at;
 * a regular expression looks at each, and took as long for 2,000 proxies as reading the JSON.
 */
function mayHoldLargeInteger(text: string): boolean {
	for (let at = FEWEST_DIGITS - 1; at < text.length; at += FEWEST_DIGITS) {
		let begin = at;
		while (isDigit(text, begin) && begin > at - FEWEST_DIGITS) begin -= 1;
		let end = at;
		while (isDigit(text, end) && end - begin <= FEWEST_DIGITS) end += 1;
		if (end - begin > FEWEST_DIGITS) return true;
	}
	return false;
}

/**
 * JSON.parse, except that integers beyond JavaScript's exact range become strings with all their digits:
 * order numbers have 15 or 16 digits, and with a changed digit it would be another order.
 *
 * @throws SyntaxError as JSON.parse does
 */
export function parseExactJson(text: string): unknown {
	if (!mayHoldLargeInteger(text)) return JSON.parse(text);
	// Quoting a number must not turn invalid JSON into valid JSON
	JSON.parse(text);
	const quoted = text.replace(TEXT_OR_NUMBER, (token) => {
		const isLargeInteger = /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
		return isLargeInteger ? `"${token}"` : token;
	});
	return JSON.parse(quoted);
}
