/** In URLs, these characters are the same with and without percent encoding (RFC 3986, 2.3). */
const UNRESERVED = /[\w.~-]/;

/**
 * One spelling for all that RFC 9309 (2.2.2) calls the same: what need not be encoded is plain, everything else is
 * encoded in capitals.
 */
export function comparable(text: string): string {
	return text
		.replace(/\p{Surrogate}/gu, '\uFFFD')
		.replace(/[^\x21-\x7e]+/gu, encodeURIComponent)
		.replace(/%[\da-f]{2}/gi, (code) => {
			const character = String.fromCharCode(parseInt(code.slice(1), 16));
			return UNRESERVED.test(character) ? character : code.toUpperCase();
		});
}

/**
 * Whether a text is what a pattern describes, in which `*` stands for anything, also for nothing. Not by a regular
 * expression: patterns of sites are untrusted, and some of those would take for ever.
 */
export function isMatch(pattern: string, text: string): boolean {
	const [first, ...rest] = pattern.split('*');
	const last = rest.pop();
	if (!text.startsWith(first)) return false;
	if (last === undefined) return text === first;
	let from = first.length;
	for (const part of rest) {
		const at = text.indexOf(part, from);
		if (at < 0) return false;
		from = at + part.length;
	}
	return text.endsWith(last) && text.length - last.length >= from;
}
