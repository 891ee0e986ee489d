import { breaks } from '../../../../shared/concurrency/wait';
import { CancelledError, DescribedError } from '../../../../shared/errors/callErrors';
import { fingerprintOf } from '../../../../shared/fingerprint';
import type { OperationResult } from '../../../operation';
import { Frontier, type FoundPage } from '../../../pages/crawl/frontier';
import { readSitemap, readSitemaps, type Sitemap } from '../../../pages/crawl/sitemap';
import type { OpenAddress, SiteRules } from '../../../pages/crawl/siteRules';
import type { OpenedPages } from '../../../pages/openedPages';
import type { PageResult } from '../../../pages/openPage';
import { withoutFragment } from '../../../pages/pageRequest';
import type { PageRun, PageWay } from '../../../pages/pageRun';
import { NO_SUCH_PAGE, outcomeInWords, shownUrl } from '../../../pages/verdict';
import type { CrawlRequest } from './crawlRequest';

/** What a crawl shares with the others of its run. */
export interface CrawlSurroundings {
	readonly run: PageRun;
	readonly rules: SiteRules;
	/** Undefined where pages of earlier executions are opened again. */
	readonly openedPages?: OpenedPages;
	/** What comes out for a page. Throws DescribedError for one that is not what was asked for. */
	readonly toItem: (found: FoundPage, result: PageResult) => Promise<OperationResult>;
	/** Whether a start that could not be opened is put out among the others. */
	readonly mayComeOut: () => boolean;
	/** Called when it is not. */
	readonly startFailed: () => void;
}

/** A page of a crawl. */
interface CrawledPage {
	readonly found: FoundPage;
	/** What comes out; undefined as long as it isn't there, and for one that is opened for its links only. */
	item?: OperationResult;
}

/** So many addresses are looked at in one piece. */
const ADDRESSES_AT_ONCE = 500;

const SITEMAP_PATH = /\.(?:xml|txt)(?:\.gz)?$|sitemap/i;

/** The pages that one start leads to. */
export class Crawl {
	/** In the order in which they were taken. */
	private readonly pages = new Set<CrawledPage>();

	/** Addresses that earlier executions have put out. */
	private readonly openedBefore = new Set<string>();

	private readonly opened: FoundPage[] = [];

	/** Those that a later execution is to try. */
	private readonly unopened: FoundPage[] = [];

	private readonly frontier: Frontier;

	/** Why nothing came of it. */
	failure?: Error;

	/** Of a sitemap. */
	private firstFailure?: PageResult;

	/** How many sitemaps could not be read, or are too many. */
	sitemapsLeft = 0;

	constructor(
		private readonly surroundings: CrawlSurroundings,
		private readonly request: CrawlRequest,
		private readonly start: string,
		private readonly way: PageWay,
	) {
		this.frontier = new Frontier(start, request.limits);
	}

	/** Resolves when the pages that it starts with are under way. Never rejects. */
	async begin(): Promise<void> {
		try {
			if (this.request.startsFromSitemap) await this.readSitemaps();
			else {
				const start = { url: withoutFragment(this.start), depth: 0 };
				await this.leaveOut([start]);
				this.frontier.add([start]);
				this.takeAll();
			}
		} catch (failure) {
			if (failure instanceof CancelledError) return;
			const error = asError(failure);
			const found = { url: withoutFragment(this.start), depth: 0 };
			const nothing = { url: this.start, attempts: [], mayHaveArrived: false };
			this.surroundings.run.counts.total += 1;
			await this.settle(this.pageOf(found), { ...(this.firstFailure ?? nothing), error });
		}
	}

	/** What came out. */
	get items(): OperationResult[] {
		return [...this.pages].flatMap(({ item }) => item ?? []);
	}

	get leftOut(): Frontier['leftOut'] {
		return this.frontier.leftOut;
	}

	/** Notes for later executions what need not be opened again: neither it nor what it leads to. */
	noteOpened(): void {
		const { openedPages } = this.surroundings;
		const leading = new Set<FoundPage>();
		for (let page of [...this.frontier.waiting, ...this.unopened]) {
			for (; page.finder !== undefined && !leading.has(page.finder); page = page.finder) {
				leading.add(page.finder);
			}
		}
		for (const page of this.opened) {
			openedPages?.note(page.url);
			if (!leading.has(page)) openedPages?.note(this.finishedKey(page));
		}
	}

	private finishedKey({ url }: FoundPage): string {
		const { limits, selector } = this.request;
		return `${fingerprintOf(limits, selector)} ${url}`;
	}

	private fail(error: Error): void {
		this.failure = error;
		this.surroundings.startFailed();
	}

	/** What only shows the way is no page that has to look as pages should. */
	private readonly openDirection: OpenAddress = (url, done) => {
		const { page } = this.request.open;
		const { statuses } = page.retryIf;
		this.add(
			{ ...page, url, retryIf: { statuses, contains: [], lacks: [], shorterThan: 0 } },
			done,
		);
	};

	private add(page: CrawlRequest['open']['page'], done: (result: PageResult) => unknown): void {
		const { run } = this.surroundings;
		run.add([
			{
				...this.way,
				page,
				done: async (opening) => {
					try {
						await done(await opening);
					} catch (error) {
						// Of a run that has ended, nobody gets anything
						if (!(error instanceof CancelledError)) this.fail(asError(error));
					}
				},
			},
		]);
	}

