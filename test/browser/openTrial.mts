import { useCredential, type ACCOUNT_KEY } from '../../harness/credentials.mts';
import type { RestClient } from '../../harness/realN8n/restClient.mts';
import { createTrial } from '../../harness/realN8n/trialWorkflow.mts';
import type { Editor } from './editor/editor.mts';

const ACTION_NODE = { name: 'Kuaidaili', type: 'n8n-nodes-kuaidaili.kuaidaili' };
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
	node = ACTION_NODE,
): Promise<void> {
	const credentials = useCredential(credential);
	const id = await createTrial(n8n, { ...node, typeVersion: 1, parameters, credentials });
	await editor.openWorkflow(id);
	await editor.openNode(node.name);
}
