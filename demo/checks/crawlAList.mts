import { at } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import { type CheckGroup, expectEqual } from '../../harness/checks/checks.mts';
import { runExample } from './runExample.mts';
import type { Session } from '../session.mts';

/** As many as the shop has, on three pages of its list. */
const ITEMS = 25;

/** examples/crawl-a-list.json */
export const crawlAList: CheckGroup<Session> = {
	name: 'Example "crawl a list"',
	async run(session, check) {
		await check('Each item of a list and its next pages becomes a row', async () => {
			const run = await runExample(session, 'crawl-a-list');
			const rows = itemsOf(run, 'Result').map((item) => at(item, 'json'));
			const shown = rows.map((row) => `${at(row, 'title')}: ${at(row, 'price')}`).sort();
			const wanted = Array.from({ length: ITEMS }, (_, item) => `Item ${item + 1}: ${item + 1}.50`);
			expectEqual(shown.join(), wanted.sort().join(), 'the rows');
			const columns = new Set(rows.flatMap((row) => Object.keys(row ?? {})));
			expectEqual([...columns].join(), 'url,title,price', 'the columns');
			const direct = session.sandbox.pages.visits.direct().length;
			expectEqual(direct, 0, 'the number of direct visits');
		});
	},
};
