import type { FinishedRun } from './finishedRun.mts';
import { MANUAL_TRIGGER, manualWorkflow } from './manualWorkflow.mts';
import type { RestClient } from './restClient.mts';

export interface TrialNode {
	readonly name: string;
	readonly type: string;
	readonly typeVersion: number;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly credentials: Readonly<Record<string, unknown>>;
	/** What the tab 'Settings' of the node says. */
	readonly settings?: NodeSettings;
}

export interface NodeSettings {
	readonly retryOnFail?: boolean;
	readonly maxTries?: number;
	readonly waitBetweenTries?: number;
	readonly onError?: 'continueRegularOutput';
}

export interface TrialRun {
	/** How many items the node gets; one if not given. */
	readonly itemCount?: number;
	/** Stops the run when it resolves. */
	readonly stopWhen?: Promise<unknown>;
}

/**
 * A workflow of its own for one node, after a manual trigger.
 *
 * @param itemCount how many items the node gets
 * @returns the id of the workflow
 */
export async function createTrial(
	n8n: RestClient,
	{ settings, ...node }: TrialNode,
	itemCount = 1,
): Promise<string> {
	const workflow = manualWorkflow({
		name: `Trial: ${node.name}`,
		nodes: [{ id: 'trial', position: [220, 0], ...node, ...settings }],
		connections: { [MANUAL_TRIGGER]: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
		itemCount,
	});
	return await n8n.createWorkflow(workflow);
}

/** Runs one node after a manual trigger, in a workflow of its own. */
export async function runTrial(
	n8n: RestClient,
	node: TrialNode,
	{ itemCount, stopWhen }: TrialRun = {},
): Promise<FinishedRun> {
	return await n8n.runWorkflow(await createTrial(n8n, node, itemCount), MANUAL_TRIGGER, stopWhen);
}
