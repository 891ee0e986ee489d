import { MANUAL_TRIGGER, type NewNode } from '../../harness/realN8n/workflows.mts';
import { isRecord, at, readList } from '../../harness/outsideData.mts';
import type { FinishedRun } from '../../harness/realN8n/index.mts';
import { readExample, withInputs, type ExampleName, type Inputs } from '../examples.mts';
import type { Session } from '../session.mts';

/** Presses 'Execute workflow' in one of the imported examples. */
export async function runExample(
	{ n8n, exampleIds }: Session,
	name: ExampleName,
	trigger = MANUAL_TRIGGER,
): Promise<FinishedRun> {
	const id = exampleIds.get(name);
	if (id === undefined) throw new Error(`The example '${name}' was not imported`);
	return await n8n.runWorkflow(id, trigger);
}

/** A node of a workflow that is adapted. */
export interface AdaptedNode {
	readonly name: unknown;
	readonly parameters: Record<string, unknown>;
	onError?: unknown;
}

/** A change of an example by somebody who uses it. */
export interface Adaptation {
	readonly inputs?: Partial<Inputs>;
	/** Changes nodes by their names. */
	readonly nodes?: Readonly<Record<string, (node: AdaptedNode) => void>>;
	/** A node to put behind the one of a name. */
	readonly behind?: readonly [name: string, node: NewNode];
	readonly trigger?: string;
}

function isNode(node: unknown): node is AdaptedNode {
	return isRecord(node) && isRecord(node.parameters);
}

/** The same in a copy that was adapted. */
export async function runAdapted(
	{ n8n, inputs: usual }: Session,
	name: ExampleName,
	{ inputs, nodes: changes = {}, behind, trigger = MANUAL_TRIGGER }: Adaptation,
): Promise<FinishedRun> {
	const { id, ...workflow } = withInputs(await readExample(name), { ...usual, ...inputs });
	const nodes = readList(workflow, 'nodes');
	for (const [nodeName, change] of Object.entries(changes)) {
		const node = nodes.find((each) => at(each, 'name') === nodeName);
		if (!isNode(node)) throw new Error(`${String(id)} has no node '${nodeName}'`);
		change(node);
	}
	if (behind === undefined)
		return await n8n.runWorkflow(await n8n.createWorkflow(workflow), trigger);
	const [before, node] = behind;
	const link = [[{ node: node.name, type: 'main', index: 0 }]];
	const extended = {
		...workflow,
		nodes: [...nodes, { id: 'behind', position: [880, -20], ...node }],
		connections: {
			...(isRecord(workflow.connections) && workflow.connections),
			[before]: { main: link },
		},
	};
	return await n8n.runWorkflow(await n8n.createWorkflow(extended), trigger);
}

/** For the node that opens pages: other addresses. */
export function opening(...urls: readonly string[]) {
	return ({ parameters }: AdaptedNode): void => {
		parameters.url = urls.join('\n');
	};
}

/** For 'Pages': another list of pages. */
export function listing(...urls: readonly string[]) {
	return ({ parameters }: AdaptedNode): void => {
		const [list] = readList(parameters, 'assignments', 'assignments');
		if (!isRecord(list)) throw new Error("'Pages' has no list");
		list.value = JSON.stringify(urls);
	};
}
