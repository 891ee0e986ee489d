import { type CheckGroup, expect } from '../../../harness/checks/checks.mts';
import { ACCOUNT_KEY } from '../../../harness/credentials.mts';
import { kuaidaili, workflowOf } from '../../../harness/realN8n/workflows.mts';
import { DESCRIBED_OPERATIONS } from '../../operations/described.mts';
import { everyDecision, expectedFields, inWords } from '../expected/panel.mts';
import { expectSameFields } from '../expected/sameFields.mts';
import type { SeenField } from '../editor/nodePanel.mts';
import type { BrowserSetup } from '../setup.mts';

/** Resource and operation stand above the fields of each operation. */
const MENUS = 2;

/** Opens a node for every set of values, one after the other. */
export const fieldsByValues: CheckGroup<BrowserSetup> = {
	name: 'Fields for every choice',
	async run({ session, editor }, check) {
		for (const { resourceLabel, label, properties, menus } of DESCRIBED_OPERATIONS) {
			const title = `${resourceLabel}: ${label}`;
			const sets = everyDecision(properties, menus);
			const nodes = sets.map((given, index) => ({
				...kuaidaili(given, ACCOUNT_KEY),
				name: `${title} ${index + 1}`,
			}));
			await editor.openWorkflow(await session.n8n.createWorkflow(workflowOf(title, nodes)));
			const seen: SeenField[][] = [];
			const cutOff: string[] = [];
			for (const { name } of nodes) {
				const panel = seen.length === 0 ? await editor.openNode(name) : await editor.goOnTo(name);
				seen.push((await panel.fields()).slice(MENUS));
				cutOff.push(...(await panel.cutOff()));
			}
			await check(`${title} shows exactly its fields for each of ${sets.length} choices`, () => {
				sets.forEach((given, index) =>
					expectSameFields(seen[index], expectedFields(properties, given), inWords(given)),
				);
			});
			await check(`${title} has no text that is cut off`, () => {
				expect(cutOff.length === 0, `cut off: ${[...new Set(cutOff)].join(' | ')}`);
			});
		}
	},
};
