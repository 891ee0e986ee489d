import { KeyedMutex } from '../../../shared/api/wait';
import { DescribedError } from '../../../shared/api/callErrors';
import type { PageResult } from '../run/pageResult';
import type { CrawlReport } from './crawlReport';
import { robotsOf, type Robots } from './robots';

/** After so many in a run that cannot be read, no other site is asked for its robots.txt: each costs proxies. */
const MOST_UNREADABLE = 5;

/** Number of sites that are asked at the same time. */
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

function robotsKey(url: string, userAgent: string): string {
	return `${new URL(url).origin} ${userAgent}`;
}

/** The robots.txt of the sites of a run, each asked for once. */
export class SiteRobots {
	/** Answers by origin and user agent. */
	private readonly asked = new Map<string, Promise<Robots>>();

	/** Keys of those that are going to be asked for. */
	private readonly expected = new Set<string>();

	private readonly mutex = new KeyedMutex();

	private unreadable = 0;

	constructor(private readonly report: CrawlReport) {}

	/** Notes that the robots.txt for a page is going to be asked for, and tells whether nobody has noted it before. */
	expect(url: string, userAgent: string): boolean {
		const { size } = this.expected;
		return this.expected.add(robotsKey(url, userAgent)).size > size;
	}

	/**
	 * The rules of the site that has a page.
	 *
	 * @param userAgent somebody typed; empty for a browser
	 * @param isStart whether a crawl starts at the site, which is then asked in any case
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
		const read = async () => robotsOf(await open(`${origin}/robots.txt`), userAgent);
		const asked = this.asked.get(key) ?? (isStart ? this.count(read()) : this.askQueued(read));
		this.asked.set(key, asked);
		const robots = await asked;
		if (robots.failure !== undefined) this.report.noteUnreadableRobots(origin, robots.failure);
		return robots;
	}

	private async askQueued(read: () => Promise<Robots>): Promise<Robots> {
		const release = await this.mutex.lock(String(this.asked.size % SITES_AT_ONCE), undefined);
		const isHopeless = this.unreadable >= MOST_UNREADABLE;
		return await (isHopeless ? Promise.resolve(NOT_ASKED) : this.count(read())).finally(release);
	}

	private async count(reading: Promise<Robots>): Promise<Robots> {
		const robots = await reading;
		if (robots.failure !== undefined) this.unreadable += 1;
		return robots;
	}
}
