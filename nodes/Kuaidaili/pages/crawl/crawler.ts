import { eventLoopYielder } from '../../../shared/api/wait';
import { asError, CancelledError, DescribedError, wordsOf } from '../../../shared/api/errors';
import { canonicalOf } from '../content/nextLink';
import { linksOf } from '../content/pickedFields';
import { requestFor } from '../http/fetchPage';
import { Session } from '../http/session';
import type { OutputPage } from '../output/pageItem';
import { hasItems } from '../output/pageOutput';
import { headerOf } from '../request/pageRequest';
import type { PageRoute } from '../run/attempt';
import { NO_SUCH_PAGE } from '../run/classifyAttempt';
import { shownUrl } from '../run/pageFailure';
import type { PageResult } from '../run/pageResult';
import { followedUrl, pageKey, siteHostOf } from './addresses';
import type { CrawlRun } from './crawlRun';
import type { CrawlRequest } from './crawlRequest';
import { Frontier, type FoundPage } from './frontier';
import type { Robots } from './robots';
import { readSitemap, readSitemaps, type Sitemap } from './sitemap';

/**
 * Page of a crawl as it is opened and put out.
 *
 * @param start with which it has all but the address in common
 */
export function crawledPage(
	start: OutputPage,
	{ url, depth, finder }: Pick<FoundPage, 'url' | 'depth' | 'finder'>,
): OutputPage {
	const json = { url, depth, ...(finder && { foundOn: finder.url }) };
	const request = depth === 0 ? { ...start.request, url } : requestFor(url, start.request);
	return { ...start, input: { json }, request: { ...request, address: url }, isLinked: depth > 0 };
}

/** Addresses that are looked at in one piece. */
const ADDRESSES_AT_ONCE = 500;

const SITEMAP_PATH = /\.(?:xml|txt)(?:\.gz)?$|sitemap/i;

const NO_LINKS =
	"A start led to no other page. Check 'Follow'; links made by JavaScript aren't seen, and with 'Respect Robots.txt' none marked nofollow.";

const NO_PAGES =
	"A sitemap led to no page: check 'Follow', and whether its pages are of another host ('Same Site').";

const TOO_DEEP =
	"There are more pages, whose links were not followed because of 'Max Depth' in 'Options'.";

/** A crawl from one start. */
export class Crawl {
	private readonly frontier: Frontier;

	/** Work on its pages; that on pages which are found meanwhile is added. */
	private readonly work: Array<Promise<void>> = [];

	private readonly pause = eventLoopYielder();

	private hasFollowed = false;

	constructor(
		private readonly run: CrawlRun,
		private readonly route: PageRoute,
		private readonly request: CrawlRequest,
		private readonly start: OutputPage,
	) {
		this.frontier = new Frontier(request, start.request.url);
	}

	/** Opens all pages. Resolves when they are done, or the run has ended. Never rejects. */
	async open(): Promise<void> {
		this.track(this.begin());
		for (const work of this.work) await work;
		const { waiting, unfollowedCount } = this.frontier;
		if (this.run.output.isForAgent) this.run.output.noteNotOpened(waiting);
		else this.run.report.count('beyondMaxPages', unfollowedCount);
	}

	/** After each work, there may be other pages to take, or room for them. */
	private track(work: Promise<void>): void {
		const refuse = (error: unknown) => {
			// A run that has ended says so itself
			if (!(error instanceof CancelledError)) this.run.output.refuse(this.start.index, error);
		};
		this.work.push(work.then(this.takePages).catch(refuse));
	}

	private async begin(): Promise<void> {
		if (this.request.startsFromSitemap) return await this.openSitemaps();
		const url = followedUrl(this.start.request.url);
		const start: FoundPage = { url, depth: 0, state: 'waiting' };
		// It is opened for its links in any case
		await this.withoutDone([start]);
		this.frontier.add([start]);
	}

