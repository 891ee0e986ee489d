import type { IExecuteFunctions } from 'n8n-workflow';

import { breaks, untilCancelled } from '../../../shared/concurrency/wait';
import { asError, CancelledError, DescribedError } from '../../../shared/errors/callErrors';
import { toCollection, toProperty } from '../../../shared/fields/field';
import { fingerprintOf } from '../../../shared/fingerprint';
import { ordersOf } from '../../../shared/orders/orderField';
import { formatNumber } from '../../../shared/wording';
import type { Item, RunOutcome, RunOperation } from '../../operation';
import { linksOf } from '../../pages/content/picking';
import { Frontier, type FoundPage } from '../../pages/crawl/frontier';
import { SiteRules } from '../../pages/crawl/robots';
import { readSitemap, readSitemaps, type Sitemap } from '../../pages/crawl/sitemap';
import { notRequested, wordsOf, type PageResult } from '../../pages/openPage';
import { withoutFragment, type PageRequest } from '../../pages/pageRequest';
import type { PageWay } from '../../pages/pageRun';
import { NO_SUCH_PAGE, shownUrl } from '../../pages/verdict';
import { optionsCollection } from '../../parameters/callOptions';
import { productField } from '../../proxies/products';
import { readSourceRequest, sourceOptions, sourceProperties } from '../../proxies/sourceFields';
import {
	readCrawlRequest,
	type CrawlRequest,
	crawlFields,
	followCollection,
	GIVEN,
	respectRobotsField,
	startUrlField,
} from './crawl/crawlRequest';
import { PAGE_OPTIONS, pageProperties, retryIfCollection } from './open/fields';
import type { OpenRequest } from './open/openRequest';
import { PageOutcomes, WITHOUT_URL, type OutputPage } from './pageOutcomes';

/** What the crawls of a run leave out. */
class LeftOut {
	forbidden = 0;

	beyondMaxPages = 0;

	/** Pages that led to one that was opened already. */
	duplicates = 0;

	/** Those that could not be read, or are too many. */
	sitemaps = 0;

	/** Whole sentences. */
	readonly hints = new Set<string>();
}

/** What a crawl shares with the others of its run, and its place among them. */
interface CrawlSurroundings {
	readonly way: PageWay;
	readonly rules: SiteRules;
	readonly outcomes: PageOutcomes;
	readonly leftOut: LeftOut;
	readonly index: number;
	readonly group: number;
}

/** So many addresses are looked at in one piece. */
const ADDRESSES_AT_ONCE = 500;

const SITEMAP_PATH = /\.(?:xml|txt)(?:\.gz)?$|sitemap/i;

/** The pages that one start leads to. */
class Crawl {
	/** Addresses that earlier executions have put out. */
	private readonly openedBefore = new Set<string>();

	private readonly opened: Array<{ readonly found: FoundPage; readonly lastUrl: string }> = [];

	/** Those that a later execution is to try. */
	private readonly unopened: FoundPage[] = [];

	private readonly frontier: Frontier;

	/** Its pages; those that are found are added. */
	private readonly openings: Array<Promise<void>> = [];

	private readonly pause = breaks();

	/** Of a sitemap. */
	private firstFailure?: PageResult;

	private hasFollowed = false;

	/** @param start what each of its pages has in common; its address is where the crawl starts */
	constructor(
		private readonly surroundings: CrawlSurroundings,
		private readonly request: CrawlRequest,
		private readonly start: OpenRequest,
	) {
		this.frontier = new Frontier(request.limits);
	}

	/** Resolves when all of its pages are done; never where the run ends before. Never rejects. */
	async open(): Promise<void> {
		const { page } = this.start;
		const url = withoutFragment(page.url);
		const start = { url, depth: 0 };
		try {
			this.frontier.addSite(url);
			if (this.request.startsFromSitemap) await this.readSitemaps();
			else {
				await this.leaveOut([start]);
				this.frontier.add([start]);
				await this.takeAll();
			}
		} catch (failure) {
			if (failure instanceof CancelledError) return;
			const error = asError(failure);
			const result = this.firstFailure ?? notRequested(error, page.url);
			await this.settle(start, this.pageOf(start), { ...result, error });
		}
		for (const opening of this.openings) await opening;
		const { leftOut } = this.surroundings;
		leftOut.beyondMaxPages += this.frontier.waiting.length;
		if (this.opened.length > 0 && !this.hasFollowed) leftOut.hints.add(NO_LINKS);
	}

