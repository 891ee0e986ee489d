import type { ACCOUNT_KEY } from '../../harness/credentials.mts';
import type { RestClient } from '../../harness/realN8n/restClient.mts';
import { createTrial, kuaidaili } from '../../harness/realN8n/workflows.mts';
import type { Editor } from './editor/editor.mts';

export const TRIGGER_NODE = {
	name: 'Kuaidaili Trigger',
	type: 'n8n-nodes-kuaidaili.kuaidailiTrigger',
};

/** A node in a workflow of its own, opened in the editor. */
export async function openTrial(
	editor: Editor,
	n8n: RestClient,
	credential: typeof ACCOUNT_KEY,
	parameters: Readonly<Record<string, unknown>>,
	other?: typeof TRIGGER_NODE,
): Promise<void> {
	const node = { ...kuaidaili(parameters, credential), ...other };
	await editor.openWorkflow(await createTrial(n8n, node));
	await editor.openNode(node.name);
}
