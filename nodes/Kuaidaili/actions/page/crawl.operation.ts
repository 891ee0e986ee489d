import type { IExecuteFunctions } from 'n8n-workflow';

import { toCollection, toProperty } from '../../../shared/fields/field';
import { ordersOf } from '../../../shared/orders/orderField';
import type { Operation, RunOutcome } from '../../run/operation';
import type { Item } from '../../run/item';
import { Crawl, crawledPage } from '../../pages/crawl/crawler';
import { CrawlRun } from '../../pages/crawl/crawlRun';
import {
	crawlOptions,
	followCollection,
	FIXED_VALUES,
	readCrawlRequest,
	readStarts,
	startFromField,
	startUrlField,
	type CrawlRequest,
} from '../../pages/crawl/crawlRequest';
import { refuseOverwriting } from '../../pages/output/pageItem';
import { OpenedPages } from '../../pages/output/openedPages';
import { PageOutput } from '../../pages/output/pageOutput';
import type { PageRequest } from '../../pages/request/pageRequest';
import { pageOptionsCollection, pageProperties } from '../../pages/request/pageFields';
import type { PageRoute } from '../../pages/run/attempt';
import { notRequested } from '../../pages/run/pageResult';
import { PageRun } from '../../pages/run/pageRun';
import type { ProxyRequest } from '../../proxies/productFields';
import { productField } from '../../proxies/products';
import {
	readProviderRequest,
	providerOptionProperties,
	providerOptions,
	providerProperties,
} from '../../proxies/providerFields';

/** The crawls of an item, as its fields say. */
interface CrawlPlan {
	readonly index: number;
	readonly item: Item;
	/** Pages to start from, at least one; they have all but their address in common. */
	readonly starts: readonly PageRequest[];
	readonly request: CrawlRequest;
	readonly proxies: ProxyRequest;
}

/** Reads and checks the fields of an item; asks for nothing. Throws InvalidFieldError, DescribedError. */
async function readPlan(item: Item, index: number, output: PageOutput): Promise<CrawlPlan> {
	const starts = output.admit(await readStarts(item));
	refuseOverwriting({ json: { depth: 0, foundOn: '' } }, starts[0]);
	const request = readCrawlRequest(item);
	const room = Math.floor(output.roomForPages / starts.length);
	const maxPages = Math.min(request.maxPages, room);
	const proxies = readProviderRequest(item);
	return { index, item, starts, request: { ...request, maxPages }, proxies };
}

/** The crawls of an item. A start whose address cannot be used comes out by itself. */
async function routeCrawls({ index, item, starts, request, proxies }: CrawlPlan, run: CrawlRun) {
	const { pageRun, output } = run;
	const crawls: Crawl[] = [];
	let route: PageRoute | undefined;
	for (const [group, page] of starts.entries()) {
		const { address, urlError } = page;
		// The other fields of the input item do not come along
		const start = { index, group, request: page, input: { json: {} } };
		if (urlError === undefined) {
			route ??= await pageRun.routeFor(item, page, proxies);
			crawls.push(new Crawl(run, route, request, start));
		} else {
			const unusable = crawledPage(start, { url: address, depth: 0 });
			await output.finishPage(unusable, notRequested(urlError));
		}
	}
	return crawls;
}

async function crawlPages(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome> {
	const pageRun = new PageRun(context);
	const output = new PageOutput(context, pageRun);
	const openedPages = new OpenedPages(context);
	const run = new CrawlRun(pageRun, output, openedPages);
	const { signal } = pageRun;

	const plans: CrawlPlan[] = [];
	for (const [index, item] of items.entries()) {
		if (signal.aborted) break;
		try {
			plans.push(await readPlan(item, index, output));
		} catch (error) {
			output.refuse(index, error);
		}
	}
	const crawls: Crawl[] = [];
	for (const plan of plans) {
		if (signal.aborted) break;
		const refuse = (error: unknown) => output.refuse(plan.index, error);
		const routed = await routeCrawls(plan, run).catch(refuse);
		crawls.push(...(routed ?? []));
	}
	await Promise.all(crawls.map(async (crawl) => await crawl.open()));
	for (const crawl of crawls) crawl.noteOpened();
	// Whoever did not get the pages needs them again
	if (!signal.aborted) await openedPages.record();
	return output.finish([...run.report.hints, ...openedPages.hints]);
}

export const pageCrawl: Operation = {
	option: {
		name: 'Crawl',
		value: 'crawl',
		action: 'Crawl pages through proxies',
		description:
			'Open a page and the pages that it links to, or those of a sitemap, each through a proxy',
	},
	orders: (valueOf) => ordersOf(valueOf(productField.name)),
	properties: [
		...providerProperties,
		...[startUrlField, startFromField].map(toProperty),
		toCollection(followCollection),
		...pageProperties,
		pageOptionsCollection(
			[...providerOptions, ...crawlOptions],
			providerOptionProperties,
			(name) => !FIXED_VALUES.has(name),
		),
	],
	executeAll: crawlPages,
};