	/** Notes for later executions what need not be opened again: neither it nor what it leads to. */
	noteOpened(): void {
		if (!this.start.skipOpened) return;
		const { openedPages } = this.surroundings.outcomes;
		const leading = new Set<FoundPage>();
		for (let page of [...this.frontier.waiting, ...this.unopened]) {
			for (; page.finder !== undefined && !leading.has(page.finder); page = page.finder) {
				leading.add(page.finder);
			}
		}
		for (const { found, lastUrl } of this.opened) {
			for (const url of new Set([found.url, withoutFragment(lastUrl)])) {
				openedPages.noted.add(url);
				if (!leading.has(found)) openedPages.noted.add(this.finishedKey(url));
			}
		}
	}

	private finishedKey(url: string): string {
		const { limits, selector } = this.request;
		return `${fingerprintOf(limits, selector)} ${url}`;
	}

	/** What only shows the way is no page that has to look as pages should. */
	private readonly openDirection = async (url: string): Promise<PageResult> => {
		const { page } = this.start;
		const { statuses } = page.retryIf;
		const retryIf = { statuses, contains: [], lacks: [], shorterThan: 0 };
		return await this.visit({ ...page, url, retryIf }, async (result) => result, true);
	};

	/** @param settle what is to be done before the next page is opened in its place */
	private async visit<T>(
		page: PageRequest,
		settle: (result: PageResult) => Promise<T>,
		isUncounted = false,
	): Promise<T> {
		const { way, outcomes } = this.surroundings;
		return await new Promise<T>((resolve, reject) => {
			const done = async (result: PageResult) => {
				if (result.error instanceof CancelledError) return;
				await settle(result).then(resolve, reject);
			};
			outcomes.run.add([{ ...way, page, isUncounted, done }]);
		});
	}

	/** Takes all pages that may be taken, so that the proxies for them are extracted together. */
	private async takeAll(): Promise<void> {
		const { outcomes, index } = this.surroundings;
		const refuse = (error: unknown) => outcomes.refuse(index, error);
		for (let page = this.frontier.take(); page !== undefined; page = this.frontier.take()) {
			this.openings.push(this.openIfAllowed(page).catch(refuse));
			await this.pause();
		}
	}

	private async openIfAllowed(found: FoundPage): Promise<void> {
		const { rules, leftOut } = this.surroundings;
		if (found.depth > 0 && this.request.respectsRobots) {
			const robots = await rules.of(found.url, this.openDirection);
			if (!robots.allows(found.url)) {
				const isUnknown = rules.failures.has(new URL(found.url).origin);
				if (isUnknown) this.unopened.push(found);
				this.frontier.uncount();
				leftOut.forbidden += 1;
				return await this.takeAll();
			}
		}
		// For its links only
		if (this.openedBefore.has(found.url)) this.frontier.uncount();
		const page = this.pageOf(found);
		await this.visit(page.request.page, async (result) => await this.settle(found, page, result));
		// One that doesn't count makes room for another
		await this.takeAll();
	}

	private pageOf({ url, depth, finder }: FoundPage): OutputPage {
		const { start } = this;
		const { outcomes, index, group } = this.surroundings;
		const json = { url, depth, ...(finder && { foundOn: finder.url }) };
		const request = {
			...start,
			page: { ...start.page, url },
			address: url,
			// Of the others, there may always be some that fail
			failsItem: start.failsItem && depth === 0,
		};
		const page = { index, group, input: { json }, request };
		outcomes.add(page);
		return page;
	}

