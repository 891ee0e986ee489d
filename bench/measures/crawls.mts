import { createTrial, MANUAL_TRIGGER, type NewNode } from '../../harness/realN8n/workflows.mts';
import { durationOf, kuaidailiStep, openBenchN8n, requireItems } from '../inN8n.mts';
import type { Measure } from '../measure.mts';
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

const LINKS = PAGES - 1;

/** The time that the start and, after that, the pages it links to take alone. */
const WAITING_MS = PAGE_MS + (LINKS / AT_A_TIME) * PAGE_MS;

/** A page with links to all others. */
const startOf = ({ page }: SlowSite) => page(`/shop?items=${LINKS}&each=${LINKS}&ms=${PAGE_MS}`);

/** Page: Crawl of all pages, each through a new proxy. */
function crawlStep(site: SlowSite): NewNode {
	return kuaidailiStep('Crawl', {
		resource: 'page',
		operation: 'crawl',
		product: 'DPS',
		url: startOf(site),
		follow: { links: '*/shop/item/*' },
		options: {
			reuse: false,
			maxPages: PAGES,
			// Of 500 pages, each second run has one that meets three dead proxies in a row
			maxAttempts: 6,
			pagesAtATime: AT_A_TIME,
			maxExtractionsPerRun: 0,
		},
	});
}

export const crawlTime: Measure = {
	name: 'crawl-500',
	compares: `In a real n8n, Page: Crawl from a page with ${LINKS} links, of pages that take ${PAGE_MS} ms each, ${AT_A_TIME} at a time, while each ${DEAD_SHARE}th private proxy is dead / the time that this waiting alone takes.`,
	goal: 1.17,
	async measure(say) {
		const site = await openSlowSite();
		const n8n = await openBenchN8n(site.sandbox, 'order', site.order.keys, say);
		const step = crawlStep(site);
		const id = await createTrial(n8n, step);
		const pairs: Pair[] = [];
		// Once before the first time that counts
		for (let round = 0; round <= ROUNDS; round++) {
			const run = await n8n.runWorkflow(id, MANUAL_TRIGGER);
			requireItems(run, step, PAGES);
			if (round > 0) pairs.push({ ours: durationOf(run, step), other: WAITING_MS });
		}
		return { ...ratioOf(pairs) };
	},
};
