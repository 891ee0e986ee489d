import type { Measure } from '../measure.mts';
import { openSlowSite, type SlowSite } from '../slowSite.mts';
import { ratioOf } from '../statistics.mts';

const PAGES_OF_EACH = 200;
/** One for each good page, those that show that the other site is dead, and the pages that are open meanwhile. */
const MOST_PROXIES = 215;

const ITEMS = 10_000;
const LONGEST_PAUSE_MS = 300;

/** Pages of two sites in turn, by two names of the same machine. */
async function openPages(site: SlowSite, itemCount: number, options: object = {}) {
	const { runInEngine } = await import('../engine.mts');
	const { port } = new URL(site.page('/'));
	return await runInEngine({
		parameters: {
			resource: 'page',
			operation: 'open',
			product: 'DPS',
			url: `={{ 'http://' + ($itemIndex % 2 ? '127.0.0.1' : 'localhost') + ':${port}/article#' + $itemIndex }}`,
			options: { reuse: false, maxExtractionsPerRun: 0, ...options },
		},
		// Also where no page is opened at all
		settings: { onError: 'continueRegularOutput' },
		credential: site.credential,
		itemCount,
	});
}

const pageWaste: Measure = {
	name: 'page-waste',
	compares: `In one process, Page: Open of ${PAGES_OF_EACH} pages of a site that refuses everybody, each beside one of a good site: the proxies that are used up / ${MOST_PROXIES}, of which the pages of the good site need ${PAGES_OF_EACH}.`,
	goal: 1,
	async measure() {
		const site = await openSlowSite();
		site.sandbox.proxyFaults.clear();
		site.sandbox.pages.faults.add({ kind: 'status', status: 403, host: 'localhost' });
		const { items } = await openPages(site, 2 * PAGES_OF_EACH);
		const opened = items.filter(({ json }) => json.data !== '').length;
		if (opened !== PAGES_OF_EACH) throw new Error(`${opened} pages of the good site were opened`);
		const used = site.used();
		return { ...ratioOf([{ ours: used, other: MOST_PROXIES }]), used };
	},
};

const pagePlanning: Measure = {
	name: 'page-planning',
	compares: `In one process, Page: Open of ${ITEMS} items whose sites are given up at once: the longest time for which nothing else in the process runs / ${LONGEST_PAUSE_MS} ms.`,
	goal: 1,
	async measure() {
		const site = await openSlowSite();
		site.sandbox.pages.faults.add({ kind: 'status', status: 403 });
		const { longestPauseMs, nodeMs } = await openPages(site, ITEMS, {});
		return { ...ratioOf([{ ours: longestPauseMs, other: LONGEST_PAUSE_MS }]), nodeMs };
	},
};

export const pageWasteMeasures: readonly Measure[] = [pageWaste, pagePlanning];
