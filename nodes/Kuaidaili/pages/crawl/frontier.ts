import {
	addressMatcher,
	followedUrl,
	LONGEST_FOLLOWED_URL,
	pageKey,
	siteHostOf,
} from './addresses';
import type { CrawlRequest } from './crawlRequest';

/** Page of a crawl. */
export interface FoundPage {
	/** Address without a fragment, as it was found first. */
	readonly url: string;
	/** Number of links between the start and the page; 0 for the start. */
	readonly depth: number;
	/** Page that linked to it first; undefined for the start. */
	readonly finder?: FoundPage;
	/** Progress: `unopened` is for a later execution to try, and `leftOut` was dropped or is not there. */
	state: 'waiting' | 'taken' | 'opened' | 'unopened' | 'leftOut';
	/** Address at which it was opened, behind all redirects; undefined before. */
	lastUrl?: string;
	/** Whether an earlier execution has put it out, so that it is opened for its links only. */
	isForLinksOnly?: true;
	/** Whether it has links for which there was no room. */
	hasUncollectedLinks?: true;
}

/** So many pages wait for each one that may still be taken; further links only count. */
const WAITING_PER_PAGE = 10;

/** Pages that a crawl from one start has found: the nearest are opened first, and each address once. */
export class Frontier {
	private readonly hosts: Set<string>;

	private readonly startKey: string;

	/**
	 * Found pages by depth, in the order in which they were found, and the index of the next one to look at. Those that
	 * were found nearer since are skipped.
	 */
	private readonly queues: Array<{ readonly pages: FoundPage[]; next: number }> = [];

	/** Found pages by their keys, also by those of the addresses to which redirects led. */
	private readonly byKey = new Map<string, FoundPage>();

	/** How many pages may still be taken. */
	private remaining: number;

	private waitingCount = 0;

	/** Links for which there was no room. */
	private uncollected = 0;

	private readonly isListed: (url: string) => boolean;

	private readonly isExcepted: (url: string) => boolean;

	/** @param start a page of the site whose links are followed */
	constructor(
		private readonly request: CrawlRequest,
		start: string,
	) {
		this.hosts = new Set([siteHostOf(start)]);
		this.startKey = pageKey(start);
		this.remaining = request.maxPages;
		this.isListed = request.links.length === 0 ? () => true : addressMatcher(request.links);
		this.isExcepted = addressMatcher(request.except);
	}

	/** Makes the host of an address part of the site, such as that to which the start redirects. */
	addSite(url: string): void {
		this.hosts.add(siteHostOf(url));
	}

	/** Whether an address is one of the site. */
	isOfSite(url: string): boolean {
		return this.hosts.has(siteHostOf(url));
	}

	/**
	 * Pages to follow among the links of a page that were not found before as near, whatever their depth.
	 *
	 * @param urls absolute addresses of http or https
	 */
	pagesToFollow(urls: readonly string[], finder: FoundPage): FoundPage[] {
		const depth = finder.depth + 1;
		const pages = new Map<string, FoundPage>();
		for (const link of urls) {
			const url = followedUrl(link);
			if (url.length > LONGEST_FOLLOWED_URL || (this.request.sameSite && !this.isOfSite(url)))
				continue;
			const key = pageKey(url);
			if (pages.has(key) || this.isFound(key, depth)) continue;
			if (this.isListed(url) && !this.isExcepted(url)) {
				pages.set(key, { url, depth, finder, state: 'waiting' });
			}
		}
		return [...pages.values()];
	}

	/** Adds pages that are not too deep, as long as there is room for them. */
	add(pages: readonly FoundPage[]): void {
		for (const page of pages) {
			const { url, depth } = page;
			const key = pageKey(url);
			if (depth > this.request.maxDepth || this.isFound(key, depth)) continue;
			const farther = this.byKey.get(key);
			if (farther === undefined && !this.hasRoom) {
				this.countUncollected(1, page.finder);
				continue;
			}
			if (farther === undefined) this.waitingCount += 1;
			this.byKey.set(key, page);
			while (this.queues.length <= depth) this.queues.push({ pages: [], next: 0 });
			this.queues[depth].pages.push(page);
		}
	}

