import type { IExecuteFunctions } from 'n8n-workflow';

import { Crawl } from '../../../../../../nodes/Kuaidaili/pages/crawl/crawler.ts';
import { CrawlRun } from '../../../../../../nodes/Kuaidaili/pages/crawl/crawlRun.ts';
import type { CrawlRequest } from '../../../../../../nodes/Kuaidaili/pages/crawl/crawlRequest.ts';
import { OpenedPages } from '../../../../../../nodes/Kuaidaili/pages/output/openedPages.ts';
import { PageOutput } from '../../../../../../nodes/Kuaidaili/pages/output/pageOutput.ts';
import type { PageRequest } from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import { CircuitBreaker } from '../../../../../../nodes/Kuaidaili/pages/run/circuitBreaker.ts';
import { PageRun } from '../../../../../../nodes/Kuaidaili/pages/run/pageRun.ts';
import {
	fakeProxies,
	fakeSender,
	NO_LIMIT,
	pageRequest,
	type Reaction,
} from '../run/fakePages.mts';

const REQUEST: CrawlRequest = {
	startsFromSitemap: false,
	maxDepth: 1,
	maxPages: 50,
	links: [],
	except: [],
	sameSite: false,
	respectsRobots: true,
};

/** What n8n keeps of a node from one execution to the next. */
function recordsOf(kept: Set<string>) {
	return {
		async checkProcessedAndRecord(items: string[]) {
			const fresh = items.filter((item) => !kept.has(item));
			for (const item of fresh) kept.add(item);
			const processed = items.filter((item) => !fresh.includes(item));
			return await Promise.resolve({ new: fresh, processed });
		},
		async removeProcessed(items: string[]) {
			for (const item of items) kept.delete(item);
			await Promise.resolve();
		},
	};
}

/** Crawls from a page through fake proxies, and tells what came out, what was asked for, and what the user is told. */
export async function crawl(
	react: Reaction,
	changes: Partial<CrawlRequest>,
	ofPage: Partial<PageRequest> = {},
	kept = new Set<string>(),
) {
	const { send, requests } = fakeSender(react);
	const context = {
		helpers: { httpRequest: send, ...recordsOf(kept) },
		getNode: () => ({ name: 'Kuaidaili', type: 'kuaidaili', parameters: {} }),
		getWorkflow: () => ({ id: '1' }),
		getContext: () => ({}),
		getExecutionId: () => '1',
		getWorkflowDataProxy: () => ({ $runIndex: 0 }),
		getExecutionCancelSignal: () => undefined,
		continueOnFail: () => false,
		logger: { debug() {}, info() {}, warn() {} },
	} as unknown as IExecuteFunctions;
	const pageRun = new PageRun(context);
	const output = new PageOutput(context, pageRun);
	const route = {
		orderKey: 'order',
		proxies: fakeProxies().proxies,
		pace: NO_LIMIT,
		breaker: new CircuitBreaker(),
	};
	const { url = 'http://site.example/' } = ofPage;
	const request = pageRequest({ url, address: url, format: 'text', ...ofPage });
	const start = { index: 0, group: 0, request, input: { json: {} } };
	const openedPages = new OpenedPages(context);
	const run = new CrawlRun(pageRun, output, openedPages);
	const ofStart = new Crawl(run, route, { ...REQUEST, ...changes }, start);
	await ofStart.open();
	ofStart.noteOpened();
	await openedPages.record();
	const { items, hints = [] } = output.finish(run.report.hints);
	const outcomes = [...items].map(([, outcome]) => outcome);
	return {
		urls: outcomes.flatMap((outcome) =>
			outcome.kind === 'result' ? outcome.result.records.map((record) => record.url) : [],
		),
		errors: outcomes.flatMap((outcome) => (outcome.kind === 'error' ? [outcome.error] : [])),
		requests,
		hints,
	};
}
