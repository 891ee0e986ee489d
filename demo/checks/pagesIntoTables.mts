import { at } from '../../harness/outsideData.mts';
import { itemsOf, type FinishedRun } from '../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { readExample, withInputs } from '../examples.mts';
import { runAdapted, runExample, type AdaptedNode } from './runExample.mts';
import type { Session } from '../session.mts';

const TRIGGER = 'Every Morning';

/** examples/open-pages-over-several-days.json, examples/watch-pages-for-changes.json */
export const pagesIntoTables: CheckGroup<Session> = {
	name: 'Examples of pages that go into data tables day by day',
	async run(session, check) {
		const { n8n, sandbox, inputs } = session;

		await check('A list goes on each day where it stopped the day before', async () => {
			const example = JSON.stringify(
				withInputs(await readExample('open-pages-over-several-days'), inputs),
			);
			const { id: _id, ...workflow }: Record<string, unknown> = JSON.parse(
				example
					.replace('length: 500', 'length: 12')
					// Other checks have left some that still live
					.replace(':200', ':5,"reuse":false'),
			);
			const workflowId = await n8n.createWorkflow(workflow);
			const rows = async () => (await n8n.dataTableRows('Kuaidaili pages')).length;
			const { orderId } = sandbox.store.order(sandbox.keys.dps.secretId);
			const perDay: number[] = [];
			for (let day = 0; day < 4; day += 1) {
				const before = sandbox.extractions.total({ orderId });
				const run = await n8n.runWorkflow(workflowId, TRIGGER);
				expectEqual(run.status, 'success', `the end of the run on day ${day + 1}`);
				perDay.push(await rows());
				const extracted = sandbox.extractions.total({ orderId }) - before;
				expect(extracted <= 5, `${extracted} proxies were extracted on day ${day + 1}`);
			}
			expectEqual(perDay.at(-1), 12, 'the number of rows');
			expect((perDay[0] ?? 0) < 12, `all were opened on the first day: ${perDay.join()}`);
		});
		await check('Only changed pages come through on the next morning', async () => {
			const changed = (run: FinishedRun): unknown[] =>
				at(run.saved, 'data', 'resultData', 'runData', 'Keep') === undefined
					? []
					: itemsOf(run, 'Keep');
			const first = await runExample(session, 'watch-pages-for-changes', TRIGGER);
			expectEqual(changed(first).length, 3, 'the number of pages on the first morning');
			const second = await runExample(session, 'watch-pages-for-changes', TRIGGER);
			expectEqual(changed(second).length, 0, 'the number of changed pages');
			// Another selector stands for another price
			const Open = ({ parameters }: AdaptedNode): void => {
				const text = JSON.stringify(parameters).replace('.price', 'body');
				Object.assign(parameters, JSON.parse(text));
			};
			const nodes = { Open };
			const third = await runAdapted(session, 'watch-pages-for-changes', {
				nodes,
				trigger: TRIGGER,
			});
			expectEqual(changed(third).length, 3, 'the number of changed pages then');
			const rows = await n8n.dataTableRows('Kuaidaili watched pages');
			expectEqual(rows.length, 3, 'the number of rows');
		});
	},
};
