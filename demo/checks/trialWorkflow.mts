import type { FinishedRun } from '../realN8n/index.mts';
import type { Session } from '../session.mts';

const TRIGGER = 'When clicking ‘Execute workflow’';

export interface TrialNode {
	readonly name: string;
	readonly type: string;
	readonly typeVersion: number;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly credentials: Readonly<Record<string, unknown>>;
}

/** Runs one node after a manual trigger, in a workflow of its own. */
export async function runTrial({ n8n }: Session, node: TrialNode): Promise<FinishedRun> {
	const id = await n8n.createWorkflow({
		name: `Trial: ${node.name}`,
		nodes: [
			{
				id: 'trigger',
				name: TRIGGER,
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
			{ id: 'trial', position: [220, 0], ...node },
		],
		connections: { [TRIGGER]: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	});
	return await n8n.runWorkflow(id, TRIGGER);
}

/** Presses 'Execute workflow' in one of the imported examples. */
export async function runExample(
	{ n8n, exampleIds }: Session,
	name: Parameters<Session['exampleIds']['get']>[0],
): Promise<FinishedRun> {
	const id = exampleIds.get(name);
	if (id === undefined) throw new Error(`The example '${name}' was not imported`);
	return await n8n.runWorkflow(id, TRIGGER);
}
