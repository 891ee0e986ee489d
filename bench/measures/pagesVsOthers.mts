import { at, readList } from '../../harness/outsideData.mts';
import { MANUAL_TRIGGER } from '../../harness/realN8n/workflows.mts';
import type { FinishedRun } from '../../harness/realN8n/index.mts';
import { crawl, loadCrawlee } from '../crawlee.mts';
import { kuaidailiStep, openBenchN8n, workflowOf, type Link, type Step } from '../inN8n.mts';
import type { Measure } from '../measure.mts';
import { takePairs } from '../pairs.mts';
import {
	AT_A_TIME,
	openSlowSite,
	openStep,
	PAGE_MS,
	PAGES,
	SLOW_PATH,
	type SlowSite,
} from '../slowSite.mts';
import { ratioOf } from '../statistics.mts';

const ROUNDS = 3;

const extractStep = (name: string): Step =>
	kuaidailiStep(name, {
		resource: 'proxy',
		operation: 'extract',
		product: 'DPS',
		output: 'forEachInput',
		options: { maxExtractionsPerRun: 0 },
	});

/** HTTP Request sends a batch, waits, and sends the next one: as many at a time as the other side. */
const requestStep = (name: string, { page }: SlowSite): Step => ({
	name,
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	onError: 'continueErrorOutput',
	parameters: {
		url: page(SLOW_PATH),
		options: {
			proxy: '={{ $json.proxyUrl }}',
			batching: { batch: { batchSize: AT_A_TIME, batchInterval: PAGE_MS } },
			timeout: 10_000,
		},
	},
});

/** What the example for HTTP Request does: pages whose proxy is dead get another one, twice. */
function stepsByHand(site: SlowSite): { readonly steps: Step[]; readonly links: Link[] } {
	const rounds = ['', ' again', ' for the last time'];
	const steps = rounds.flatMap((round) => [
		extractStep(`Proxies${round}`),
		requestStep(`Request${round}`, site),
	]);
	const links = rounds.flatMap((round, index): Link[] => [
		index === 0
			? [MANUAL_TRIGGER, `Proxies${round}`]
			: [`Request${rounds[index - 1]}`, `Proxies${round}`, 0, 1],
		[`Proxies${round}`, `Request${round}`],
	]);
	return { steps, links };
}

/** From the start of the first step to the end of the last that ran, by n8n's own record. */
function resultOf({ saved, status }: FinishedRun, steps: readonly Step[]) {
	if (status !== 'success') throw new Error(`The run ended with ${status}`);
	const tasks = steps
		.map(({ name }) => at(saved, 'data', 'resultData', 'runData', name, 0))
		.filter((task) => task !== undefined);
	const starts = tasks.map((task) => Number(at(task, 'startTime')));
	const ends = tasks.map((task, index) => starts[index] + Number(at(task, 'executionTime')));
	const pages = steps
		.filter(({ name }) => name.startsWith('Request') || name === 'Open')
		.map(({ name }) => ['data', 'resultData', 'runData', name, 0, 'data', 'main', 0])
		.filter((path) => at(saved, ...path) !== undefined)
		.reduce((sum, path) => sum + readList(saved, ...path).length, 0);
	return { ms: Math.max(...ends) - Math.min(...starts), pages };
}

const pagesVsHttpRequest: Measure = {
	name: 'pages-vs-http-request',
	compares: `In a real n8n, Page: Open of ${PAGES} slow pages / Proxy: Extract and HTTP Request of the same pages, in batches of as many, with another proxy for each page whose proxy was dead. By n8n's own record.`,
	goal: 1,
	async measure(say) {
		const site = await openSlowSite();
		const n8n = await openBenchN8n(site.sandbox, 'order', site.order.keys, say);
		const used = { ours: 0, other: 0 };
		const sampler = async (
			side: keyof typeof used,
			steps: readonly Step[],
			links?: readonly Link[],
		) => {
			const id = await n8n.createWorkflow(workflowOf(side, steps, { links, itemCount: PAGES }));
			return async () => {
				const before = site.used();
				const { ms, pages } = resultOf(await n8n.runWorkflow(id, MANUAL_TRIGGER), steps);
				used[side] = (site.used() - before) / pages;
				if (side === 'ours' && pages !== PAGES) throw new Error(`${pages} pages came`);
				return ms / pages;
			};
		};
		const byHand = stepsByHand(site);
		const pairs = await takePairs({
			ours: await sampler('ours', [openStep(site)]),
			other: await sampler('other', byHand.steps, byHand.links),
			pairs: ROUNDS,
			warmUps: 1,
		});
		return { ...ratioOf(pairs), proxiesPerPage: used.ours, otherProxiesPerPage: used.other };
	},
};

const pagesVsCrawlee: Measure = {
	name: 'pages-vs-crawlee',
	compares: `In one process, Page: Open of ${PAGES} slow pages / crawlee's HTTP crawler on the same pages, as many at a time, with proxies of the same order that it was given before. Time for each page that came.`,
	goal: 1,
	async measure(say) {
		const { runInEngine } = await import('../engine.mts');
		const crawlee = await loadCrawlee(say);
		const site = await openSlowSite();
		const { credential, page } = site;
		const node = { credential };
		const lost: number[] = [];
		let round = 0;
		const pairs = await takePairs({
			ours: async () => {
				const options = { pagesAtATime: AT_A_TIME, maxExtractionsPerRun: 0 };
				const { nodeMs, items } = await runInEngine({
					...node,
					parameters: { ...openStep(site).parameters, options },
					itemCount: PAGES,
				});
				return nodeMs / items.length;
			},
			other: async () => {
				const { items } = await runInEngine({
					...node,
					parameters: { ...extractStep('').parameters, output: 'eachProxy', num: PAGES * 1.2 },
				});
				const proxyUrls = items.map(({ json }) => String(json.proxyUrl));
				round += 1;
				const urls = Array.from({ length: PAGES }, (_, n) => page(`${SLOW_PATH}&n=${round}-${n}`));
				const { ms, pages } = await crawl(crawlee, urls, { proxyUrls, atATime: AT_A_TIME });
				lost.push(PAGES - pages);
				return ms / pages;
			},
			pairs: ROUNDS,
			warmUps: 1,
		});
		return { ...ratioOf(pairs), pagesThatCrawleeLost: lost };
	},
};

export const pagesVsOthers: readonly Measure[] = [pagesVsHttpRequest, pagesVsCrawlee];