	/** Takes all pages that may be taken, so that the proxies for them are extracted together. */
	private readonly takePages = async (): Promise<void> => {
		for (let page = this.frontier.take(); page !== undefined; page = this.frontier.take()) {
			this.track(this.openPage(page));
			await this.pause();
		}
	};

	private async openPage(found: FoundPage): Promise<void> {
		const { output, report } = this.run;
		if (found.depth > 0 && !(await this.isAllowed(found))) {
			this.frontier.uncount();
			report.count('forbidden');
			return;
		}
		if (found.isForLinksOnly === true) this.frontier.uncount();
		if (found.depth > 0 && this.followsEverything) report.count('followedAll');
		const page = crawledPage(this.start, found);
		output.reserve(page);
		const session = new Session(found.depth === 0 ? 'page' : 'attempt');
		const finish = async (result: PageResult) => {
			await this.finish(found, page, result);
			if (found.depth === 0) await this.askForRobots(session);
		};
		await this.run.pageRun.open(this.route, page.request, finish, session);
	}

	/** Opens the robots.txt of the site by the browser of the start: all pages would wait for a proxy for it. */
	private async askForRobots(session: Session): Promise<void> {
		const { frontier, run, userAgent, request } = this;
		const [next] = frontier.isExhausted ? [] : frontier.waiting;
		if (next === undefined || !request.respectsRobots || !frontier.isOfSite(next)) return;
		// Whoever waits for what others ask for keeps a proxy from them
		if (!run.hasAskedForRobots(next, userAgent)) await this.robotsFor(next, session);
	}

	private get followsEverything(): boolean {
		const { links, except, selector, startsFromSitemap } = this.request;
		const hasPatterns = links.length + except.length > 0;
		return !hasPatterns && selector === undefined && !startsFromSitemap;
	}

	/** Whether the robots.txt of its site lets a page be opened. One that cannot be read leaves it to a later execution. */
	private async isAllowed(page: FoundPage, url = page.url): Promise<boolean> {
		if (!this.request.respectsRobots) return true;
		const robots = await this.robotsFor(url);
		const isAllowed = robots.allows(url);
		await this.pause();
		if (!isAllowed) page.state = robots.failure === undefined ? 'leftOut' : 'unopened';
		return isAllowed;
	}

	/** The one that somebody typed; empty for a browser's. */
	private get userAgent(): string {
		return headerOf(this.start.request.headers, 'user-agent') ?? '';
	}

	/** @param session opens it; without, a browser of its own */
	private async robotsFor(url: string, session?: Session): Promise<Robots> {
		const isStart = this.frontier.isOfSite(url);
		const open = async (robotsUrl: string) => await this.openGuide(robotsUrl, session);
		return await this.run.robotsFor(url, this.userAgent, isStart, open);
	}

	/** Opens what only shows the way to pages, and so need not look as pages should. */
	private async openGuide(url: string, session?: Session): Promise<PageResult> {
		const { pageRun, output } = this.run;
		const { request } = this.start;
		const anyContent = { contains: [], lacks: [], redirectedTo: undefined };
		const retryIf = { ...request.retryIf, ...anyContent };
		const page = { ...requestFor(url, request), retryIf };
		const result = await pageRun.openWithoutSlot(this.route, page, session);
		// By the browser of a page it costs no proxy of its own
		if (session === undefined && result.attempts.length > 0) output.noteGuide();
		// One of the site that redirects to another host makes that part of the site
		const hasMoved = result.url !== '' && siteHostOf(result.url) !== siteHostOf(url);
		if (hasMoved && this.frontier.isOfSite(url)) this.frontier.addSite(result.url);
		return result;
	}

	private async finish(found: FoundPage, page: OutputPage, result: PageResult): Promise<void> {
		const { output, pageRun } = this.run;
		const isOpened = result.error === undefined;
		// Before the tree of the page is made: it may take a robots.txt to know
		if (isOpened && !(await this.accept(found, result.url))) return output.dropOpened(page);
		const unlockTree = await pageRun.lockTree(result);
		await this.putOut(found, page, result).finally(unlockTree);
	}