	/** Counts links of a page for which there is no room. */
	countUncollected(links: number, finder: FoundPage | undefined): void {
		this.uncollected += links;
		if (finder !== undefined && links > 0) finder.hasUncollectedLinks = true;
	}

	/** Whether further pages are kept, rather than only counted. */
	get hasRoom(): boolean {
		return this.waitingCount < Math.max(1, this.remaining) * WAITING_PER_PAGE;
	}

	/** Takes the nearest page; undefined where none waits at the moment, or no more may be taken. */
	take(): FoundPage | undefined {
		if (this.isExhausted) return undefined;
		for (const queue of this.queues) {
			while (queue.next < queue.pages.length) {
				const page = queue.pages[queue.next++];
				if (page.state !== 'waiting' || this.byKey.get(pageKey(page.url)) !== page) continue;
				page.state = 'taken';
				this.waitingCount -= 1;
				this.remaining -= 1;
				return page;
			}
		}
		return undefined;
	}

	/** Lets another page be taken in place of one that does not count. */
	uncount(): void {
		this.remaining += 1;
	}

	/** Whether a page was redirected to where its crawl does not go. Somebody typed the start, which may lead anywhere. */
	isMisled(page: FoundPage, lastUrl: string): boolean {
		if (page.depth === 0 || pageKey(lastUrl) === pageKey(page.url)) return false;
		return (
			(this.request.sameSite && !this.isOfSite(lastUrl)) || this.isExcepted(followedUrl(lastUrl))
		);
	}

	/** Notes a page that was taken and opened, and tells whether what it led to was not opened before. */
	arrive(page: FoundPage, lastUrl: string): boolean {
		const key = pageKey(lastUrl);
		if (page.depth === 0) this.addSite(lastUrl);
		const before = this.byKey.get(key);
		// One that is under way may still fail, and what redirects have brought of it is good
		const isFirst = before?.lastUrl === undefined || pageKey(before.lastUrl) !== key;
		page.lastUrl = followedUrl(lastUrl);
		page.state = isFirst ? 'opened' : 'leftOut';
		if (!isFirst) return false;
		if (before?.state === 'waiting') this.waitingCount -= 1;
		this.byKey.set(key, page);
		return true;
	}

	/**
	 * Notes the address that an opened page names as its own, and tells whether the page is not one that was opened under
	 * that. Counts on the same site where it was found or opened, and not for the start, nor for the site's root where the
	 * page has another path: templates name these for all of their pages.
	 */
	arriveAt(page: FoundPage, canonical: string): boolean {
		const { url, lastUrl = url } = page;
		const key = pageKey(canonical);
		const known = this.byKey.get(key);
		const [named, opened] = [new URL(canonical), new URL(lastUrl)];
		const isCommon = key === this.startKey || (named.pathname === '/' && opened.pathname !== '/');
		const isOfPage = known === undefined || known === page || isCommon;
		if (isOfPage || siteHostOf(canonical) !== siteHostOf(lastUrl)) return true;
		return this.arrive(page, canonical);
	}

	/** Whether links led to an address, rather than redirects only. */
	isLinked(url: string): boolean {
		const page = this.byKey.get(pageKey(url));
		return page !== undefined && pageKey(page.url) === pageKey(url);
	}

	/** Whether no more pages may be taken. */
	get isExhausted(): boolean {
		return this.remaining === 0;
	}

	/** All pages that were found and kept. */
	get pages(): ReadonlySet<FoundPage> {
		return new Set(this.byKey.values());
	}

	/** Addresses that wait to be opened, in the order in which they would be. */
	get waiting(): string[] {
		const pages = this.queues.flatMap((queue) => queue.pages.slice(queue.next));
		const isKept = (page: FoundPage) =>
			page.state === 'waiting' && this.byKey.get(pageKey(page.url)) === page;
		return pages.filter(isKept).map(({ url }) => url);
	}

	/** How many links are neither opened nor left out: those that wait, and those for which there was no room. */
	get unfollowedCount(): number {
		return this.waitingCount + this.uncollected;
	}

	/** Whether it was taken, or found with as few links before. */
	private isFound(key: string, depth: number): boolean {
		const page = this.byKey.get(key);
		return page !== undefined && (page.state !== 'waiting' || page.depth <= depth);
	}
}
