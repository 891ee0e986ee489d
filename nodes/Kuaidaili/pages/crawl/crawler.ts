import { eventLoopYielder } from '../../../shared/concurrency/wait';
import {
	asError,
	CancelledError,
	DescribedError,
	wordsOf,
} from '../../../shared/errors/callErrors';
import { fingerprintOf } from '../../../shared/fingerprint';
import { formatNumber } from '../../../shared/wording';
import { linksOf } from '../content/pickedFields';
import type { CrawlRequest } from './crawlRequest';
import { Frontier, type FoundPage } from './frontier';
import { robotsOf } from './robots';
import { readSitemap, readSitemaps, type Sitemap } from './sitemap';
import { notRequested, type PageResult } from '../run/pageResult';
import { headerOf, withoutFragment, type PageRequest } from '../request/pageRequest';
import type { PageRoute, PageRun } from '../run/pageRun';
import { NO_SUCH_PAGE } from '../run/classifyAttempt';
import { shownUrl } from '../run/pageFailure';
import { requestFor } from '../http/fetchPage';
import type { PageOutput } from '../output/pageOutput';
import type { OutputPage } from '../output/pageItem';

/** What the crawls of a run share. */
export function crawlRun(pageRun: PageRun, output: PageOutput) {
	return {
		pageRun,
		output,
		/** By site, and the user agent that was typed: each is asked for once. */
		robots: new Map<string, Promise<Robots>>(),
		leftOut: {
			forbidden: 0,
			beyondMaxPages: 0,
			/** Pages that led to one that was opened already. */
			duplicates: 0,
			/** Those that could not be read, or are too many. */
			sitemaps: 0,
		},
		/** Whole sentences. */
		hints: new Set<string>(),
	};
}

type CrawlRun = ReturnType<typeof crawlRun>;

/** What the user should know of what was not followed. */
export function hintsOf({ leftOut, hints }: CrawlRun): string[] {
	const { forbidden, beyondMaxPages, duplicates, sitemaps } = leftOut;
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
	return [...counted, ...hints];
}

type Robots = ReturnType<typeof robotsOf>;

/** So many addresses are looked at in one piece. */
const ADDRESSES_AT_ONCE = 500;

const SITEMAP_PATH = /\.(?:xml|txt)(?:\.gz)?$|sitemap/i;

const NO_LINKS =
	"A start led to no other page. Check 'Follow'; links made by JavaScript aren't seen.";

const NO_PAGES =
	"A sitemap led to no page: check 'Follow', and whether its pages are of another host ('Same Site').";

const TOO_DEEP = "There are more pages, whose links were not followed because of 'Max Depth'.";

/** Where a crawl starts; each of its pages has all but the address in common with that. */
type Start = Omit<OutputPage, 'input'>;

export function pageOf(start: Start, { url, depth, finder }: FoundPage): OutputPage {
	const json = { url, depth, ...(finder && { foundOn: finder.url }) };
	// Of the others, there may always be some that fail
	const failsItem = start.request.failsItem && depth === 0;
	const request = depth === 0 ? { ...start.request, url } : requestFor(url, start.request);
	return { ...start, input: { json }, request: { ...request, address: url, failsItem } };
}

/** The pages that one start leads to. */
export class Crawl {
	private readonly frontier: Frontier;

	/** Of its pages; those that are found are added. */
	private readonly work: Array<Promise<void>> = [];

	private readonly pause = eventLoopYielder();

	private hasFollowed = false;

	constructor(
		private readonly run: CrawlRun,
		private readonly way: PageRoute,
		private readonly wanted: CrawlRequest,
		private readonly start: Start,
	) {
		this.frontier = new Frontier(wanted.limits, start.request.url);
	}

	/** Resolves when all of its pages are done; never where the run ends before. Never rejects. */
	async open(): Promise<void> {
		this.attend(this.begin());
		for (const work of this.work) await work;
		this.run.leftOut.beyondMaxPages += this.frontier.waiting.length;
	}

	/** After each, there may be other pages, or room for them. */
	private attend(work: Promise<void>): void {
		const refuse = (error: unknown) => this.run.output.refuse(this.start.index, error);
		this.work.push(work.then(this.takeAll).catch(refuse));
	}

	private async begin(): Promise<void> {
		const start = { url: withoutFragment(this.start.request.url), depth: 0 };
		if (this.wanted.startsFromSitemap) return await this.readSitemaps(start);
		// It is opened for its links in any case
		await this.leaveOut([start]);
		this.frontier.add([start]);
	}

	/** Notes for later executions what need not be opened again: neither it nor what it leads to. */
	noteOpened(): void {
		if (!this.start.request.skipOpened) return;
		const { noted } = this.run.output.openedPages;
		const { pages } = this.frontier;
		const leading = new Set<FoundPage>();
		for (const { state, finder } of pages.values()) {
			if (state !== undefined && state !== 'unopened') continue;
			for (let page = finder; page !== undefined && !leading.has(page); page = page.finder) {
				leading.add(page);
			}
		}
		for (const [url, page] of pages) {
			if (page.state !== 'opened') continue;
			noted.add(url);
			if (!leading.has(page)) noted.add(this.finishedKey(url));
		}
	}

	private finishedKey(url: string): string {
		const { limits, selector } = this.wanted;
		return `${fingerprintOf(limits, selector)} ${url}`;
	}

	/** What only shows the way is no page that has to look as pages should. */
	private readonly openDirection = async (url: string): Promise<PageResult> => {
		const { request } = this.start;
		const anyLook = { contains: [], lacks: [], shorterThan: 0, redirectedTo: undefined };
		const retryIf = { ...request.retryIf, ...anyLook };
		return await this.visit({ ...requestFor(url, request), retryIf });
	};

