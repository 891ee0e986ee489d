import { crawl, loadCrawlee } from '../crawlee.mts';
import type { Measure } from '../measure.mts';
import { takePairs } from '../pairs.mts';
import { AT_A_TIME, openSlowSite, openStep, PAGES, SLOW_PATH } from '../slowSite.mts';
import { ratioOf } from '../statistics.mts';

const ROUNDS = 3;

export const pagesVsCrawlee: Measure = {
	name: 'pages-vs-crawlee',
	compares: `In one process, Page: Open of ${PAGES} slow pages / crawlee's HTTP crawler on the same pages, as many at a time, with proxies of the same order that it was given before. Time for each page that came.`,
	goal: 0.55,
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