	/** Takes all pages that may be taken, so that the proxies for them are extracted together. */
	private takeAll(): void {
		for (let page = this.frontier.take(); page !== undefined; page = this.frontier.take()) {
			this.openIfAllowed(page);
		}
	}

	private openIfAllowed(found: FoundPage): void {
		const { rules, run } = this.surroundings;
		if (found.depth > 0 && this.request.respectsRobots) {
			const robots = rules.of(found.url, this.openDirection, () => {
				this.openIfAllowed(found);
				this.takeAll();
			});
			if (robots === undefined) return;
			if (!robots.allows(found.url)) return this.frontier.forbid();
		}
		const page = this.pageOf(found);
		run.counts.total += 1;
		this.add({ ...this.request.open.page, url: found.url }, async (result) => {
			await this.settle(page, result);
		});
	}

	private pageOf(found: FoundPage): CrawledPage {
		const page = { found };
		this.pages.add(page);
		return page;
	}

	/** A page was opened, or given up. */
	private async settle(page: CrawledPage, result: PageResult): Promise<void> {
		const { found } = page;
		const { run, mayComeOut } = this.surroundings;
		if (result.error === undefined && !this.frontier.open(found, result.url)) {
			this.pages.delete(page);
			run.counts.total -= 1;
			return this.takeAll();
		}
		const error = await this.putOut(page, result);
		if (error === undefined) {
			run.count();
			this.opened.push(found);
			return await this.followLinks(found, result);
		}
		run.count(outcomeInWords(result.outcome, result.statusCode));
		this.frontier.fail(found);
		if (!NO_SUCH_PAGE.has(result.statusCode)) this.unopened.push(found);
		if (found.depth === 0 && !mayComeOut()) this.fail(error);
	}

	/** @returns why it was not opened, or is not what was asked for */
	private async putOut(page: CrawledPage, result: PageResult): Promise<Error | undefined> {
		const { toItem, openedPages } = this.surroundings;
		if (this.openedBefore.has(page.found.url) && openedPages !== undefined) {
			openedPages.skipped += 1;
			return result.error;
		}
		try {
			page.item = await toItem(page.found, result);
			return result.error;
		} catch (error) {
			const failure = asError(error);
			page.item = await toItem(page.found, { ...result, error: failure });
			return failure;
		}
	}

	private async followLinks(found: FoundPage, { content }: PageResult): Promise<void> {
		const { limits, selector } = this.request;
		if (content?.isHtml !== true || found.depth >= limits.maxDepth) return;
		const links = await content.links(selector);
		const urls = links.map(({ url }) => url);
		await this.follow(urls, found);
	}

	private async follow(urls: readonly string[], finder: FoundPage): Promise<void> {
		const pause = breaks();
		for (let from = 0; from < urls.length; from += ADDRESSES_AT_ONCE) {
			const some = urls.slice(from, from + ADDRESSES_AT_ONCE);
			const pages = this.frontier.worthFollowing(some, finder);
			this.frontier.add(await this.leaveOut(pages));
			await pause();
		}
		this.takeAll();
	}

	/** @returns those that earlier executions have left something to do of */
	private async leaveOut(pages: readonly FoundPage[]): Promise<readonly FoundPage[]> {
		const { openedPages } = this.surroundings;
		if (openedPages === undefined) return pages;
		const known = await openedPages.known(
			pages.flatMap((page) => [page.url, this.finishedKey(page)]),
		);
		for (const { url } of pages) if (known.has(url)) this.openedBefore.add(url);
		const left = pages.filter((page) => !known.has(this.finishedKey(page)));
		openedPages.skipped += pages.length - left.length;
		return left;
	}

	private async readSitemaps(): Promise<void> {
		const { pathname } = new URL(this.start);
		const isSitemap = SITEMAP_PATH.test(pathname) && pathname !== '/robots.txt';
		const starts = isSitemap ? [this.start] : await this.sitemapsOfSite();
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
		this.sitemapsLeft = failures.length + left;
	}

	private async sitemapsOfSite(): Promise<readonly string[]> {
		const { sitemaps } = await new Promise<{ readonly sitemaps: readonly string[] }>((resolve) => {
			const ask = () => {
				const robots = this.surroundings.rules.of(this.start, this.openDirection, ask);
				if (robots !== undefined) resolve(robots);
			};
			ask();
		});
		return sitemaps.length > 0 ? sitemaps : [new URL('/sitemap.xml', this.start).href];
	}

	private async sitemapAt(url: string): Promise<Sitemap> {
		const result = await new Promise<PageResult>((resolve) => this.openDirection(url, resolve));
		const { error, content } = result;
		if (error !== undefined) {
			this.firstFailure ??= result;
			throw error;
		}
		try {
			return await readSitemap(new Uint8Array(content?.bytes ?? []));
		} catch (failure) {
			throw notSitemap(url, failure);
		}
	}
}

function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}

function notSitemap(url: string, failure: unknown): Error {
	if (failure instanceof CancelledError) return failure;
	const reason = failure instanceof Error ? failure.message : String(failure);
	return new DescribedError({
		message: 'The sitemap could not be read',
		description: `${shownUrl(url)}: ${reason}. Enter the address of a sitemap in 'URL', or set 'Start From' to 'Page'.`,
	});
}
