import './environment.mts';
import 'reflect-metadata';

import {
	CredentialTestContext,
	ExecutionLifecycleHooks,
	LoadOptionsContext,
	WorkflowExecute,
} from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
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
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeHelpers, Workflow } from 'n8n-workflow';

import { builtPackage, loadForAnotherProcess, type BuiltPackage } from './builtPackage.mts';
import { CredentialStore, type StoredCredentials } from './credentialStore.mts';

const START = 'Start';
const UNDER_TEST = 'Kuaidaili';
const LOOP = 'Loop';
const AGENT = 'Agent';

const mainTo = (node: string) => ({
	main: [[{ node, type: NodeConnectionTypes.Main, index: 0 }]],
});
const toNodeUnderTest = mainTo(UNDER_TEST);
const toLoop = mainTo(LOOP);
const toolOfAgent = {
	[NodeConnectionTypes.AiTool]: [[{ node: AGENT, type: NodeConnectionTypes.AiTool, index: 0 }]],
};

class StartNode implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Start',
		name: 'start',
		group: ['trigger'],
		version: 1,
		description: '',
		defaults: {},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	};

	async trigger() {
		return {};
	}
}

/** Sends its input back into the node under test until that has run often enough. */
class LoopNode implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Loop',
		name: 'loop',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: {},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: [{ displayName: 'Runs', name: 'runs', type: 'number', default: 1 }],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const memory = this.getContext('node');
		const done = Number(memory.done ?? 0) + 1;
		memory.done = done;
		return [done < Number(this.getNodeParameter('runs', 0)) ? this.getInputData() : []];
	}
}

type Calls = (context: IExecuteFunctions) => Promise<void>;

