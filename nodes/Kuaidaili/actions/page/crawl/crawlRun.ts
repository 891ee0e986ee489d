import type { IExecuteFunctions } from 'n8n-workflow';

import { untilCancelled } from '../../../../shared/concurrency/wait';
import { formatNumber } from '../../../../shared/wording';
import type { Item, ItemOutcome, OperationResult, RunOutcome } from '../../../operation';
import type { FoundPage } from '../../../pages/crawl/frontier';
import { SiteRules } from '../../../pages/crawl/siteRules';
import { OpenedPages } from '../../../pages/openedPages';
import { wordsOf, type PageResult } from '../../../pages/openPage';
import { PageRun } from '../../../pages/pageRun';
import type { ProxyRequest } from '../../../proxies/productFields';
import { readSourceRequest } from '../../../proxies/sourceFields';
import { endsRun } from '../../runItems';
import { toPageItem } from '../open/pageOutput';
import { Crawl } from './crawl';
import { readCrawlRequest, type CrawlRequest } from './crawlRequest';

/** An item whose fields were read and checked. */
interface ReadItem {
	readonly index: number;
	readonly request: CrawlRequest;
	readonly proxies: ProxyRequest;
}

const KEEP =
	"To keep the pages that were opened when a start is not, set 'On Error' in the settings of the node to 'Continue'.";

/** One run of "Page: Crawl" over all input items. */
export class CrawlRun {
	/** Of items that could not be used, or that nothing came of. */
	private readonly refused = new Map<number, ItemOutcome>();

	private readonly crawls = new Map<number, Crawl[]>();

	private readonly rules = new Map<string, SiteRules>();

	private readonly openedPages: OpenedPages;

	private readonly run: PageRun;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly items: readonly Item[],
	) {
		this.run = new PageRun(context);
		this.openedPages = new OpenedPages(context);
	}

	async executeAll(): Promise<RunOutcome> {
		const { signal } = this.run;
		const read: ReadItem[] = [];
		// All are checked before the first one is asked for
		for (const [index, item] of this.items.entries()) {
			try {
				read.push({ index, request: readCrawlRequest(item), proxies: readSourceRequest(item) });
			} catch (error) {
				this.refuse(index, error);
			}
			if (signal.aborted) return this.outcome();
		}
		const begun: Array<Promise<void>> = [];
		for (const one of read) {
			await this.begin(one, begun).catch((error: unknown) => this.refuse(one.index, error));
			if (signal.aborted) break;
		}
		// What waits for a page of a run that has ended would wait forever
		await untilCancelled(Promise.all(begun), signal).catch(() => undefined);
		await this.run.finish();
		if (!signal.aborted) await this.noteOpened();
		return this.outcome();
	}

	/** @throws what asking for the order throws */
	private async begin(read: ReadItem, begun: Array<Promise<void>>): Promise<void> {
		const { index, request, proxies } = read;
		const { page, skipOpened, failsItem } = request.open;
		const { counts } = this.run;
		const goesOn = this.context.continueOnFail() || this.items[index].isForAgent;
		const way = await this.run.wayFor(this.items[index], { ...request.open, proxies });
		const userAgent = page.headers['User-Agent'] ?? '';
		const rules = this.rules.get(userAgent) ?? new SiteRules(userAgent);
		this.rules.set(userAgent, rules);
		const crawls: Crawl[] = [];
		this.crawls.set(index, crawls);
		for (const start of request.starts) {
			const surroundings = {
				run: this.run,
				rules,
				openedPages: skipOpened ? this.openedPages : undefined,
				toItem: async (found: FoundPage, result: PageResult) =>
					await this.toItem(read, found, result),
				mayComeOut: () =>
					!failsItem && (goesOn || counts.opened > 0 || counts.failed < counts.total),
				startFailed: () => this.endIfFailed(index),
			};
			const crawl = new Crawl(surroundings, request, start, way);
			crawls.push(crawl);
			begun.push(crawl.begin());
		}
	}

	private async toItem(
		{ index, request }: ReadItem,
		{ url, depth, finder }: FoundPage,
		result: PageResult,
	): Promise<OperationResult> {
		const { isForAgent } = this.items[index];
		const { open } = request;
		const json = { url, depth, ...(finder === undefined ? {} : { foundOn: finder.url }) };
		const page = { ...open.page, url };
		const pageRequest = { ...open, page, address: url, isOneOfSeveral: false };
		return await toPageItem(this.context, { json }, result, { request: pageRequest, isForAgent });
	}

	private refuse(index: number, error: unknown): void {
		this.refused.set(index, { error });
		if (endsRun(this.context, error)) this.run.end();
	}

	/** Where no start of an item could be opened. */
	private endIfFailed(index: number): void {
		const failure = this.failureOf(index);
		if (failure !== undefined) this.refuse(index, failure);
	}

	private failureOf(index: number): Error | undefined {
		const crawls = this.crawls.get(index) ?? [];
		return crawls.every(({ failure }) => failure !== undefined) ? crawls[0]?.failure : undefined;
	}

	private async noteOpened(): Promise<void> {
		for (const crawls of this.crawls.values()) for (const crawl of crawls) crawl.noteOpened();
		await this.openedPages.save();
	}

	private outcome(): RunOutcome {
		const { summary, counts, hints } = this.run;
		const items: Array<[number, ItemOutcome]> = [...this.refused];
		for (const [index, crawls] of this.crawls) {
			if (this.refused.has(index)) continue;
			for (const result of crawls.flatMap((crawl) => crawl.items)) items.push([index, { result }]);
		}
		return {
			items,
			hints: [summary, ...this.linkHints, ...this.openedPages.hints, ...hints],
			note: counts.opened === 0 ? undefined : `${summary} ${KEEP}`,
		};
	}

	/** What the user should know of links that were not followed. */
	private get linkHints(): string[] {
		const crawls = [...this.crawls.values()].flat();
		const sumOf = (count: (crawl: Crawl) => number) =>
			crawls.reduce((sum, crawl) => sum + count(crawl), 0);
		const forbidden = sumOf(({ leftOut }) => leftOut.forbidden);
		const beyond = sumOf(({ leftOut }) => leftOut.beyondMaxPages);
		const sitemaps = sumOf(({ sitemapsLeft }) => sitemapsLeft);
		const unread = [...this.rules.values()].flatMap(({ failures }) => [...failures]);
		const why: ReadonlyArray<[number, string]> = [
			[forbidden, 'because of robots.txt'],
			[beyond, "because of 'Max Pages'"],
		];
		const counted = why.filter(([count]) => count > 0);
		const reasons = counted.map(([count, reason]) => `${formatNumber(count)} ${reason}`);
		return [
			...(reasons.length > 0 ? [`Links not followed: ${reasons.join(', ')}.`] : []),
			...(sitemaps > 0 ? [`Sitemaps not read: ${formatNumber(sitemaps)}.`] : []),
			...unread.map(
				([site, error]) =>
					`The robots.txt of ${site} could not be read, and so forbids everything: ${wordsOf(error).join('. ')} To go on without it, turn off 'Respect Robots.txt' in 'Options'.`,
			),
		];
	}
}
