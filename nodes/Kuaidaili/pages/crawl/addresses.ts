/** Longest address that is followed, in characters: servers take no longer ones. */
export const LONGEST_FOLLOWED_URL = 8000;

/** In URLs, these characters mean the same with and without percent encoding (RFC 3986, 2.3). */
const UNRESERVED = /[\w.~-]/;

/**
 * One spelling for all that RFC 9309 (2.2.2) calls the same: what need not be encoded is plain, everything else that is
 * not reserved is encoded, in capitals.
 */
export function comparable(text: string): string {
	return text
		.replace(/\p{Surrogate}/gu, '\uFFFD')
		.replace(/[^\x21-\x7e]+|["<>\\^`{|}]+/gu, encodeURIComponent)
		.replace(/%[\da-f]{2}/gi, (code) => {
			const character = String.fromCharCode(parseInt(code.slice(1), 16));
			return UNRESERVED.test(character) ? character : code.toUpperCase();
		});
}

/** Address of a link as it is requested: a login and a fragment are none of it. */
export function followedUrl(link: string): string {
	const address = new URL(link);
	address.username = '';
	address.password = '';
	address.hash = '';
	return address.href;
}

/** Names of the values in a query that only tell from where a visitor comes. */
const TRACKING = /^(?:utm_\w*|gclid|fbclid|spm)$/i;

/**
 * One spelling of an address by which pages are told apart: without what tells where a visitor comes from or which one it
 * is, without a slash at its end, and with the values of its query in one order.
 */
export function pageKey(url: string): string {
	const address = new URL(followedUrl(url));
	const path = address.pathname.replace(/;jsessionid=[^/;]*/gi, '');
	address.pathname = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
	const values = address.search.slice(1).split('&');
	const telling = values.filter((value) => value !== '' && !TRACKING.test(value.split('=', 1)[0]));
	address.search = telling.sort().join('&');
	return comparable(address.href);
}

/** Host of an address, which is the same with and without `www.`, such as "example.com" or "example.com:8080". */
export function siteHostOf(url: string): string {
	return new URL(url).host.replace(/^www\./, '');
}

/**
 * Description of texts, in which `*` stands for anything, also for nothing. Not a regular expression: patterns of sites
 * are untrusted, and some of those would take for ever.
 */
export class WildcardPattern {
	/** Literal texts between the wildcards. */
	private readonly parts: readonly string[];

	private readonly shortestMatch: number;

	constructor(pattern: string) {
		this.parts = pattern.split('*').filter((part, at, all) => part !== '' || isEnd(at, all));
		this.shortestMatch = this.parts.reduce((sum, { length }) => sum + length, 0);
	}

	/** Whether the whole text is what the pattern describes. */
	matches(text: string): boolean {
		const { parts, shortestMatch } = this;
		if (shortestMatch > text.length || !text.startsWith(parts[0])) return false;
		if (parts.length === 1) return text.length === parts[0].length;
		const last = parts[parts.length - 1];
		let from = parts[0].length;
		for (let at = 1; at < parts.length - 1; at += 1) {
			const found = text.indexOf(parts[at], from);
			if (found < 0) return false;
			from = found + parts[at].length;
		}
		return text.endsWith(last) && text.length - last.length >= from;
	}
}

function isEnd(at: number, { length }: readonly string[]): boolean {
	return at === 0 || at === length - 1;
}

/** Tells of an address whether one of the patterns describes it, whatever its case and its encoding. */
export function addressMatcher(patterns: readonly string[]): (url: string) => boolean {
	const compiled = patterns.map(
		(pattern) => new WildcardPattern(comparable(pattern).toLowerCase()),
	);
	return (url) => {
		const address = comparable(url).toLowerCase();
		return compiled.some((pattern) => pattern.matches(address));
	};
}