/** A node that makes such calls as a test says, with the node under test connected as its tool. */
function agentNode(calls: Calls): INodeType {
	return {
		description: {
			displayName: 'Agent',
			name: 'agent',
			group: ['transform'],
			version: 1,
			description: '',
			defaults: {},
			credentials: [{ name: 'kuaidailiApi' }],
			inputs: [NodeConnectionTypes.Main, { type: NodeConnectionTypes.AiTool, displayName: 'Tool' }],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		async execute() {
			await calls(this);
			return [this.getInputData()];
		},
	};
}

/** The node as n8n offers it to agents: without an input, and with a description for the model. */
function asTool(node: INodeType): INodeType {
	return {
		description: {
			...node.description,
			name: 'kuaidailiConnectedTool',
			inputs: [],
			outputs: [NodeConnectionTypes.AiTool],
			properties: [
				...node.description.properties,
				{
					displayName: 'Description',
					name: 'toolDescription',
					type: 'string',
					default: 'Buys proxies',
				},
			],
		},
		async execute() {
			return (await node.execute?.call(this)) ?? [];
		},
	};
}

/** What n8n's "Retry" makes of a saved execution that ended with an error. */
function dataForRetry(saved: string): IRunExecutionData {
	const { data }: IRun = JSON.parse(saved);
	delete data.resultData.error;
	data.resultData.runData[UNDER_TEST].pop();
	return data;
}

type NewWorkflow = Pick<
	ConstructorParameters<typeof Workflow>[0],
	'nodes' | 'connections' | 'staticData'
> & {
	nodeTypes: Readonly<Record<string, INodeType>>;
};

export function newWorkflow({ nodes, connections, nodeTypes, staticData }: NewWorkflow): Workflow {
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
		property.name === field &&
		NodeHelpers.displayParameter(node.parameters, property, node, description);
	const modes = description.properties.find(isShown)?.modes ?? [];
	return modes.find(({ type }) => type === 'list')?.typeOptions?.searchListMethod ?? '';
}

export interface RunSettings {
	/** Of the node under test; `resource` and `operation` included. */
	parameters: IDataObject;
	credentialId: string;
	/** One input item each; one empty item by default. */
	items?: IDataObject[];
	/** Settings of the node, such as `onError` or `retryOnFail`. */
	settings?: Partial<INode>;
	/** How often the node runs in the execution, as in a loop; once by default. */
	runs?: number;
	/** Cancels the execution when it resolves. */
	cancelWhen?: Promise<unknown>;
	/** Another node runs, with the same credential, and the node under test is connected as its tool. */
	agent?: Calls;
	/** "Retry" of an execution: what was `saved` of it. */
	retryOf?: string;
	/** Each execution has its own in n8n; '1' by default. */
	executionId?: string;
}

/** A searchable list that is opened in the editor. */
export interface ListSearch {
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
			start: new StartNode(),
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

	async run(settings: RunSettings): Promise<RunResult> {
		const node: INode = {
			id: '2',
			name: UNDER_TEST,
			type: settings.agent === undefined ? 'kuaidaili' : 'kuaidailiConnectedTool',
			typeVersion: 1,
			position: [200, 0],
			parameters: settings.parameters as INode['parameters'],
			credentials: { kuaidailiApi: { id: settings.credentialId, name: 'test' } },
			...settings.settings,
		};
		const nodeTypes: Readonly<Record<string, INodeType>> = {
			...this.nodeTypes,
			...(settings.agent === undefined ? {} : { agent: agentNode(settings.agent) }),
		};
		const workflow = newWorkflow({
			nodes: [
				{ id: '1', name: START, type: 'start', typeVersion: 1, position: [0, 0], parameters: {} },
				node,
				{
					id: '3',
					name: LOOP,
					type: 'loop',
					typeVersion: 1,
					position: [400, 0],
					parameters: { runs: settings.runs ?? 1 },
				},
				...(settings.agent === undefined
					? []
					: [{ ...node, id: '4', name: AGENT, type: 'agent', parameters: {} }]),
			],
			connections:
				settings.agent === undefined
					? {
							[START]: toNodeUnderTest,
							...(settings.runs === undefined
								? {}
								: { [UNDER_TEST]: toLoop, [LOOP]: toNodeUnderTest }),
						}
					: { [START]: mainTo(AGENT), [UNDER_TEST]: toolOfAgent },
			nodeTypes,
		});
		const items = settings.items ?? [{}];
		const additionalData = this.additionalData(settings.executionId);
		const execution =
			settings.retryOf === undefined
				? new WorkflowExecute(additionalData, 'manual').run({
						workflow,
						pinData: { [START]: items.map((json) => ({ json })) },
					})
				: new WorkflowExecute(
						additionalData,
						'retry',
						dataForRetry(settings.retryOf),
					).processRunExecutionData(workflow);
		void settings.cancelWhen?.then(() => execution.cancel());
		return this.toResult(await execution);
	}

	/** What n8n's server does when a list field is opened or searched in the editor. */
	async searchList(search: ListSearch): Promise<INodeListSearchResult> {
		const { description, methods } = this.nodeTypes.kuaidaili;
		const { field, credentialId, filter } = search;
		const parameters = asInEditor(description, search.parameters);
		const node: INode = {
			id: '2',
			name: 'Temp-Node',
			type: 'kuaidaili',
			typeVersion: 1,
			position: [0, 0],
			parameters,
			credentials: { kuaidailiApi: { id: credentialId, name: 'test' } },
		};
		const method = methods?.listSearch?.[searchMethodOf(description, field, node)];
		if (method === undefined) throw new Error(`'${field}' has no list`);
		const workflow = newWorkflow({ nodes: [node], connections: {}, nodeTypes: this.nodeTypes });
		const additionalData = { ...this.additionalData(), currentNodeParameters: parameters };
		const context = new LoadOptionsContext(workflow, node, additionalData, `parameters.${field}`);
		return await method.call(context, filter);
	}

	/** What the button "Test" does: finds the test by the node's description, and runs it. */
	async testCredential(data: ICredentialDataDecryptedObject): Promise<INodeCredentialTestResult> {
		const { description, methods } = this.nodeTypes.kuaidaili;
		const testedBy = description.credentials?.find(({ name }) => name === 'kuaidailiApi')?.testedBy;
		const test = methods?.credentialTest?.[String(testedBy)];
		if (test === undefined) throw new Error('The credential has no test');
		const credential = { id: '1', name: 'test', type: 'kuaidailiApi', data };
		return await test.call(new CredentialTestContext(this.additionalData()), credential);
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

	additionalData(executionId = '1'): IWorkflowExecuteAdditionalData {
		const unused = () => undefined;
		const data: Partial<IWorkflowExecuteAdditionalData> = {
			credentialsHelper: this.credentials,
			hooks: new ExecutionLifecycleHooks('manual', '1', {
				id: 'test',
				name: 'test',
				active: false,
				isArchived: false,
				createdAt: new Date(),
				updatedAt: new Date(),
				activeVersionId: null,
				nodes: [],
				connections: {},
			}),
			executionId,
			variables: {},
			userId: 'user',
			currentNodeParameters: undefined,
			// n8n refuses addresses that are none
			restApiUrl: 'http://localhost/rest',
			instanceBaseUrl: 'http://localhost',
			formWaitingBaseUrl: 'http://localhost/form-waiting',
			webhookBaseUrl: 'http://localhost/webhook',
			webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
			webhookTestBaseUrl: 'http://localhost/webhook-test',
			setExecutionStatus: unused,
			sendDataToUI: unused,
			logAiEvent: unused,
			externalSecretsProxy: {
				getSecret: unused,
				hasProvider: () => false,
				hasSecret: () => false,
				listProviders: () => [],
				listSecrets: () => [],
			} as unknown as IWorkflowExecuteAdditionalData['externalSecretsProxy'],
		};
		return data as IWorkflowExecuteAdditionalData;
	}
}
