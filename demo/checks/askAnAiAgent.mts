import { at, excerpt, readList } from '../../harness/outsideData.mts';
import { readExample } from '../examples.mts';
import { type CheckGroup, expect } from '../../harness/checks/checks.mts';
import type { Session } from '../session.mts';

const TOOL = 'Open Page';

/** examples/ask-an-ai-agent.json. No model is at hand, so its tools are compared, and one is run by itself. */
export const askAnAiAgent: CheckGroup<Session> = {
	name: 'Example "ask an AI agent"',
	async run(session, check) {
		const { n8n, exampleIds, inputs } = session;
		await check('Every node of the AI agent example is known to n8n, with its fields', async () => {
			const types = await n8n.nodeTypes();
			for (const node of readList(await readExample('ask-an-ai-agent'), 'nodes')) {
				const name = String(at(node, 'type'));
				const known = types.find((type) => at(type, 'name') === name);
				expect(known !== undefined, `n8n has no node ${name}`);
				if (!name.endsWith('kuaidailiTool')) continue;
				const fields = new Set(readList(known, 'properties').map((field) => at(field, 'name')));
				const parameters = at(node, 'parameters');
				for (const field of Object.keys(parameters ?? {})) {
					expect(fields.has(field), `the tool has no field '${field}'`);
				}
			}
		});
		await check('The tool opens a page, and gives the agent its text without a login', async () => {
			const id = exampleIds.get('ask-an-ai-agent') ?? '';
			const url = `${inputs.siteUrl}/article`;
			const { saved } = await n8n.runTool(id, 'When chat message received', TOOL, { url });
			const task = at(saved, 'data', 'resultData', 'runData', TOOL, 0);
			const answer = at(task, 'data', 'ai_tool', 0, 0, 'json', 'response', 0);
			expect(
				String(at(answer, 'data')).includes('The harbor'),
				`the agent gets: ${excerpt(at(task, 'error', 'message') ?? answer)}`,
			);
			expect(!/@\d/.test(JSON.stringify(answer)), 'the answer has a login');
		});
	},
};
