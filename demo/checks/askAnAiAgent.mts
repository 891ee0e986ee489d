import { at, readList } from '../../harness/outsideData.mts';
import { readExample } from '../examples.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expect } from '../../harness/checks/expectations.mts';
import type { Session } from '../session.mts';

/** examples/ask-an-ai-agent.json. No model is at hand, so it is imported and compared, but not run. */
export const askAnAiAgent: CheckGroup<Session> = {
	name: 'Example "ask an AI agent"',
	async run({ n8n }, check) {
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
	},
};
