import { type CheckGroup, expectEqual } from '../../../harness/checks/checks.mts';
import { ACCOUNT_KEY } from '../../../harness/credentials.mts';
import { KUAIDAILI, kuaidaili, manualWorkflow } from '../../../harness/realN8n/workflows.mts';
import type { BrowserSetup } from '../setup.mts';

const REQUEST = { name: 'HTTP Request', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 };

/** What n8n knows of the fields of an operation by its output schema. */
export const fieldsBeforeRun: CheckGroup<BrowserSetup> = {
	name: 'Fields before a run',
	async run({ editor, session: { n8n, sandbox } }, check) {
		await check(
			'A field of an order that was never placed is dragged into the next node',
			async () => {
				const paid = sandbox.ledger.count();
				const create = kuaidaili({ resource: 'order', operation: 'create' }, ACCOUNT_KEY);
				const workflow = manualWorkflow('Before it was paid', [create, REQUEST]);
				await editor.openWorkflow(await n8n.createWorkflow(workflow));
				await editor.openNode(REQUEST.name);
				const { page } = editor;
				const field = page.locator(
					`[data-target=mappable][data-node-name="${KUAIDAILI}"][data-name="orderid"]`,
				);
				const target = page.locator('[data-parameter-path="parameters.url"]');
				await field.waitFor();
				await editor.drag(field, target);
				// The editor comes before the expression does
				const text = target.locator('.cm-content', { hasText: '$json' });
				await text.waitFor();
				expectEqual((await text.innerText()).trim(), '{{ $json.orderid }}', 'the expression');
				expectEqual(sandbox.ledger.count() - paid, 0, 'the number of payments');
			},
		);
	},
};
