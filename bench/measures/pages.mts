import { createTrial, MANUAL_TRIGGER, type NewNode } from '../../harness/realN8n/workflows.mts';
import { durationOf, openBenchN8n, requireItems } from '../inN8n.mts';
import type { Measure } from '../measure.mts';
import { takePairs } from '../pairs.mts';
import {
	AT_A_TIME,
	DEAD_SHARE,
	openSlowSite,
	openStep,
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

const SCENE = `In a real n8n, Page: Open of ${PAGES} pages that take ${PAGE_MS} ms each, ${AT_A_TIME} at a time, while each ${DEAD_SHARE}th private proxy is dead`;

/** Opens all pages in a real n8n, once before the first time. @returns how long the node takes each time, in milliseconds */
async function openInN8n(
	site: SlowSite,
	rounds: number,
	say: (line: string) => void,
): Promise<{ readonly times: readonly number[]; readonly used: number }> {
	const n8n = await openBenchN8n(site.sandbox, 'order', site.order.keys, say);
	const step = openStep(site);
	const id = await createTrial(n8n, step, PAGES);
	const open = async () => {
		const run = await n8n.runWorkflow(id, MANUAL_TRIGGER);
		requireItems(run, step, PAGES);
		return durationOf(run, step);
	};
	await open();
	const before = site.used();
	const times: number[] = [];
	for (let round = 0; round < rounds; round++) times.push(await open());
	return { times, used: site.used() - before };
}

const pageTime: Measure = {
	name: 'pages',
	compares: `${SCENE} / the time that this waiting alone takes.`,
	goal: 1.15,
	async measure(say) {
		const { times } = await openInN8n(await openSlowSite(), ROUNDS, say);
		return { ...ratioOf(times.map((ours): Pair => ({ ours, other: WAITING_MS }))) };
	},
};

const pageQuota: Measure = {
	name: 'page-quota',
	compares: `${SCENE}: the proxies that are used up / one for each page and each dead proxy.`,
	goal: 1.01,
	async measure(say) {
		const { used } = await openInN8n(await openSlowSite(), 1, say);
		return { ...ratioOf([{ ours: used, other: PAGES + Math.floor(used / DEAD_SHARE) }]), used };
	},
};

const ROWS = 12;

const LIST_PATH = `/shop?items=${ROWS}&each=${ROWS}&ms=${PAGE_MS}`;

const AS_ROWS = {
	responseFormat: 'fields',
	rowSelector: '.items li',
	fields: {
		values: [
			{ name: 'name', selector: 'a' },
			{ name: 'link', selector: 'a', take: 'attribute', attribute: 'href' },
		],
	},
};

const pageRows: Measure = {
	name: 'page-rows',
	compares: `In a real n8n, Page: Open of ${PAGES} lists that take ${PAGE_MS} ms each, ${AT_A_TIME} at a time: ${ROWS} rows with two columns of each / the lists as they are.`,
	goal: 1.05,
	async measure(say) {
		const site = await openSlowSite();
		site.sandbox.proxyFaults.clear();
		const n8n = await openBenchN8n(site.sandbox, 'order', site.order.keys, say);
		const sampleOf = async (step: NewNode, count: number) => {
			const id = await createTrial(n8n, step, PAGES);
			return async () => {
				const run = await n8n.runWorkflow(id, MANUAL_TRIGGER);
				requireItems(run, step, count);
				return durationOf(run, step);
			};
		};
		const pairs = await takePairs({
			ours: await sampleOf(openStep(site, LIST_PATH, AS_ROWS), PAGES * ROWS),
			other: await sampleOf(openStep(site, LIST_PATH), PAGES),
			pairs: ROUNDS,
			warmUps: 1,
		});
		return { ...ratioOf(pairs) };
	},
};

/** Opens all pages in this process. */
async function openHere(site: SlowSite, path: string): Promise<void> {
	const { runInEngine } = await import('../engine.mts');
	const { items } = await runInEngine({
		parameters: {
			resource: 'page',
			operation: 'open',
			product: 'DPS',
			url: `=${site.page(path)}#{{ $itemIndex }}`,
			options: { reuse: false, pagesAtATime: AT_A_TIME, maxExtractionsPerRun: 0 },
		},
		credential: site.credential,
		itemCount: PAGES,
	});
	if (items.length !== PAGES) throw new Error(`${items.length} items came out`);
}

const pageMemory: Measure = {
	name: 'page-memory',
	compares: `The most memory that Page: Open of ${PAGES} pages of ${BYTES / 1000} kB adds to the process / the size of these pages.`,
	goal: 1.2,
	async measure() {
		const site = await openSlowSite();
		// Once before, so that what the process needs for itself does not count
		await openHere(site, SLOW_PATH);
		const before = process.memoryUsage().rss;
		let most = before;
		const looking = setInterval(() => {
			most = Math.max(most, process.memoryUsage().rss);
		}, LOOK_EVERY_MS);
		await openHere(site, `/bytes/${BYTES}`).finally(() => clearInterval(looking));
		return { ...ratioOf([{ ours: most - before, other: PAGES * BYTES }]) };
	},
};

export const pageMeasures: readonly Measure[] = [pageTime, pageRows, pageQuota, pageMemory];
