import { KeyedMutex } from '../../../shared/concurrency/wait';
import { DescribedError } from '../../../shared/errors/callErrors';
import type { PageResult } from '../run/pageResult';
import type { CrawlReport } from './crawlReport';
import { robotsOf, type Robots } from './robots';

/** After so many in a run that cannot be read, no other site is asked for its robots.txt: each costs proxies. */
const MOST_UNREADABLE = 5;

/** Number of sites that are asked at the same time. */
const SITES_AT_ONCE = 3;

/** Stands for a robots.txt that was not asked for. */
const NOT_ASKED: Robots = {
	allows: async () => await Promise.resolve(false),
	sitemaps: [],
	failure: new DescribedError({
		message: 'It was not asked for',
		description: `The robots.txt of ${MOST_UNREADABLE} other sites could not be read.`,
	}),
};

/** A request for the robots.txt of a site. */
interface RobotsQuery {
	/** Address of a page of the site. */
	readonly url: string;
	/** User agent that somebody typed; empty for a browser. */
	readonly userAgent: string;
	/** Whether a crawl starts at the site, which is then asked in any case. */
	readonly isStart: boolean;
	/** Opens an address for what stands there, through a proxy. */
	readonly open: (url: string) => Promise<PageResult>;
}

/** The robots.txt of the sites of a run, each asked for once. */
export class SiteRobots {
	/** Answers by origin and user agent. */
	private readonly asked = new Map<string, Promise<Robots>>();

	private readonly mutex = new KeyedMutex();

	private unreadable = 0;

	/** The check before: thousands of rules for thousands of pages are compared one after the other. */
	private lastCheck: Promise<unknown> = Promise.resolve();

	constructor(private readonly report: CrawlReport) {}

	async robotsFor(query: RobotsQuery): Promise<Robots> {
		const { origin } = new URL(query.url);
		const key = `${origin} ${query.userAgent}`;
		const asked = this.asked.get(key) ?? this.ask(query, origin);
		this.asked.set(key, asked);
		const robots = await asked;
		if (robots.failure !== undefined) this.report.noteUnreadableRobots(origin, robots.failure);
		return robots;
	}

	async isAllowed(robots: Robots, url: string): Promise<boolean> {
		const check = this.lastCheck.then(async () => await robots.allows(url));
		this.lastCheck = check.catch(() => undefined);
		return await check;
	}

	private async ask(query: RobotsQuery, origin: string): Promise<Robots> {
		const release = query.isStart
			? undefined
			: await this.mutex.lock(String(this.asked.size % SITES_AT_ONCE), undefined);
		try {
			if (!query.isStart && this.unreadable >= MOST_UNREADABLE) return NOT_ASKED;
			const robots = await robotsOf(await query.open(`${origin}/robots.txt`), query.userAgent);
			if (robots.failure !== undefined) this.unreadable += 1;
			return robots;
		} finally {
			release?.();
		}
	}
}
