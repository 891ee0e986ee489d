import type { ExampleName } from '../examples.mts';
import type { FinishedRun, RestClient } from '../realN8n/index.mts';
import type { Session } from '../session.mts';

const TRIGGER = 'When clicking ‘Execute workflow’';

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

/** Runs one node after a manual trigger, in a workflow of its own. */
export async function runTrial(
	n8n: RestClient,
	{ settings, ...node }: TrialNode,
	{ itemCount = 1, stopWhen }: TrialRun = {},
): Promise<FinishedRun> {
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
			{ id: 'trial', position: [220, 0], ...node, ...settings },
		],
		connections: { [TRIGGER]: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
		pinData: { [TRIGGER]: Array.from({ length: itemCount }, (_none, n) => ({ json: { n } })) },
	});
	return await n8n.runWorkflow(id, TRIGGER, stopWhen);
}

/** Presses 'Execute workflow' in one of the imported examples. */
export async function runExample(
	{ n8n, exampleIds }: Session,
	name: ExampleName,
	trigger = TRIGGER,
): Promise<FinishedRun> {
	const id = exampleIds.get(name);
	if (id === undefined) throw new Error(`The example '${name}' was not imported`);
	return await n8n.runWorkflow(id, trigger);
}
