import type { IExecuteFunctions } from 'n8n-workflow';

import { untilCancelled } from '../../../../shared/concurrency/wait';
import { formatNumber } from '../../../../shared/wording';
import type { Item, RunOutcome } from '../../../operation';
import { SiteRules } from '../../../pages/crawl/siteRules';
import { notRequested, wordsOf } from '../../../pages/openPage';
import { readSourceRequest } from '../../../proxies/sourceFields';
import { PageOutcomes, WITHOUT_URL } from '../pageOutcomes';
import { Crawl } from './crawl';
import { readCrawlRequest } from './crawlRequest';

const NO_LINKS =
	"A start led to no other page: check 'Follow', and whether its links are made by JavaScript, which are not seen.";

const NO_PAGES =
	"A sitemap led to no page: check 'Follow', and whether its pages are of another host ('Same Site').";

const TOO_DEEP = "There are more pages, whose links were not followed because of 'Max Depth'.";

/** What the user should know of links that were not followed. */
function linkHints(crawls: readonly Crawl[], rules: Iterable<SiteRules>): string[] {
	const sumOf = (what: keyof Crawl['leftOut']) =>
		crawls.reduce((sum, { leftOut }) => sum + leftOut[what], 0);
	const why: ReadonlyArray<[number, string]> = [
		[sumOf('forbidden'), 'because of robots.txt'],
		[sumOf('beyondMaxPages'), "because of 'Max Pages'"],
	];
	const counted = why.filter(([count]) => count > 0);
	const reasons = counted.map(([count, reason]) => `${formatNumber(count)} ${reason}`);
	const sitemaps = sumOf('sitemaps');
	const unread = [...rules].flatMap(({ failures }) => [...failures]);
	return [
		...(reasons.length > 0 ? [`Links not followed: ${reasons.join(', ')}.`] : []),
		...(sumOf('beyondMaxDepth') > 0 ? [TOO_DEEP] : []),
		...(sumOf('withoutLinks') > 0 ? [NO_LINKS] : []),
		...(sumOf('emptySitemaps') > 0 ? [NO_PAGES] : []),
		...(sitemaps > 0 ? [`Sitemaps not read: ${formatNumber(sitemaps)}.`] : []),
		...unread.map(
			([site, error]) =>
				`The robots.txt of ${site} could not be read, and so forbids everything: ${wordsOf(error).join('. ')} To go on without it, turn off 'Respect Robots.txt' in 'Options'.`,
		),
	];
}

/** Runs "Page: Crawl" over all input items. */
export async function crawlPages(
	context: IExecuteFunctions,
	items: readonly Item[],
): Promise<RunOutcome> {
	const outcomes = new PageOutcomes(context);
	const { run } = outcomes;
	const crawls: Crawl[] = [];
	const begun: Array<Promise<void>> = [];
	/** By the user agent that was typed. */
	const rulesOf = new Map<string, SiteRules>();

	const readItems = [];
	// All are checked before the first one is asked for
	for (const [index, item] of items.entries()) {
		try {
			const request = readCrawlRequest(item);
			readItems.push({ index, item, request, proxies: readSourceRequest(item) });
		} catch (error) {
			outcomes.refuse(index, error);
		}
		if (run.signal.aborted) return outcomes.outcome();
	}
	for (const { index, item, request, proxies } of readItems) {
		const starts = request.starts.filter(({ urlError }) => urlError === undefined);
		for (const [group, start] of request.starts.entries()) {
			const { address, urlError } = start;
			if (urlError === undefined) continue;
			const json = { url: address, depth: 0 };
			const page = { index, group, input: { json }, request: { ...start, isOneOfSeveral: false } };
			outcomes.add(page);
			await outcomes.settle(page, notRequested(urlError), WITHOUT_URL);
		}
		if (starts.length === 0) continue;
		try {
			const way = await run.wayFor(item, request.starts[0], proxies);
			const userAgent = request.starts[0].page.headers['User-Agent'] ?? '';
			const rules = rulesOf.get(userAgent) ?? new SiteRules(userAgent);
			rulesOf.set(userAgent, rules);
			for (const start of starts) {
				const group = request.starts.indexOf(start);
				const surroundings = { way, rules, outcomes, index, group };
				const crawl = new Crawl(surroundings, request, start);
				crawls.push(crawl);
				begun.push(crawl.begin());
			}
		} catch (error) {
			outcomes.refuse(index, error);
		}
		if (run.signal.aborted) break;
	}
	// What waits for a page of a run that has ended would wait forever
	await untilCancelled(Promise.all(begun), run.signal).catch(() => undefined);
	await outcomes.finish(() => {
		for (const crawl of crawls) crawl.noteOpened();
	});
	return outcomes.outcome(linkHints(crawls, rulesOf.values()));
}