	/** @param settle of a page: what is to be done before the next one is opened in its place */
	private async visit(
		page: PageRequest,
		settle?: (result: PageResult) => Promise<void>,
	): Promise<PageResult> {
		return await new Promise<PageResult>((resolve, reject) => {
			const done = async (result: PageResult) => {
				if (result.error instanceof CancelledError) return;
				const settled = settle?.(result) ?? Promise.resolve();
				await settled.then(() => resolve(result), reject);
			};
			this.run.pageRun.add([{ ...this.way, page, done }]);
		});
	}

	/** Takes all pages that may be taken, so that the proxies for them are extracted together. */
	private readonly takeAll = async (): Promise<void> => {
		for (let page = this.frontier.take(); page !== undefined; page = this.frontier.take()) {
			this.attend(this.openIfAllowed(page));
			await this.pause();
		}
	};

	private async openIfAllowed(found: FoundPage): Promise<void> {
		const { run, frontier } = this;
		if (found.depth > 0 && this.wanted.respectsRobots) {
			const robots = await this.robotsOf(found.url);
			if (!robots.allows(found.url)) {
				if (robots.failure !== undefined) found.state = 'unopened';
				frontier.uncount();
				run.leftOut.forbidden += 1;
				return;
			}
		}
		if (found.isKnown === true) frontier.uncount();
		const page = pageOf(this.start, found);
		run.output.reserve(page);
		await this.visit(page.request, async (result) => await this.settle(found, page, result));
	}

	private async robotsOf(url: string): Promise<Robots> {
		const { robots, hints } = this.run;
		const { origin } = new URL(url);
		const userAgent = headerOf(this.start.request.headers, 'user-agent') ?? '';
		const key = `${origin} ${userAgent}`;
		const ask = async () => robotsOf(await this.openDirection(`${origin}/robots.txt`), userAgent);
		const asked = robots.get(key) ?? ask();
		robots.set(key, asked);
		const answer = await asked;
		if (answer.failure !== undefined) {
			const why = wordsOf(answer.failure).join('. ');
			hints.add(
				`The robots.txt of ${origin} could not be read, and so forbids everything: ${why} To go on without it, turn off 'Respect Robots.txt' in 'Options'.`,
			);
		}
		return answer;
	}

	private async settle(found: FoundPage, page: OutputPage, result: PageResult): Promise<void> {
		const { run, frontier } = this;
		const { output } = run;
		const isOpened = result.error === undefined;
		if (isOpened && !frontier.open(found, result.url)) {
			output.drop(page);
			run.leftOut.duplicates += 1;
			return;
		}
		const isForLinks = isOpened && found.isKnown === true;
		if (isForLinks) output.openedPages.skipped += 1;
		const { error } = await output.finishPage(page, result, !isForLinks);
		if (error !== undefined) {
			found.state = NO_SUCH_PAGE.has(result.statusCode) ? 'taken' : 'unopened';
			return;
		}
		await this.followLinks(found, result);
		if (found.depth === 0 && !this.hasFollowed) run.hints.add(NO_LINKS);
	}

	private async followLinks(found: FoundPage, { content }: PageResult): Promise<void> {
		const { limits, selector, startsFromSitemap } = this.wanted;
		const { hints } = this.run;
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
		const { openedPages } = this.run.output;
		if (!this.start.request.skipOpened) return pages;
		const known = await openedPages.known(pages.flatMap(({ url }) => [url, this.finishedKey(url)]));
		for (const page of pages) if (known.has(page.url)) page.isKnown = true;
		const left = pages.filter(({ url }) => !known.has(this.finishedKey(url)));
		openedPages.skipped += pages.length - left.length;
		return left;
	}

	private async readSitemaps(start: FoundPage): Promise<void> {
		const { run } = this;
		const { url } = this.start.request;
		const { pathname } = new URL(url);
		const isSitemap = SITEMAP_PATH.test(pathname) && pathname !== '/robots.txt';
		// Before its pages are counted: what is forbidden does not count
		const isAsked = !isSitemap || this.wanted.respectsRobots;
		const { sitemaps = [] } = isAsked ? await this.robotsOf(url) : {};
		const ofSite = sitemaps.length > 0 ? sitemaps : [new URL('/sitemap.xml', url).href];
		const unread: PageResult[] = [];
		let found = 0;
		const left = await readSitemaps(
			isSitemap ? [url] : ofSite,
			async (one) => await this.sitemapAt(one, unread),
			async (urls, sitemap) => {
				found += urls.length;
				await this.follow(urls, { url: sitemap, depth: 0 });
				return !this.frontier.isFull;
			},
		);
		if (found === 0 && unread.length > 0) {
			await run.output.finishPage(pageOf(this.start, start), unread[0]);
			return;
		}
		run.leftOut.sitemaps += unread.length + left;
		if (!this.hasFollowed) run.hints.add(NO_PAGES);
	}

	/** Undefined for one that cannot be read, which is added to those. */
	private async sitemapAt(url: string, unread: PageResult[]): Promise<Sitemap | undefined> {
		let result = await this.openDirection(url);
		if (result.error === undefined) {
			const bytes = new Uint8Array(result.content?.answer.body ?? []);
			const sitemap = await readSitemap(bytes).catch(asError);
			if (!(sitemap instanceof Error)) return sitemap;
			const error = new DescribedError({
				message: 'The sitemap could not be read',
				description: `${shownUrl(url)}: ${sitemap.message}. Enter the address of a sitemap in 'URL', or set 'Start From' to 'Page'.`,
			});
			result = notRequested(error, this.start.request.url);
		}
		unread.push(result);
		return undefined;
	}
}