	private async putOut(found: FoundPage, page: OutputPage, result: PageResult): Promise<void> {
		const { output, report } = this.run;
		const isNew = result.error !== undefined || (await this.isNewByName(found, result));
		if (!isNew) report.count('duplicates');
		const comesOut = result.error !== undefined || (isNew && found.isForLinksOnly !== true);
		const finished = await output.finishPage(page, result, comesOut);
		if (finished.error !== undefined) {
			found.state = NO_SUCH_PAGE.has(result.statusCode) ? 'leftOut' : 'unopened';
			return;
		}
		// It may look so because the site blocks
		if (comesOut && !hasItems(finished)) found.state = 'unopened';
		await this.followLinks(found, result);
		if (found.depth === 0 && !this.hasFollowed) report.note(NO_LINKS);
	}

	/** Whether a page that was opened may come out: where it led must be wanted, and new. */
	private async accept(found: FoundPage, lastUrl: string): Promise<boolean> {
		const { frontier } = this;
		const { report } = this.run;
		const isElsewhere = found.depth > 0 && pageKey(lastUrl) !== pageKey(found.url);
		const isForbidden = async () => isElsewhere && !(await this.isAllowed(found, lastUrl));
		if (frontier.isMisled(found, lastUrl) || (await isForbidden())) {
			report.count('misled');
			return false;
		}
		// Of many pages that lead to a captcha, the first one comes out as well
		if (isElsewhere && !frontier.isLinked(lastUrl)) report.noteTarget(followedUrl(lastUrl));
		if (frontier.arrive(found, lastUrl)) return true;
		report.count('duplicates');
		return false;
	}

	/** Whether a page names no address as its own under which it was opened. Its links are followed in any case. */
	private async isNewByName(found: FoundPage, { content }: PageResult): Promise<boolean> {
		if (content?.isHtml !== true || !/canonical/i.test(content.text)) return true;
		const canonical = canonicalOf(await content.html);
		return canonical === undefined || this.frontier.arriveAt(found, canonical);
	}

	private async followLinks(found: FoundPage, { content }: PageResult): Promise<void> {
		const { maxDepth, selector, startsFromSitemap, respectsRobots } = this.request;
		const { report } = this.run;
		if (content?.isHtml !== true) return;
		const isDeepest = found.depth >= maxDepth;
		// Whoever starts from a sitemap wants its pages
		if (isDeepest && (startsFromSitemap || report.has(TOO_DEEP))) return;
		const linked = linksOf(await content.html, selector, respectsRobots);
		const links = await linked.catch((error: unknown) => {
			report.note(`Links of a page were not followed: ${wordsOf(asError(error)).join('. ')}`);
			return [];
		});
		const urls = links.map(({ url }) => url);
		if (!isDeepest) return await this.follow(urls, found);
		for (const chunk of chunks(urls)) {
			if (this.frontier.pagesToFollow(chunk, found).length > 0) return report.note(TOO_DEEP);
			await this.pause();
		}
	}

	private async follow(urls: readonly string[], finder: FoundPage): Promise<void> {
		const { frontier } = this;
		for (const chunk of chunks(urls)) {
			const pages = frontier.pagesToFollow(chunk, finder);
			this.hasFollowed ||= pages.length > 0;
			if (frontier.hasRoom) frontier.add(await this.withoutDone(pages));
			else frontier.countUncollected(pages.length, finder);
			await this.pause();
		}
	}

