import type { PageResult } from '../run/pageResult';

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

/** RFC 9309 (2.5) wants at least 500 KiB to be read. */
const MOST_CHARACTERS = 512_000;

/** What one that cannot be read is taken for. */
const FORBIDS_ALL = 'User-agent: *\nDisallow: /';

function toRule(name: string, value: string) {
	const text = comparable(value);
	// A `$` fixes its end, and anywhere else it stands for itself
	const whole = text.endsWith('$') ? text.slice(0, -1) : `${text}*`;
	const pattern = whole.replaceAll('$', '%24');
	return { isAllowed: name === 'allow', pattern, length: text.length };
}

type Rule = ReturnType<typeof toRule>;

/** The rules of each agent, in lower case, from all of its groups; and the sitemaps, which belong to no group. */
function parse(text: string): { groups: Map<string, Rule[]>; sitemaps: string[] } {
	const groups = new Map<string, Rule[]>();
	const sitemaps: string[] = [];
	let agents: string[] = [];
	let hasRules = false;
	for (const line of text.slice(0, MOST_CHARACTERS).split(/\r\n|\r|\n/)) {
		const [, key, entered] = /^[\s\uFEFF]*([\w-]+)\s*:([^#]*)/.exec(line) ?? [];
		const [name, value = ''] = [key?.toLowerCase(), entered?.trim()];
		if (name === 'user-agent') {
			if (hasRules) agents = [];
			hasRules = false;
			agents.push(value.toLowerCase());
		} else if (name === 'allow' || name === 'disallow') {
			hasRules = true;
			for (const agent of agents) {
				const rules = groups.get(agent) ?? [];
				groups.set(agent, rules);
				// One without a value says nothing
				if (value !== '') rules.push(toRule(name, value));
			}
		} else if (name === 'sitemap') sitemaps.push(value);
	}
	return { groups, sitemaps };
}

/** Names of programs, such as "mybot" of "Mozilla/5.0 (compatible; MyBot/1.0)". */
function tokensOf(userAgent: string): string[] {
	return [...userAgent.matchAll(/[a-z_-]+(?=\/|$)/gi)].map(([token]) => token.toLowerCase());
}

/**
 * What a site wants of those who follow links, by RFC 9309.
 *
 * @param userAgent what somebody typed, whose own groups then go before those of `*`; empty for a browser
 */
export function readRobots(text: string, url: string, userAgent: string) {
	const { groups, sitemaps } = parse(text);
	const named = tokensOf(userAgent).filter((token) => groups.has(token));
	const agents = named.length > 0 ? named : ['*'];
	// The longest one that matches counts, and what allows goes before what forbids
	const rules = agents
		.flatMap((agent) => groups.get(agent) ?? [])
		.sort((a, b) => b.length - a.length || Number(b.isAllowed) - Number(a.isAllowed));
	return {
		/** Whether a page of the site may be requested. */
		allows(page: string) {
			const { pathname, search } = new URL(page);
			const path = comparable(pathname + search)
				.replaceAll('*', '%2A')
				.replaceAll('$', '%24');
			return rules.find(({ pattern }) => isMatch(pattern, path))?.isAllowed ?? true;
		},
		/** Absolute, in their order. */
		sitemaps: sitemaps
			.filter((sitemap) => URL.canParse(sitemap, url))
			.map((sitemap) => new URL(sitemap, url).href)
			.filter((sitemap) => /^https?:/.test(sitemap)),
	};
}

/** What the robots.txt of a site says, by whatever came of asking for it (RFC 9309, 2.3.1). */
export function robotsOf(result: PageResult, userAgent: string) {
	const { url, outcome, statusCode = 0, content, error } = result;
	const isOfSite = outcome === 'status' || outcome === 'blocked';
	const isMissing = isOfSite && statusCode >= 400 && statusCode < 500;
	const failure = isMissing ? undefined : error;
	const text = error === undefined ? content?.text : failure && FORBIDS_ALL;
	return { ...readRobots(text ?? '', url, userAgent), failure };
}
