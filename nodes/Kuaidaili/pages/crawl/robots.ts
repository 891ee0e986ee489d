import type { PageResult } from '../run/pageResult';
import { comparable, LONGEST_FOLLOWED_URL, WildcardPattern } from './addresses';

/** Rules of a site for those who follow links. */
export interface Robots {
	/** Whether a page of the site may be requested. */
	allows(url: string): boolean;
	/** Absolute addresses of the sitemaps that it names, in their order. */
	readonly sitemaps: readonly string[];
	/** Reason why it could not be read, and so forbids everything; undefined for a readable one. */
	readonly failure?: Error;
}

/** RFC 9309 (2.5) wants at least 500 KiB to be read. */
const MOST_CHARACTERS = 512_000;

const MOST_SITEMAPS_NAMED = 1000;

/** Rules of a group that are read; real sites have some hundred. A page is compared with all of them in one piece of work. */
const MOST_RULES = 3000;

/** Rules that stand for a robots.txt that cannot be read. */
const FORBIDS_ALL = 'User-agent: *\nDisallow: /';

/** Names of lines, with misspellings that search engines accept. */
const LINE_NAMES = new Map([
	...['user-agent', 'user agent', 'useragent'].map((name) => [name, 'agent'] as const),
	...['disallow', 'dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw'].map(
		(name) => [name, 'disallow'] as const,
	),
	['allow', 'allow'],
	...['sitemap', 'site-map'].map((name) => [name, 'sitemap'] as const),
]);

/** A rule of a robots.txt, compiled. By its `length`, as it is written, it goes before others. */
function compileRule(isAllowed: boolean, value: string) {
	const text = comparable(value);
	// A `$` fixes its end, and anywhere else it stands for itself
	const whole = text.endsWith('$') ? text.slice(0, -1) : `${text}*`;
	const pattern = new WildcardPattern(whole.replaceAll('$', '%24'));
	return { isAllowed, pattern, length: text.length };
}

/** Name of a program without its version and address, such as "sogou web spider" of "Sogou web spider/4.0 (+http://…)". */
function programName(agent: string): string {
	const [name] = agent
		.slice(0, 500)
		.replace(/^mozilla\/[\d.]+ ?\(compatible; ?/i, '')
		.split(/[/(;,]|\s\+?https?:/i, 1);
	// A star is the whole name, whatever words stand behind it
	return name
		.trim()
		.replace(/^\*\s.*$/s, '*')
		.replace(/\s+v?\d[\d.]*$/i, '')
		.toLowerCase();
}

/** Name and value of a line, as "Disallow: /a" or "disallow /a" has them; undefined for any other. */
function readLine(line: string): readonly [name: string, value: string] | undefined {
	const [said] = line.split('#', 1);
	const text = said.trim();
	const colon = text.indexOf(':');
	// Without a colon, it ends the name only where there are two words
	const [word, second, third] = colon < 0 ? text.split(/\s+/, 3) : [];
	const isTwoWords = second !== undefined && third === undefined;
	const name = colon < 0 ? (isTwoWords ? word : '') : text.slice(0, Math.min(colon, 50));
	const kind = LINE_NAMES.get(name.trim().toLowerCase());
	if (kind === undefined) return undefined;
	return [kind, colon < 0 ? second : text.slice(colon + 1).trim()];
}

function parseRobots(text: string) {
	/** Rules as they are written. Agents of a group share it: a copy for each of thousands would take all memory. */
	let group: Array<readonly [isAllowed: boolean, value: string]> = [];
	/** Groups of each agent; one of several agents is the same for all of them. */
	const groups = new Map<string, Set<Readonly<typeof group>>>();
	/** Sitemaps, which belong to no group. */
	const sitemaps: string[] = [];
	let hasRules = false;
	for (const line of text.slice(0, MOST_CHARACTERS).split(/[\r\n]+/)) {
		const [name, value = ''] = readLine(line) ?? [];
		if (name === 'agent') {
			if (hasRules) group = [];
			hasRules = false;
			const agent = programName(value);
			// One without rules allows everything
			const ofAgent = groups.get(agent) ?? new Set();
			groups.set(agent, ofAgent.add(group));
		} else if (name === 'allow' || name === 'disallow') {
			hasRules = true;
			// One without a value says nothing; one that is longer than addresses are matches none
			if (value === '' || value.length > 3 * LONGEST_FOLLOWED_URL) continue;
			group.push([name === 'allow', value]);
		} else if (name === 'sitemap' && sitemaps.length < MOST_SITEMAPS_NAMED) sitemaps.push(value);
	}
	return { groups, sitemaps };
}

/** Whether a name stands in a user agent as a whole, as "MyBot" does in "Mozilla/5.0 (compatible; MyBot/1.0)". */
function isNamedIn(userAgent: string, name: string): boolean {
	if (name === '' || name === '*') return false;
	for (let at = userAgent.indexOf(name); at >= 0; at = userAgent.indexOf(name, at + 1)) {
		const [before, after] = [userAgent[at - 1] ?? ' ', userAgent[at + name.length] ?? ' '];
		if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return true;
	}
	return false;
}

/** The agent whose groups count: the longest that the user agent names, or `*`. */
function agentFor(userAgent: string, agents: Iterable<string>): string {
	const withoutAddresses = userAgent.replace(/\+?https?:\/\/[^\s;)]*/gi, ' ').toLowerCase();
	let chosen = '*';
	for (const agent of agents) {
		const isLonger = chosen === '*' || agent.length > chosen.length;
		if (isLonger && isNamedIn(withoutAddresses, agent)) chosen = agent;
	}
	return chosen;
}

/** Sign of the path that a rule must not take for its own. */
function escapeSigns(path: string): string {
	return path.replaceAll('*', '%2A').replaceAll('$', '%24');
}

/**
 * Reads the rules of a site by RFC 9309.
 *
 * @param url address of the robots.txt, to which those of sitemaps are relative
 * @param userAgent user agent that somebody typed, whose own groups then go before those of `*`; empty for a browser
 */
export function readRobots(text: string, url: string, userAgent: string): Robots {
	const { groups, sitemaps } = parseRobots(text);
	const ofAgent = [...(groups.get(agentFor(userAgent, groups.keys())) ?? [])].flat();
	const rules = ofAgent
		.slice(0, MOST_RULES)
		.map(([isAllowed, value]) => compileRule(isAllowed, value));
	// The longest one that matches counts, and what allows goes before what forbids
	rules.sort((a, b) => b.length - a.length || Number(b.isAllowed) - Number(a.isAllowed));
	return {
		allows(page) {
			const { pathname, search } = new URL(page);
			const path = escapeSigns(comparable((pathname + search).slice(0, LONGEST_FOLLOWED_URL)));
			return rules.find(({ pattern }) => pattern.matches(path))?.isAllowed ?? true;
		},
		sitemaps: sitemaps
			.filter((sitemap) => URL.canParse(sitemap, url))
			.map((sitemap) => new URL(sitemap, url).href)
			.filter((sitemap) => /^https?:/.test(sitemap)),
	};
}

/** Rules of a site by the answer to the request for its robots.txt (RFC 9309, 2.3.1). */
export function robotsOf(result: PageResult, userAgent: string): Robots {
	const { url, outcome, statusCode = 0, content, error } = result;
	const isOfSite = outcome === 'status' || outcome === 'blocked';
	const isMissing = isOfSite && statusCode >= 400 && statusCode < 500;
	const failure = isMissing ? undefined : error;
	const text = error === undefined ? content?.text : failure && FORBIDS_ALL;
	return { ...readRobots(text ?? '', url, userAgent), failure };
}
