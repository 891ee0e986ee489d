import type { Measure } from '../measure.mts';
import {
	AT_A_TIME,
	DEAD_SHARE,
	openSlowSite,
	PAGE_MS,
	PAGES,
	SLOW_PATH,
	WAITING_MS,
	type SlowSite,
} from '../slowSite.mts';
import { ratioOf, type Pair } from '../statistics.mts';

const ROUNDS = 5;
const BYTES = 500_000;
const LOOK_EVERY_MS = 20;

/** Opens 500 pages in this process. @returns how long the node took, in milliseconds */
async function openAll(site: SlowSite, path: string): Promise<number> {
	const { runInEngine } = await import('../engine.mts');
	const { nodeMs, items } = await runInEngine({
		parameters: {
			resource: 'page',
			operation: 'open',
			product: 'DPS',
			reuse: false,
			url: site.page(path),
			options: { pagesAtATime: AT_A_TIME, maxExtractionsPerRun: 0 },
		},
		credential: site.credential,
		oneKey: true,
		itemCount: PAGES,
	});
	if (items.length !== PAGES) throw new Error(`${items.length} items came out`);
	return nodeMs;
}

const SCENE = `Page: Open of ${PAGES} pages that take ${PAGE_MS} ms each, ${AT_A_TIME} at a time, while each ${DEAD_SHARE}th private proxy is dead`;

const pageTime: Measure = {
	name: 'pages',
	compares: `${SCENE} / the time that this waiting alone takes.`,
	goal: 1.2,
	async measure() {
		const site = await openSlowSite();
		const pairs: Pair[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			pairs.push({ ours: await openAll(site, SLOW_PATH), other: WAITING_MS });
		}
		return { ...ratioOf(pairs) };
	},
};

const pageQuota: Measure = {
	name: 'page-quota',
	compares: `${SCENE}: the proxies that are used up / one for each page and each dead proxy.`,
	goal: 1.02,
	async measure() {
		const site = await openSlowSite();
		await openAll(site, SLOW_PATH);
		const used = site.used();
		return { ...ratioOf([{ ours: used, other: PAGES + Math.floor(used / DEAD_SHARE) }]), used };
	},
};

const pageMemory: Measure = {
	name: 'page-memory',
	compares: `The most memory that Page: Open of ${PAGES} pages of ${BYTES / 1000} kB adds to the process / the size of these pages.`,
	goal: 1.5,
	async measure() {
		const site = await openSlowSite();
		// Once before, so that what the process needs for itself does not count
		await openAll(site, SLOW_PATH);
		const before = process.memoryUsage().rss;
		let most = before;
		const looking = setInterval(() => {
			most = Math.max(most, process.memoryUsage().rss);
		}, LOOK_EVERY_MS);
		await openAll(site, `/bytes/${BYTES}`).finally(() => clearInterval(looking));
		return { ...ratioOf([{ ours: most - before, other: PAGES * BYTES }]) };
	},
};

export const pageMeasures: readonly Measure[] = [pageTime, pageQuota, pageMemory];
