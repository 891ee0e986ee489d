import type { IExecuteFunctions } from 'n8n-workflow';

import { untilCancelled } from '../../../shared/concurrency/wait';
import { toCollection, toProperty } from '../../../shared/fields/field';
import { ordersOf } from '../../../shared/orders/orderField';
import type { RunOutcome, RunOperation } from '../../operation';
import type { Item } from '../../item/item';
import { Crawl, crawlRun, hintsOf, pageOf } from '../../pages/crawl/crawler';
import {
	crawlFields,
	followCollection,
	GIVEN,
	readCrawlRequest,
	readStarts,
	respectRobotsField,
	startUrlField,
} from '../../pages/crawl/crawlRequest';
import { refuseOverwriting } from '../../pages/output/pageItem';
import { PageOutput } from '../../pages/output/pageOutput';
import { PAGE_OPTIONS, pageProperties, retryIfCollection } from '../../pages/request/pageFields';
import { notRequested } from '../../pages/run/pageResult';
import { PageRun, type PageRoute } from '../../pages/run/pageRun';
import { optionsCollection } from '../../parameters/callOptions';
import { productField } from '../../proxies/products';
import {
	readProviderRequest,
	providerOptions,
	providerProperties,
} from '../../proxies/providerFields';

async function crawlPages(context: IExecuteFunctions, items: readonly Item[]): Promise<RunOutcome> {
	const pageRun = new PageRun(context);
	const output = new PageOutput(context, pageRun);
	const run = crawlRun(pageRun, output);
	const { signal } = pageRun;
	const crawls: Crawl[] = [];
	const read = await output.readItems(items, async (item, index) => {
		const starts = await readStarts(item);
		refuseOverwriting({ json: { depth: 0, foundOn: '' } }, starts[0]);
		const wanted = readCrawlRequest(item);
		return { index, item, starts, wanted, proxies: readProviderRequest(item) };
	});
	for (const { index, item, starts, wanted, proxies } of read) {
		let way: PageRoute | undefined;
		try {
			for (const [group, request] of starts.entries()) {
				const { address, urlError } = request;
				const start = { index, group, request };
				if (urlError === undefined) {
					way ??= await pageRun.routeFor(item, request, proxies);
					crawls.push(new Crawl(run, way, wanted, start));
					continue;
				}
				const page = pageOf(start, { url: address, depth: 0 });
				await output.finishPage(page, notRequested(urlError));
			}
		} catch (error) {
			output.refuse(index, error);
		}
		if (signal.aborted) break;
	}
	// What waits for a page of a run that has ended would wait forever
	const opened = Promise.all(crawls.map(async (crawl) => await crawl.open()));
	await untilCancelled(opened, signal).catch(() => undefined);
	return await output.finish(() => {
		for (const crawl of crawls) crawl.noteOpened();
		return hintsOf(run);
	});
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
		...providerProperties,
		...[startUrlField, ...crawlFields].map(toProperty),
		toCollection(followCollection),
		...pageProperties.filter(({ name }) => !GIVEN.has(name)),
		toCollection(retryIfCollection),
		optionsCollection([...providerOptions, ...PAGE_OPTIONS, respectRobotsField]),
	],
	executeAll: crawlPages,
};
