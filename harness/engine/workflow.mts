import type {
	ICredentialsHelper,
	IDataObject,
	INodeExecutionData,
	INode,
	INodeType,
	Workflow as WorkflowOfN8n,
	WorkflowExecuteMode,
	WorkflowParameters,
} from 'n8n-workflow';

import { at, isRecord } from '../outsideData.mts';
import { newAdditionalData } from './additionalData.mts';
import { NodeConnectionTypes, NodeHelpers, Workflow, WorkflowExecute } from './n8n.mts';

export const START = 'Start';
export const UNDER_TEST = 'Kuaidaili';

/** Gives out the input items of a run. */
export const startType: INodeType = {
	description: {
		displayName: START,
		name: 'start',
		group: ['trigger'],
		version: 1,
		description: '',
		defaults: {},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	},
	trigger: async () => ({}),
};

export const startNode: INode = {
	id: '1',
	name: START,
	type: 'start',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

export interface NodeUnderTest {
	/** `resource` and `operation` included. */
	readonly parameters: IDataObject;
	readonly credentialId: string;
	/** Settings of the node, such as `onError` or `retryOnFail`. */
	readonly settings?: Partial<INode>;
}

export function nodeUnderTest({ parameters, credentialId, settings }: NodeUnderTest): INode {
	return {
		id: '2',
		name: UNDER_TEST,
		type: 'kuaidaili',
		typeVersion: 1,
		position: [200, 0],
		parameters: parameters as INode['parameters'],
		credentials: { kuaidailiApi: { id: credentialId, name: 'test' } },
		...settings,
	};
}

export const mainTo = (node: string) => ({
	main: [[{ node, type: NodeConnectionTypes.Main, index: 0 }]],
});

type NewWorkflow = Pick<WorkflowParameters, 'nodes' | 'connections' | 'staticData'> & {
	readonly nodeTypes: Readonly<Record<string, INodeType>>;
};

export function newWorkflow({ nodes, connections, nodeTypes, staticData }: NewWorkflow) {
	return new Workflow({
		id: 'test',
		active: false,
		staticData,
		nodes,
		connections,
		nodeTypes: {
			getByName: (name: string) => nodeTypes[name],
			getByNameAndVersion: (name: string, version?: number) =>
				NodeHelpers.getVersionedNodeType(nodeTypes[name], version),
			getKnownTypes: () => ({}),
		},
		settings: { executionOrder: 'v1' },
	});
}

export interface ManualRun {
	readonly credentials: ICredentialsHelper;
	/** One input item each. */
	readonly items: readonly IDataObject[];
	/** The same with binary data and links. */
	readonly input?: readonly INodeExecutionData[];
	readonly executionId?: string;
	/** Of the execution whose sub-workflow this is. */
	readonly rootMode?: WorkflowExecuteMode;
	/** The number of that execution. */
	readonly parentExecutionId?: string;
	/** That of an execution that was killed, and that somebody retries. */
	readonly killedExecutionId?: string;
}

/** What happens on a click on 'Execute workflow'. */
export function runManually(
	workflow: WorkflowOfN8n,
	{ credentials, items, input = items.map((json) => ({ json })), ...others }: ManualRun,
): ReturnType<InstanceType<typeof WorkflowExecute>['run']> {
	const { executionId, rootMode, parentExecutionId, killedExecutionId } = others;
	const additionalData = newAdditionalData(credentials, executionId);
	const isSubWorkflow = rootMode !== undefined;
	if (isSubWorkflow) Object.assign(additionalData, { rootExecutionMode: rootMode });
	const isRetry = killedExecutionId !== undefined;
	if (isRetry) Object.assign(additionalData.hooks ?? {}, { retryOf: killedExecutionId });
	const mode = isRetry ? 'retry' : isSubWorkflow ? 'integrated' : 'manual';
	const execution = new WorkflowExecute(additionalData, mode);
	// n8n's server notes it when it begins a sub-workflow
	additionalData.hooks?.addHandler('nodeExecuteBefore', () => {
		const context = at(execution, 'runExecutionData', 'executionData', 'runtimeData');
		if (parentExecutionId !== undefined && isRecord(context)) {
			Object.assign(context, { parentExecutionId });
		}
	});
	return execution.run({ workflow, pinData: { [START]: [...input] } });
}
