import { at, isRecord, readList } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../harness/checks/expectations.mts';
import { runAdapted, runExample } from './runExample.mts';
import type { Session } from '../session.mts';

const TABLE = 'Kuaidaili private proxies';

/** examples/keep-working-proxies.json */
export const keepWorkingProxies: CheckGroup<Session> = {
	name: 'Example "keep a table of working proxies"',
	async run(session, check) {
		const { n8n } = session;
		const proxiesIn = (rows: readonly unknown[]) => rows.map((row) => String(at(row, 'address')));
		const run = async () => await runExample(session, 'keep-working-proxies', 'Every 10 Minutes');

		await check('The proxies that answered are in the data table', async () => {
			const first = await run();
			const answered = itemsOf(first, 'Try').length;
			expect(answered > 0, 'no proxy answered');
			const rows = await n8n.dataTableRows(TABLE);
			expectEqual(rows.length, answered, 'the number of rows');
		});
		await check('After a second run, no proxy is there twice', async () => {
			await run();
			const proxies = proxiesIn(await n8n.dataTableRows(TABLE));
			expectEqual(new Set(proxies).size, proxies.length, 'the number of different proxies');
		});
		await check('Those whose time is over are removed, also when none works any more', async () => {
			await runAdapted(session, 'keep-working-proxies', {
				// Nobody listens there
				inputs: { pageUrl: 'http://127.0.0.1:1/' },
				nodes: {
					'Remove Old'({ parameters }) {
						const [condition] = readList(parameters, 'filters', 'conditions');
						if (isRecord(condition)) condition.keyValue = '={{ $now.toISO() }}';
					},
				},
				trigger: 'Every 10 Minutes',
			});
			expectEqual((await n8n.dataTableRows(TABLE)).length, 0, 'the number of rows');
		});
	},
};
