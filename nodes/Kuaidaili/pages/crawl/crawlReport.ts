import { wordsOf } from '../../../shared/api/errors';
import { formatNumber, plural } from '../../../shared/wording';

/** So many pages led to one address that no link has: most likely a captcha or a login. */
const FEWEST_LED_ASTRAY = 3;

/** Number of addresses that are told apart to find such a one. */
const MOST_TARGETS = 1000;

/** Everything that is counted of the crawls of a run, each with its sentence. */
const LEFT_OUT = {
	followedAll: "'Follow' is empty, so all links of the site were followed: {count}.",
	forbidden: 'Links not followed: {count} because of robots.txt.',
	beyondMaxPages: "Links not followed: {count} because of 'Max Pages' in 'Options'.",
	duplicates: 'Left out, because they are pages that were opened under other addresses: {count}.',
	misled:
		"Left out, because they redirect to other sites, or to what 'Except' or robots.txt leaves out: {count}.",
	unreadSitemaps: 'Sitemaps not read: {count}.',
} as const;

/** Everything that the crawls of a run left out, for the hints at its end. */
export class CrawlReport {
	private readonly counts = new Map<string, number>();

	/** Reasons why a robots.txt could not be read, by site. */
	private readonly unreadableRobots = new Map<string, Error>();

	/** Numbers of pages that redirected to an address that no link has, by that address. */
	private readonly targets = new Map<string, number>();

	/** Whole sentences. */
	private readonly notes = new Set<string>();

	count(what: keyof typeof LEFT_OUT, more = 1): void {
		this.counts.set(what, (this.counts.get(what) ?? 0) + more);
	}

	note(sentence: string): void {
		this.notes.add(sentence);
	}

	has(sentence: string): boolean {
		return this.notes.has(sentence);
	}

	noteUnreadableRobots(origin: string, error: Error): void {
		if (!this.unreadableRobots.has(origin)) this.unreadableRobots.set(origin, error);
	}

	/** Notes a page that redirected to an address that no link has. */
	noteTarget(url: string): void {
		const before = this.targets.get(url);
		if (before !== undefined || this.targets.size < MOST_TARGETS) {
			this.targets.set(url, (before ?? 0) + 1);
		}
	}

	/** Whether many pages led to an address that no link has, so that it stands for none of them. */
	isTrap(url: string): boolean {
		return (this.targets.get(url) ?? 0) >= FEWEST_LED_ASTRAY;
	}

	private get robotsHint(): string | undefined {
		const [first] = this.unreadableRobots;
		if (first === undefined) return undefined;
		const [origin, error] = first;
		const others = this.unreadableRobots.size - 1;
		const which =
			others === 0
				? `The robots.txt of ${origin} could not be read, and so forbids everything`
				: `The robots.txt of ${origin} and of ${plural(others, 'other site')} could not be read, and so forbids everything there`;
		return `${which}: ${wordsOf(error).join('. ')} To go on without it, turn off 'Respect Robots.txt' in 'Options'.`;
	}

	private get trapHints(): string[] {
		const traps = [...this.targets].filter(([url]) => this.isTrap(url));
		return traps.map(
			([url, pages]) =>
				`${plural(pages, 'page')} redirected to ${url}, to which no link leads. If that is a captcha or a login, enter a part of the address in 'Retry If', 'Redirected To': those pages are then tried through other proxies.`,
		);
	}

	get hints(): string[] {
		const counted = Object.entries(LEFT_OUT).flatMap(([what, words]) => {
			const count = this.counts.get(what) ?? 0;
			return count > 0 ? [words.replace('{count}', formatNumber(count))] : [];
		});
		const { robotsHint } = this;
		const ofRobots = robotsHint === undefined ? [] : [robotsHint];
		return [...counted, ...ofRobots, ...this.trapHints, ...this.notes];
	}
}