	private async settle(found: FoundPage, page: OutputPage, result: PageResult): Promise<void> {
		const { outcomes, leftOut } = this.surroundings;
		const { url: lastUrl } = result;
		if (result.error === undefined && !this.frontier.open(found, lastUrl)) {
			outcomes.drop(page);
			// What the other one leads to may still wait
			this.opened.push({ found, lastUrl: found.url });
			leftOut.duplicates += 1;
			return;
		}
		const isForLinks = this.openedBefore.has(found.url) && result.error === undefined;
		if (isForLinks) outcomes.openedPages.skipped += 1;
		const { error } = await outcomes.settle(page, result, undefined, !isForLinks);
		if (error === undefined) {
			this.opened.push({ found, lastUrl });
			return await this.followLinks(found, result);
		}
		if (!NO_SUCH_PAGE.has(result.statusCode)) this.unopened.push(found);
	}

	private async followLinks(found: FoundPage, { content }: PageResult): Promise<void> {
		const { limits, selector, startsFromSitemap } = this.request;
		const { hints } = this.surroundings.leftOut;
		if (content?.isHtml !== true) return;
		const isDeepest = found.depth >= limits.maxDepth;
		// Who starts from a sitemap wants its pages
		if (isDeepest && (startsFromSitemap || hints.has(TOO_DEEP))) return;
		const links = await linksOf(await content.html, selector).catch((error: unknown) => {
			const why = wordsOf(asError(error)).join('. ');
			hints.add(`Links of a page were not followed: ${why}`);
			return [];
		});
		const urls = links.map(({ url }) => url);
		if (!isDeepest) await this.follow(urls, found);
		else if (this.frontier.worthFollowing(urls, found).length > 0) hints.add(TOO_DEEP);
	}

	private async follow(urls: readonly string[], finder: FoundPage): Promise<void> {
		for (let from = 0; from < urls.length; from += ADDRESSES_AT_ONCE) {
			const some = urls.slice(from, from + ADDRESSES_AT_ONCE);
			const pages = this.frontier.worthFollowing(some, finder);
			this.hasFollowed ||= pages.length > 0;
			this.frontier.add(await this.leaveOut(pages));
			await this.pause();
		}
		await this.takeAll();
	}

	/** @returns those that earlier executions have left something to do of */
	private async leaveOut(pages: readonly FoundPage[]): Promise<readonly FoundPage[]> {
		const { openedPages } = this.surroundings.outcomes;
		if (!this.start.skipOpened) return pages;
		const known = await openedPages.known(pages.flatMap(({ url }) => [url, this.finishedKey(url)]));
		for (const { url } of pages) if (known.has(url)) this.openedBefore.add(url);
		const left = pages.filter(({ url }) => !known.has(this.finishedKey(url)));
		openedPages.skipped += pages.length - left.length;
		return left;
	}

	private async readSitemaps(): Promise<void> {
		const { url: start } = this.start.page;
		const { pathname } = new URL(start);
		const isSitemap = SITEMAP_PATH.test(pathname) && pathname !== '/robots.txt';
		// Before its pages are counted: what is forbidden does not count
		const isAsked = !isSitemap || this.request.respectsRobots;
		const { rules, leftOut } = this.surroundings;
		const { sitemaps = [] } = isAsked ? await rules.of(start, this.openDirection) : {};
		const ofSite = sitemaps.length > 0 ? sitemaps : [new URL('/sitemap.xml', start).href];
		const starts = isSitemap ? [start] : ofSite;
		let found = 0;
		const { failures, left } = await readSitemaps(
			starts,
			async (url) => await this.sitemapAt(url),
			async (urls, sitemap) => {
				found += urls.length;
				await this.follow(urls, { url: sitemap, depth: 0 });
				return !this.frontier.isFull;
			},
		);
		if (found === 0 && failures.length > 0) throw failures[0];
		leftOut.sitemaps += failures.length + left;
		if (!this.hasFollowed) leftOut.hints.add(NO_PAGES);
	}

	private async sitemapAt(url: string): Promise<Sitemap> {
		const result = await this.openDirection(url);
		const { error, content } = result;
		if (error !== undefined) {
			this.firstFailure ??= result;
			throw error;
		}
		const bytes = new Uint8Array(content?.answer.body ?? []);
		return await readSitemap(bytes).catch((failure: unknown): never => {
			throw new DescribedError({
				message: 'The sitemap could not be read',
				description: `${shownUrl(url)}: ${asError(failure).message}. Enter the address of a sitemap in 'URL', or set 'Start From' to 'Page'.`,
			});
		});
	}
}

