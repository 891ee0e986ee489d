import { wordsOf } from '../../../shared/api/callErrors';
import { formatNumber, plural } from '../../../shared/wording';

/** So many pages led to one address that no link has: most likely a captcha or a login. */
const FEWEST_LED_ASTRAY = 3;

/** Number of addresses that are told apart to find such a one. */
const MOST_TARGETS = 1000;

/** Everything that the crawls of a run left out, for the hints at its end. */
export class CrawlReport {
	/** Links that a robots.txt forbids. */
	forbiddenLinks = 0;

	/** Links for which *Max Pages* had no room. */
	linksBeyondMaxPages = 0;

	/** Pages that redirected to one that was opened before. */
	duplicates = 0;

	/** Pages that redirected to where a crawl does not go. */
	misledPages = 0;

	/** Sitemaps that could not be read, or are too many. */
	unreadSitemaps = 0;

	/** Links that were followed because nothing says which. */
	linksOfEmptyFollow = 0;

	/** Reasons why a robots.txt could not be read, by site. */
	private readonly unreadableRobots = new Map<string, Error>();

	/** Numbers of pages that redirected to an address that no link has, by that address. */
	private readonly targets = new Map<string, number>();

	/** Whole sentences. */
	private readonly notes = new Set<string>();

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
		const reasons = [
			this.forbiddenLinks > 0 && `${formatNumber(this.forbiddenLinks)} because of robots.txt`,
			this.linksBeyondMaxPages > 0 &&
				`${formatNumber(this.linksBeyondMaxPages)} because of 'Max Pages'`,
		].filter(Boolean);
		const counted = [
			this.linksOfEmptyFollow > 0 &&
				`'Follow' is empty, so all links of the site were followed: ${formatNumber(this.linksOfEmptyFollow)}.`,
			reasons.length > 0 && `Links not followed: ${reasons.join(', ')}.`,
			this.duplicates > 0 &&
				`Left out, because they redirect to pages that were opened: ${formatNumber(this.duplicates)}.`,
			this.misledPages > 0 &&
				`Left out, because they redirect to other sites, or to what 'Except' or robots.txt leaves out: ${formatNumber(this.misledPages)}.`,
			this.unreadSitemaps > 0 && `Sitemaps not read: ${formatNumber(this.unreadSitemaps)}.`,
			this.robotsHint,
		].filter((hint) => typeof hint === 'string');
		return [...counted, ...this.trapHints, ...this.notes];
	}
}
