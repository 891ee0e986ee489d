import { at } from '../../harness/outsideData.mts';
import { itemsOf, type FinishedRun } from '../../harness/realN8n/index.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../harness/checks/expectations.mts';
import { runExample } from './runExample.mts';
import type { Session } from '../session.mts';

/** As 'Pages' in the workflow says. */
const PAGES = 5;

const GET_DPS = '/api/getdps';

function pagesOf(run: FinishedRun, node: string): string[] {
	return itemsOf(run, node).map((item) => String(at(item, 'json', 'path')));
}

/** examples/scrape-pages-through-private-proxies.json */
export const scrapePages: CheckGroup<Session> = {
	name: 'Example "scrape pages through private proxies"',
	async run(session, check) {
		const { log, proxyFaults, store, keys } = session.sandbox;
		const { orderId } = store.order(keys.dps.secretId);
		const run = async () => await runExample(session, 'scrape-pages-through-private-proxies');
		const before = log.count(GET_DPS);
		const numbers = () =>
			log
				.entries(GET_DPS)
				.slice(before)
				.map(({ parameters }) => parameters.num)
				.join();

		await check('Each page is opened through a private proxy of its own', async () => {
			const first = await run();
			expectEqual(itemsOf(first, 'Open').length, PAGES, 'the number of pages');
			const proxies = itemsOf(first, 'Extract').map((item) => at(item, 'json', 'proxyUrl'));
			expectEqual(new Set(proxies).size, PAGES, 'the number of different proxies');
			expectEqual(numbers(), String(PAGES), 'what was extracted');
		});
		await check('A second run reuses them, and opens what failed through another', async () => {
			proxyFaults.add({ status: 503, orderId, times: 1 });
			const second = await run();
			expectEqual(numbers(), `${PAGES},1`, 'what was extracted');
			expectEqual(itemsOf(second, 'Open').length, PAGES - 1, 'the pages that came at once');
			const [failed, ...more] = pagesOf(second, 'Another Proxy');
			expectEqual(more.length, 0, 'the number of further pages that failed');
			expect(pagesOf(second, 'One by One').includes(failed), `the failed page is ${failed}`);
			expectEqual(itemsOf(second, 'Open Again').length, 1, 'the pages that came afterwards');
		});
	},
};
