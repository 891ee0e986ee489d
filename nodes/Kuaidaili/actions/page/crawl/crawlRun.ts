import type { IExecuteFunctions } from 'n8n-workflow';

import { untilCancelled } from '../../../../shared/concurrency/wait';
import { formatNumber } from '../../../../shared/wording';
import type { Item, RunOutcome } from '../../../operation';
import { SiteRules } from '../../../pages/crawl/siteRules';
import { wordsOf } from '../../../pages/openPage';
import { PageRun } from '../../../pages/pageRun';
import type { ProxyRequest } from '../../../proxies/productFields';
import { readSourceRequest } from '../../../proxies/sourceFields';
import { PageOutcomes } from '../pageOutcomes';
import { Crawl } from './crawl';
import { readCrawlRequest, type CrawlRequest } from './crawlRequest';

/** An item whose fields were read and checked. */
interface ReadItem {
	readonly index: number;
	readonly request: CrawlRequest;
	readonly proxies: ProxyRequest;
}

const NO_LINKS =
	"A start led to no other page: check 'Follow', and whether its links are made by JavaScript, which are not seen.";

function beyondMaxDepth(pages: number): string {
	const whose = pages === 1 ? 'one page' : `${formatNumber(pages)} pages`;
	return `Links of ${whose} were not followed, because of 'Max Depth'.`;
}

/** One run of "Page: Crawl" over all input items. */
export class CrawlRun {
	private readonly crawls: Crawl[] = [];

	/** By the user agent that was typed. */
	private readonly rules = new Map<string, SiteRules>();

	private readonly run: PageRun;

	private readonly outcomes: PageOutcomes;

	constructor(
		context: IExecuteFunctions,
		private readonly items: readonly Item[],
	) {
		this.run = new PageRun(context);
		this.outcomes = new PageOutcomes(context, items, this.run);
	}

	async executeAll(): Promise<RunOutcome> {
		const { outcomes } = this;
		const { signal } = this.run;
		const read: ReadItem[] = [];
		// All are checked before the first one is asked for
		for (const [index, item] of this.items.entries()) {
			try {
				read.push({ index, request: readCrawlRequest(item), proxies: readSourceRequest(item) });
			} catch (error) {
				outcomes.refuse(index, error);
			}
			if (signal.aborted) return outcomes.outcome();
		}
		const begun: Array<Promise<void>> = [];
		for (const one of read) {
			await this.begin(one, begun).catch((error: unknown) => outcomes.refuse(one.index, error));
			if (signal.aborted) break;
		}
		// What waits for a page of a run that has ended would wait forever
		await untilCancelled(Promise.all(begun), signal).catch(() => undefined);
		await outcomes.finish(() => {
			for (const crawl of this.crawls) crawl.noteOpened();
		});
		return outcomes.outcome(this.linkHints);
	}

	/** @throws what asking for the order throws */
	private async begin(
		{ index, request, proxies }: ReadItem,
		begun: Array<Promise<void>>,
	): Promise<void> {
		const { run, outcomes } = this;
		const [{ page }] = request.starts;
		const way = await run.wayFor(this.items[index], { ...request.starts[0], proxies });
		const userAgent = page.headers['User-Agent'] ?? '';
		const rules = this.rules.get(userAgent) ?? new SiteRules(userAgent);
		this.rules.set(userAgent, rules);
		for (const start of request.starts) {
			const surroundings = { run, way, rules, outcomes, index, group: this.crawls.length };
			const crawl = new Crawl(surroundings, request, start);
			this.crawls.push(crawl);
			begun.push(crawl.begin());
		}
	}

	/** What the user should know of links that were not followed. */
	private get linkHints(): string[] {
		const sumOf = (count: (crawl: Crawl) => number) =>
			this.crawls.reduce((sum, crawl) => sum + count(crawl), 0);
		const forbidden = sumOf(({ leftOut }) => leftOut.forbidden);
		const beyond = sumOf(({ leftOut }) => leftOut.beyondMaxPages);
		const deepest = sumOf(({ pagesAtMaxDepth }) => pagesAtMaxDepth);
		const sitemaps = sumOf(({ sitemapsLeft }) => sitemapsLeft);
		const withoutLinks = sumOf(({ foundNoLinks }) => Number(foundNoLinks));
		const unread = [...this.rules.values()].flatMap(({ failures }) => [...failures]);
		const why: ReadonlyArray<[number, string]> = [
			[forbidden, 'because of robots.txt'],
			[beyond, "because of 'Max Pages'"],
		];
		const counted = why.filter(([count]) => count > 0);
		const reasons = counted.map(([count, reason]) => `${formatNumber(count)} ${reason}`);
		return [
			...(reasons.length > 0 ? [`Links not followed: ${reasons.join(', ')}.`] : []),
			...(deepest > 0 ? [beyondMaxDepth(deepest)] : []),
			...(withoutLinks > 0 ? [NO_LINKS] : []),
			...(sitemaps > 0 ? [`Sitemaps not read: ${formatNumber(sitemaps)}.`] : []),
			...unread.map(
				([site, error]) =>
					`The robots.txt of ${site} could not be read, and so forbids everything: ${wordsOf(error).join('. ')} To go on without it, turn off 'Respect Robots.txt' in 'Options'.`,
			),
		];
	}
}
