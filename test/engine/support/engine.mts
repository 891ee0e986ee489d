import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeCredentialTestResult,
	INodeExecutionData,
	INodeListSearchResult,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	IRun,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	NodeExecutionHint,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { newAdditionalData } from '../../../harness/engine/additionalData.mts';
import type { BuiltPackage } from '../../../harness/engine/builtPackage.mts';
import { testCredential } from '../../../harness/engine/credentialTest.mts';
import {
	CredentialStore,
	type StoredCredentials,
} from '../../../harness/engine/credentialStore.mts';
import {
	LoadOptionsContext,
	NodeConnectionTypes,
	NodeHelpers,
	WorkflowExecute,
} from '../../../harness/engine/n8n.mts';
import {
	mainTo,
	newWorkflow,
	nodeUnderTest,
	runManually,
	START,
	startNode,
	startType,
	UNDER_TEST,
} from '../../../harness/engine/workflow.mts';
import { uniqueName } from '../../uniqueName.mts';
import { builtPackage, loadForAnotherProcess } from './builtPackage.mts';
import { agentNode, asTool, LoopNode, type Calls } from './otherNodes.mts';

const BEFORE = 'Before';

const LOOP = 'Loop';
const AGENT = 'Agent';

const toolOfAgent = {
	[NodeConnectionTypes.AiTool]: [[{ node: AGENT, type: NodeConnectionTypes.AiTool, index: 0 }]],
};

/** What n8n's "Retry" makes of a saved execution that ended with an error. */
function dataForRetry(saved: string): IRunExecutionData {
	const { data }: IRun = JSON.parse(saved);
	delete data.resultData.error;
	data.resultData.runData[UNDER_TEST].pop();
	return data;
}

/** With the editor's presets for what is not given. */
function asInEditor(description: INodeTypeDescription, given: IDataObject): INode['parameters'] {
	const values = given as INode['parameters'];
	const { properties } = description;
	return (
		NodeHelpers.getNodeParameters(properties, values, true, false, null, description) ?? values
	);
}

/** By the field that is shown; others of its name may have no list, or another one. */
function searchMethodOf(description: INodeTypeDescription, field: string, node: INode): string {
	const isShown = (property: INodeProperties) =>
		NodeHelpers.displayParameter(node.parameters, property, node, description);
	const shown = description.properties.filter(isShown);
	const options = shown.find(({ name }) => name === 'options')?.options ?? [];
	const inOptions = options
		.filter((option) => 'type' in option)
		.filter((option) =>
			NodeHelpers.displayParameter({}, option, node, description, node.parameters),
		);
	const modes = [...shown, ...inOptions].find(({ name }) => name === field)?.modes ?? [];
	return modes.find(({ type }) => type === 'list')?.typeOptions?.searchListMethod ?? '';
}

export interface RunSettings {
	/** Of the node under test; `resource` and `operation` included. */
	parameters: IDataObject;
	credentialId: string;
	/** One input item each; one empty item by default. */
	items?: IDataObject[];
	/** The same with binary data and links. */
	input?: INodeExecutionData[];
	/** Settings of the node, such as `onError` or `retryOnFail`. */
	settings?: Partial<INode>;
	/** Parameters of another node of the type, which runs before in the execution. */
	before?: IDataObject;
	/** How often the node runs in the execution, as in a loop; once by default. */
	runs?: number;
	/** Cancels the execution when it resolves. */
	cancelWhen?: Promise<unknown>;
	/** Another node runs, with the same credential, and the node under test is connected as its tool. */
	agent?: Calls;
	/** "Retry" of an execution: what was `saved` of it. */
	retryOf?: string;
	/** The number of that execution. */
	retriedExecutionId?: string;
	/** Each execution has its own in n8n. Without one, an execution of another node than those before. */
	executionId?: string;
	/** Runs as a sub-workflow of an execution that was started in this way. */
	rootMode?: WorkflowExecuteMode;
	/** The number of that execution. */
	parentExecutionId?: string;
	/** "Retry" of an execution that n8n was killed in, by its number: nothing was saved of it. */
	killedExecutionId?: string;
	/** What n8n keeps with a workflow between its production runs; changed by the run. */
	staticData?: IDataObject;
}

/** A searchable list that is opened in the editor. */
export interface ListSearch {
	/** The node that has the list; the node under test by default. */
	node?: 'kuaidaili' | 'kuaidailiTrigger';
	/** The name of the field. */
	field: string;
	/** Of the node as it is edited; those that are not named have what the editor offers at first. */
	parameters: IDataObject;
	credentialId: string;
	/** What is typed into the search field. */
	filter?: string;
}

export interface RunResult {
	/** The first output: items that went well, and with "continue" also errors. */
	items: INodeExecutionData[];
	/** The error output. */
	errorItems: INodeExecutionData[];
	/** What stopped the execution. */
	error: (Error & { description?: string | null; context?: IDataObject }) | undefined;
	hints: NodeExecutionHint[];
	status: string;
	/** The first output of every run of the node, where it ran several times. */
	itemsOfRuns: INodeExecutionData[][];
	/** Everything that n8n would save about the execution. */
	saved: string;
}

/** The real engine of n8n, with the built node and credential, and a store of credentials in memory. */
export class Engine {
	readonly credentials: CredentialStore;

	readonly nodeTypes: Readonly<Record<string, INodeType>>;

