import { Slots } from '../../../shared/api/wait';
import { DescribedError } from '../../../shared/api/errors';
import type { OpenedPages } from '../output/openedPages';
import type { PageOutput } from '../output/pageOutput';
import type { PageResult } from '../run/pageResult';
import type { PageRun } from '../run/pageRun';
import { CrawlReport } from './crawlReport';
import { robotsOf, type Robots } from './robots';

/** After so many in a run that cannot be read, no other site is asked for its robots.txt: each costs proxies. */
const MOST_UNREADABLE = 5;

/** Number of sites that are asked at the same time, besides those where crawls start. */
const SITES_AT_ONCE = 3;

/** Stands for a robots.txt that was not asked for. */
const NOT_ASKED: Robots = {
	allows: () => false,
	sitemaps: [],
	failure: new DescribedError({
		message: 'It was not asked for',
		description: `The robots.txt of ${MOST_UNREADABLE} other sites could not be read.`,
	}),
};

/** Tells apart the robots.txt of sites, and what it says to whom. */
function robotsKey(url: string, userAgent: string): string {
	return `${new URL(url).origin} ${userAgent}`;
}

/** Everything that the crawls of a run share. */
export class CrawlRun {
	readonly report = new CrawlReport();

	/** Answers to the requests for a robots.txt, by origin and user agent: each is asked for once. */
	private readonly robots = new Map<string, Promise<Robots>>();

	private readonly slots = new Slots(SITES_AT_ONCE);

	private unreadable = 0;

	constructor(
		readonly pageRun: PageRun,
		readonly output: PageOutput,
		readonly openedPages: OpenedPages,
	) {}

	hasAskedForRobots(url: string, userAgent: string): boolean {
		return this.robots.has(robotsKey(url, userAgent));
	}

	/**
	 * The rules of the site that has a page.
	 *
	 * @param userAgent somebody typed; empty for a browser
	 * @param isStart whether a crawl starts at the site, which is then asked in any case, and not behind others
	 * @param open opens an address through a proxy
	 */
	async robotsFor(
		url: string,
		userAgent: string,
		isStart: boolean,
		open: (url: string) => Promise<PageResult>,
	): Promise<Robots> {
		const { origin } = new URL(url);
		const key = robotsKey(url, userAgent);
		const asked = this.robots.get(key) ?? this.askForRobots(origin, userAgent, isStart, open);
		this.robots.set(key, asked);
		const robots = await asked;
		if (robots.failure !== undefined) this.report.noteUnreadableRobots(origin, robots.failure);
		return robots;
	}

	private async askForRobots(
		origin: string,
		userAgent: string,
		isStart: boolean,
		open: (url: string) => Promise<PageResult>,
	): Promise<Robots> {
		const free = isStart ? undefined : await this.slots.acquire();
		try {
			if (!isStart && this.unreadable >= MOST_UNREADABLE) return NOT_ASKED;
			const robots = robotsOf(await open(`${origin}/robots.txt`), userAgent);
			if (robots.failure !== undefined) this.unreadable += 1;
			return robots;
		} finally {
			free?.();
		}
	}
}