	/** Pages that earlier executions have left something to do of. Those that they have put out are opened for their links. */
	private async withoutDone(pages: readonly FoundPage[]): Promise<readonly FoundPage[]> {
		const { openedPages } = this.run;
		if (!this.start.request.skipOpened) return pages;
		const opened = await openedPages.openedBefore(pages.map(({ url }) => pageKey(url)));
		for (const page of pages) {
			if (opened.has(pageKey(page.url))) page.isForLinksOnly = true;
		}
		const isDone = ({ url }: FoundPage) => opened.get(pageKey(url)) === false;
		const others = pages.filter((page) => !isDone(page));
		openedPages.skipped += pages.length - others.length;
		return others;
	}

	/** Notes for later executions which pages came out, and which of them lead to pages that are still to be opened. */
	noteOpened(): void {
		if (!this.start.request.skipOpened) return;
		const { pages } = this.frontier;
		const leading = new Set<FoundPage>();
		for (const page of pages) {
			const isOpen = page.state === 'waiting' || page.state === 'unopened';
			const first = page.hasUncollectedLinks === true ? page : isOpen ? page.finder : undefined;
			for (let at = first; at !== undefined && !leading.has(at); at = at.finder) leading.add(at);
		}
		for (const page of pages) {
			const { url, lastUrl = url, state } = page;
			// What stands for many pages is none of them
			if (state !== 'opened' || this.run.report.isTrap(lastUrl)) continue;
			for (const address of [url, lastUrl]) {
				this.run.openedPages.note(pageKey(address), leading.has(page));
			}
		}
	}

	private async openSitemaps(): Promise<void> {
		const { report, output } = this.run;
		const { url } = this.start.request;
		const { pathname } = new URL(url);
		const isSitemap = SITEMAP_PATH.test(pathname) && pathname !== '/robots.txt';
		// Before its pages are counted: what is forbidden does not count
		const isAsked = !isSitemap || this.request.respectsRobots;
		const { sitemaps = [] } = isAsked ? await this.robotsFor(url) : {};
		const ofSite = sitemaps.length > 0 ? sitemaps : [new URL('/sitemap.xml', url).href];
		const unread: PageResult[] = [];
		let found = 0;
		const unreached = await readSitemaps(
			isSitemap ? [url] : ofSite,
			async (sitemapUrl) => await this.sitemapAt(sitemapUrl, unread),
			async (urls, sitemapUrl) => {
				found += urls.length;
				await this.follow(urls, { url: sitemapUrl, depth: 0, state: 'opened' });
				await this.takePages();
				return !this.frontier.isExhausted;
			},
		);
		if (found === 0 && unread.length > 0) {
			await output.finishPage(crawledPage(this.start, { url, depth: 0 }), unread[0]);
			return;
		}
		report.count('unreadSitemaps', unread.length + unreached);
		if (!this.hasFollowed) report.note(NO_PAGES);
	}

	/** Undefined for a sitemap that cannot be read, which is added to `unread`. */
	private async sitemapAt(url: string, unread: PageResult[]): Promise<Sitemap | undefined> {
		let result = await this.openGuide(url);
		if (result.error === undefined) {
			const { body, headers } = result.content?.answer ?? {};
			const type = typeof headers?.['content-type'] === 'string' ? headers['content-type'] : '';
			const bytes = new Uint8Array(body ?? []);
			const sitemap = await readSitemap(bytes, type, result.url).catch(asError);
			if (!(sitemap instanceof Error)) return sitemap;
			const error = new DescribedError({
				message: 'The sitemap could not be read',
				description: `${shownUrl(url)}: ${sitemap.message}. Enter the address of a sitemap in 'URL', or set 'Start From' to 'Page'.`,
			});
			// It came, and is not as wanted
			result = { ...result, error };
		}
		// The first one may come out; what the others hold is not needed
		unread.push(unread.length === 0 ? result : { ...result, content: undefined });
		return undefined;
	}
}

function* chunks(urls: readonly string[]): Generator<readonly string[]> {
	for (let from = 0; from < urls.length; from += ADDRESSES_AT_ONCE) {
		yield urls.slice(from, from + ADDRESSES_AT_ONCE);
	}
}
