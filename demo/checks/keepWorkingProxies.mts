import { setTimeout } from 'node:timers/promises';
import { at, isRecord, readList } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { readExample, withInputs } from '../examples.mts';
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
		await check('A crawler with the right header gets them as lines, and no other', async () => {
			const [path, header] = ['kuaidaili-proxies-check', 'x-crawler'];
			const credential = { name: header, value: 'right' };
			const id = await n8n.createCredential({
				name: header,
				type: 'httpHeaderAuth',
				data: credential,
			});
			const { id: _id, ...workflow } = withInputs(
				await readExample('keep-working-proxies'),
				session.inputs,
			);
			for (const node of readList(workflow, 'nodes')) {
				if (!isRecord(node) || node.name !== 'Hand Out') continue;
				Object.assign(node, {
					parameters: { ...(isRecord(node.parameters) ? node.parameters : {}), path },
					credentials: { httpHeaderAuth: { id, name: header } },
					webhookId: path,
				});
			}
			const workflowId = await n8n.createWorkflow(workflow);
			await n8n.activate(workflowId);
			const ask = async (value: string) =>
				await fetch(`${session.server.url}/webhook/${path}`, { headers: { [header]: value } });
			const isThere = async () => (await ask('right')).status === 200;
			for (let tries = 0; tries < 50 && !(await isThere()); tries += 1) await setTimeout(200);
			const lines = (await (await ask('right')).text()).split('\n');
			const wrong = (await ask('wrong')).status;
			await n8n.deactivate(workflowId);
			const rows = proxiesIn(await n8n.dataTableRows(TABLE));
			expectEqual(lines.sort().join(), rows.sort().join(), 'the lines');
			expect(/^[\d.]+:\d+$/.test(lines[0] ?? ''), `a line is: ${lines[0]}`);
			expectEqual(wrong, 403, 'the status with another header');
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
