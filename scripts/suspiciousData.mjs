// @ts-check
/** Data that scanners take for hidden code, whatever it is for: libraries bring it along. */

/** A text in quotes that has no white space, longer than any sentence, address, or pattern. */
const PACKED_TABLE = /(["'`])(?:\\.|(?!\1)[^\s\\]){4000,}\1/g;

const SIGNS = [
	{
		what: 'letters of two alphabets in one word',
		pattern: /[a-z][\u0370-\u04FF]|[\u0370-\u04FF][a-z]/i,
	},
	{
		what: 'a long run of escaped characters',
		pattern: /(?:\\u[\da-f]{4}|\\x[\da-f]{2}){12,}/i,
		isOfTables: true,
	},
];

const DOMAIN = /\b[a-z\d-]+\.(?:app|cn|co|com|dev|io|jp|me|net|org|uk)\b/g;

/** More than the service and the documentation have. */
const MOST_DOMAINS = 60;

/**
 * @param {string} code of a built file
 * @param {number} [knownTables] how many packed tables it is known to have; their letters may be escaped
 * @returns {string[]} what was found, in words
 */
export function suspiciousData(code, knownTables = 0) {
	const tables = code.match(PACKED_TABLE)?.length ?? 0;
	const domains = new Set(code.match(DOMAIN));
	return [
		...SIGNS.filter(
			({ isOfTables = false, pattern }) => !(isOfTables && knownTables > 0) && pattern.test(code),
		).map(({ what }) => what),
		...(tables > knownTables ? [`${tables} packed tables rather than ${knownTables}`] : []),
		...(domains.size > MOST_DOMAINS ? [`a list of ${domains.size} domains`] : []),
	];
}
