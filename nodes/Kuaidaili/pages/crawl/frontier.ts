import { withoutFragment } from '../request/pageRequest';
import type { CrawlLimits } from './crawlRequest';
import { comparable, isMatch } from './robots';

export interface FoundPage {
	/** Without a fragment. */
	readonly url: string;
	/** 0 for the start. */
	readonly depth: number;
	/** The page that linked to it first; undefined for the start. */
	readonly finder?: FoundPage;
	/** Undefined while it waits; `unopened` is for a later execution to try. */
	state?: 'taken' | 'opened' | 'unopened';
	/** Where it was opened, behind all redirects. */
	lastUrl?: string;
	/** Whether an earlier execution has put it out, so that only its links are wanted. */
	isKnown?: true;
}

/** Such as "example.com" or "example.com:8080". */
function siteOf(url: string): string {
	return new URL(url).host.replace(/^www\./, '');
}

function matcher(patterns: readonly string[]): (address: string) => boolean {
	const comparables = patterns.map((pattern) => comparable(pattern).toLowerCase());
	return (address) => comparables.some((pattern) => isMatch(pattern, address));
}

/** What a crawl from one start has found and not opened yet: the nearest first, and each address once. */
export class Frontier {
	private readonly sites: Set<string>;

	/** By depth, in the order in which they were found. Those that wait no more are passed over. */
	private readonly queues: Array<{ readonly pages: FoundPage[]; next: number }> = [];

	/** By address, also by that to which redirects of a page led. */
	readonly pages = new Map<string, FoundPage>();

	/** How many pages may still be taken. */
	private left: number;

	private readonly isWanted: (address: string) => boolean;

	private readonly isExcepted: (address: string) => boolean;

	/** @param start a page of the site whose links are followed */
	constructor(
		private readonly limits: CrawlLimits,
		start: string,
	) {
		this.sites = new Set([siteOf(start)]);
		this.left = limits.maxPages;
		this.isWanted = limits.links.length === 0 ? () => true : matcher(limits.links);
		this.isExcepted = matcher(limits.except);
	}

	/** What is to be followed of the addresses that a page has, but for its depth, as far as it was not found before. */
	worthFollowing(urls: readonly string[], finder: FoundPage): FoundPage[] {
		const depth = finder.depth + 1;
		const addresses = [...new Set(urls.map(withoutFragment))].filter((url) => {
			if (this.isKnown(url, depth)) return false;
			if (this.limits.sameSite && !this.sites.has(siteOf(url))) return false;
			const address = comparable(url).toLowerCase();
			return this.isWanted(address) && !this.isExcepted(address);
		});
		return addresses.map((url) => ({ url, depth, finder }));
	}

	/** Those that are not too deep. */
	add(pages: readonly FoundPage[]): void {
		for (const page of pages) {
			const { url, depth } = page;
			if (depth > this.limits.maxDepth || this.isKnown(url, depth)) continue;
			this.pages.set(url, page);
			while (this.queues.length <= depth) this.queues.push({ pages: [], next: 0 });
			this.queues[depth].pages.push(page);
		}
	}

	/** Undefined where none waits at the moment, or no more may be taken. */
	take(): FoundPage | undefined {
		if (this.isFull) return undefined;
		for (const queue of this.queues) {
			while (queue.next < queue.pages.length) {
				const page = queue.pages[queue.next++];
				if (this.pages.get(page.url) !== page) continue;
				page.state = 'taken';
				this.left -= 1;
				return page;
			}
		}
		return undefined;
	}

	/** A page that was taken does not count as one. */
	uncount(): void {
		this.left += 1;
	}

	/** Notes a page that was taken and opened, and tells whether that is the first time. */
	open(page: FoundPage, lastUrl: string): boolean {
		const last = withoutFragment(lastUrl);
		if (page.depth === 0) this.sites.add(siteOf(last));
		// One that is under way may still fail, and what redirects have brought of it is good
		const isFirst = this.pages.get(last)?.lastUrl !== last;
		if (isFirst) this.pages.set(last, page);
		page.state = 'opened';
		page.lastUrl = last;
		return isFirst;
	}

	get isFull(): boolean {
		return this.left === 0;
	}

	get waiting(): FoundPage[] {
		return [...this.pages.values()].filter(({ state }) => state === undefined);
	}

	/** Whether it was taken, or found with as few links before. */
	private isKnown(url: string, depth: number): boolean {
		const page = this.pages.get(url);
		return page !== undefined && (page.state !== undefined || page.depth <= depth);
	}
}