const NO_LINKS =
	"A start led to no other page: check 'Follow', and whether its links are made by JavaScript, which are not seen.";

const NO_PAGES =
	"A sitemap led to no page: check 'Follow', and whether its pages are of another host ('Same Site').";

const TOO_DEEP = "There are more pages, whose links were not followed because of 'Max Depth'.";

/** What the user should know of what was not followed. */
function hintsOf(leftOut: LeftOut, rules: ReadonlyMap<string, SiteRules>): string[] {
	const { forbidden, beyondMaxPages, duplicates, sitemaps, hints } = leftOut;
	const reasons = [
		forbidden > 0 && `${formatNumber(forbidden)} because of robots.txt`,
		beyondMaxPages > 0 && `${formatNumber(beyondMaxPages)} because of 'Max Pages'`,
	].filter(Boolean);
	const counted = [
		reasons.length > 0 && `Links not followed: ${reasons.join(', ')}.`,
		duplicates > 0 &&
			`Left out, because they redirect to pages that were opened: ${formatNumber(duplicates)}.`,
		sitemaps > 0 && `Sitemaps not read: ${formatNumber(sitemaps)}.`,
	].filter((hint) => hint !== false);
	const unread = [...rules.values()].flatMap(({ failures }) => [...failures]);
	const unreadHints = unread.map(
		([site, error]) =>
			`The robots.txt of ${site} could not be read, and so forbids everything: ${wordsOf(error).join('. ')} To go on without it, turn off 'Respect Robots.txt' in 'Options'.`,
	);
	return [...counted, ...hints, ...unreadHints];
}

async function crawlPages(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome> {
	const outcomes = new PageOutcomes(context);
	const { run } = outcomes;
	const crawls: Crawl[] = [];
	const leftOut = new LeftOut();
	/** By the user agent that was typed. */
	const rulesOf = new Map<string, SiteRules>();
	const read = await outcomes.readItems(items, (item, index) => {
		const request = readCrawlRequest(item);
		return { index, item, request, proxies: readSourceRequest(item) };
	});
	for (const { index, item, request, proxies } of read) {
		const [first] = request.starts;
		let way: PageWay | undefined;
		const userAgent = first.page.headers['User-Agent'] ?? '';
		const rules = rulesOf.get(userAgent) ?? new SiteRules(userAgent);
		rulesOf.set(userAgent, rules);
		try {
			for (const [group, start] of request.starts.entries()) {
				const { address, urlError } = start;
				if (urlError === undefined) {
					way ??= await run.wayFor(item, first, proxies);
					crawls.push(new Crawl({ way, rules, outcomes, leftOut, index, group }, request, start));
					continue;
				}
				const input = { json: { url: address, depth: 0 } };
				const page = { index, group, input, request: start };
				await outcomes.settle(page, notRequested(urlError), WITHOUT_URL);
			}
		} catch (error) {
			outcomes.refuse(index, error);
		}
		if (run.signal.aborted) break;
	}
	// What waits for a page of a run that has ended would wait forever
	const opened = Promise.all(crawls.map(async (crawl) => await crawl.open()));
	await untilCancelled(opened, run.signal).catch(() => undefined);
	await outcomes.finish(() => {
		for (const crawl of crawls) crawl.noteOpened();
	});
	return outcomes.outcome(hintsOf(leftOut, rulesOf));
}

export const pageCrawl: RunOperation = {
	option: {
		name: 'Crawl',
		value: 'crawl',
		action: 'Crawl pages through proxies',
		description:
			'Open a page and the pages that it links to, or those of a sitemap, each through a proxy',
	},
	orders: (valueOf) => ordersOf(valueOf(productField.name)),
	properties: [
		...sourceProperties,
		...[startUrlField, ...crawlFields].map(toProperty),
		toCollection(followCollection),
		...pageProperties.filter(({ name }) => !GIVEN.has(name)),
		toCollection(retryIfCollection),
		optionsCollection([...sourceOptions, ...PAGE_OPTIONS, respectRobotsField]),
	],
	executeAll: crawlPages,
};
