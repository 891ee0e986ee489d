import { MANUAL_TRIGGER } from '../../harness/realN8n/workflows.mts';
import { crawl, loadCrawlee } from '../crawlee.mts';
import {
	durationOf,
	kuaidailiStep,
	openBenchN8n,
	requireItems,
	workflowOf,
	type Step,
} from '../inN8n.mts';
import type { Measure } from '../measure.mts';
import { takePairs } from '../pairs.mts';
import {
	AT_A_TIME,
	DEAD_SHARE,
	openSlowSite,
	PAGE_MS,
	PAGES,
	type SlowSite,
} from '../slowSite.mts';
import { ratioOf, type Pair } from '../statistics.mts';

const ROUNDS = 5;
const PAIRS = 3;

const LINKS = PAGES - 1;

/** The time that the start and, after that, the pages it links to take alone. */
const WAITING_MS = PAGE_MS + (LINKS / AT_A_TIME) * PAGE_MS;

const options = { pagesAtATime: AT_A_TIME, maxExtractionsPerRun: 0 };

/** A page with links to all others. */
const startOf = ({ page }: SlowSite, round: number) =>
	page(`/shop?items=${LINKS}&each=${LINKS}&ms=${PAGE_MS}&round=${round}`);

/** Page: Crawl of all pages, each through a new proxy. */
function crawlStep(site: SlowSite): Step {
	return kuaidailiStep('Crawl', {
		resource: 'page',
		operation: 'crawl',
		product: 'DPS',
		url: startOf(site, 1),
		follow: { links: '*/shop/item/*' },
		options: {
			reuse: false,
			maxPages: PAGES,
			// Of 500 pages, each second run has one that meets three dead proxies in a row
			maxAttempts: 6,
			...options,
		},
	});
}

const crawlTime: Measure = {
	name: 'crawl-500',
	compares: `In a real n8n, Page: Crawl from a page with ${LINKS} links, of pages that take ${PAGE_MS} ms each, ${AT_A_TIME} at a time, while each ${DEAD_SHARE}th private proxy is dead / the time that this waiting alone takes.`,
	goal: 1.2,
	async measure(say) {
		const site = await openSlowSite();
		const n8n = await openBenchN8n(site.sandbox, 'order', site.order.keys, say);
		const steps = [crawlStep(site)];
		const id = await n8n.createWorkflow(workflowOf('Crawl', steps));
		const pairs: Pair[] = [];
		// Once before the first time that counts
		for (let round = 0; round <= ROUNDS; round++) {
			const run = await n8n.runWorkflow(id, MANUAL_TRIGGER);
			requireItems(run, steps, PAGES);
			if (round > 0) pairs.push({ ours: durationOf(run, steps), other: WAITING_MS });
		}
		return { ...ratioOf(pairs) };
	},
};

const crawlVsCrawlee: Measure = {
	name: 'crawl-vs-crawlee',
	compares: `In one process, Page: Crawl from a page with ${LINKS} links / crawlee's HTTP crawler, which is told the links of the page by a regular expression, as many at a time, with proxies of the same order that it was given before. Time for each page that came.`,
	goal: 1,
	async measure(say) {
		const { runInEngine } = await import('../engine.mts');
		const crawlee = await loadCrawlee(say);
		const site = await openSlowSite();
		const node = { credential: site.credential };
		const lost: number[] = [];
		let round = 0;
		const pairs = await takePairs({
			ours: async () => {
				const parameters = { ...crawlStep(site).parameters, options };
				const { nodeMs, items } = await runInEngine({ ...node, parameters });
				return nodeMs / items.length;
			},
			other: async () => {
				const { items } = await runInEngine({
					...node,
					parameters: {
						resource: 'proxy',
						operation: 'extract',
						product: 'DPS',
						num: PAGES * 1.2,
						options: { maxExtractionsPerRun: 0 },
					},
				});
				const proxyUrls = items.map(({ json }) => String(json.proxyUrl));
				round += 1;
				const { ms, pages } = await crawl(crawlee, [startOf(site, round)], {
					proxyUrls,
					atATime: AT_A_TIME,
					links: /href="(\/shop\/item\/[^"]+)"/g,
				});
				lost.push(PAGES - pages);
				return ms / pages;
			},
			pairs: PAIRS,
			warmUps: 1,
		});
		return { ...ratioOf(pairs), pagesThatCrawleeLost: lost };
	},
};

export const crawlMeasures: readonly Measure[] = [crawlTime, crawlVsCrawlee];