	constructor(
		{ Kuaidaili, KuaidailiApi, KuaidailiTrigger }: BuiltPackage = builtPackage,
		stored?: StoredCredentials,
	) {
		this.credentials = new CredentialStore({ kuaidailiApi: new KuaidailiApi() }, stored);
		this.nodeTypes = {
			start: startType,
			kuaidaili: new Kuaidaili(),
			kuaidailiTrigger: new KuaidailiTrigger(),
			// How n8n calls the node when an AI agent uses it as a tool
			kuaidailiTool: new Kuaidaili(),
			kuaidailiConnectedTool: asTool(new Kuaidaili()),
			loop: new LoopNode(),
		};
	}

	/** As a second worker of the same n8n: with the same credentials, and nothing else in common. */
	anotherProcess(): Engine {
		return new Engine(loadForAnotherProcess(), this.credentials.stored);
	}

	addCredential(data: ICredentialDataDecryptedObject): string {
		return this.credentials.add(data);
	}

	async run(given: RunSettings): Promise<RunResult> {
		const settings =
			given.executionId === undefined
				? { ...given, settings: { id: uniqueName('node'), ...given.settings } }
				: given;
		const { retryOf, executionId = uniqueName('execution') } = settings;
		const workflow = this.workflowOf(settings);
		const execution =
			retryOf === undefined
				? runManually(workflow, {
						credentials: this.credentials,
						items: settings.items ?? [{}],
						input: settings.input,
						executionId,
						rootMode: settings.rootMode,
						parentExecutionId: settings.parentExecutionId,
						killedExecutionId: settings.killedExecutionId,
					})
				: new WorkflowExecute(
						this.dataOfRetry(executionId, settings.retriedExecutionId),
						'retry',
						dataForRetry(retryOf),
					).processRunExecutionData(workflow);
		void settings.cancelWhen?.then(() => execution.cancel());
		return this.toResult(await execution);
	}

	private dataOfRetry(executionId: string, retryOf: string | undefined) {
		const data = this.additionalData(executionId);
		return Object.assign(data, { hooks: Object.assign(data.hooks ?? {}, { retryOf }) });
	}

	private workflowOf({
		agent,
		before,
		runs,
		staticData,
		...settings
	}: RunSettings): ReturnType<typeof newWorkflow> {
		const node = nodeUnderTest(settings);
		if (agent !== undefined) {
			const tool = { ...node, type: 'kuaidailiConnectedTool' };
			return newWorkflow({
				nodes: [startNode, tool, { ...node, id: '4', name: AGENT, type: 'agent', parameters: {} }],
				connections: { [START]: mainTo(AGENT), [UNDER_TEST]: toolOfAgent },
				nodeTypes: { ...this.nodeTypes, agent: agentNode(agent) },
			});
		}
		if (before !== undefined) {
			const first = {
				...nodeUnderTest({ ...settings, parameters: before }),
				id: '5',
				name: BEFORE,
			};
			return newWorkflow({
				nodes: [startNode, first, node],
				connections: { [START]: mainTo(BEFORE), [BEFORE]: mainTo(UNDER_TEST) },
				nodeTypes: this.nodeTypes,
			});
		}
		const loop: INode = {
			id: '3',
			name: LOOP,
			type: 'loop',
			typeVersion: 1,
			position: [400, 0],
			parameters: { runs: runs ?? 1 },
		};
		const inLoop = { [UNDER_TEST]: mainTo(LOOP), [LOOP]: mainTo(UNDER_TEST) };
		return newWorkflow({
			nodes: [startNode, node, loop],
			staticData,
			connections: { [START]: mainTo(UNDER_TEST), ...(runs !== undefined && inLoop) },
			nodeTypes: this.nodeTypes,
		});
	}

	/** What n8n's server does when a list field is opened or searched in the editor. */
	async searchList(search: ListSearch): Promise<INodeListSearchResult> {
		const { field, credentialId, filter, node: type = 'kuaidaili' } = search;
		const { description, methods } = this.nodeTypes[type];
		const parameters = asInEditor(description, search.parameters);
		const node = nodeUnderTest({ parameters, credentialId, settings: { name: 'Temp-Node', type } });
		const method = methods?.listSearch?.[searchMethodOf(description, field, node)];
		if (method === undefined) throw new Error(`'${field}' has no list`);
		const workflow = newWorkflow({ nodes: [node], connections: {}, nodeTypes: this.nodeTypes });
		const additionalData = { ...this.additionalData(), currentNodeParameters: parameters };
		const context = new LoadOptionsContext(workflow, node, additionalData, `parameters.${field}`);
		return await method.call(context, filter);
	}

	/** What the button "Test" does. */
	async testCredential(data: ICredentialDataDecryptedObject): Promise<INodeCredentialTestResult> {
		return await testCredential(new builtPackage.KuaidailiApi(), data, this.additionalData());
	}

	private toResult(run: IRun): RunResult {
		const { runData, error } = run.data.resultData;
		const last = runData[UNDER_TEST]?.at(-1);
		return {
			itemsOfRuns: (runData[UNDER_TEST] ?? []).map((task) => task.data?.main?.[0] ?? []),
			items: last?.data?.main?.[0] ?? [],
			errorItems: last?.data?.main?.[1] ?? [],
			error: error ?? last?.error,
			hints: last?.hints ?? [],
			status: run.status,
			saved: JSON.stringify(run),
		};
	}

	additionalData(executionId?: string): IWorkflowExecuteAdditionalData {
		return newAdditionalData(this.credentials, executionId);
	}
}
