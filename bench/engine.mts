import 'reflect-metadata';

import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	INode,
	INodeType,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import type * as credentialModule from '../credentials/KuaidailiApi.credentials.ts';
import type * as nodeModule from '../nodes/Kuaidaili/Kuaidaili.node.ts';
import { onShutdown } from '../scripts/shutdown.mjs';
import { CredentialStore } from '../test/engine/credentialStore.mts';

const START = 'Start';
const UNDER_TEST = 'Kuaidaili';

// The engine makes a settings file where this says, when it is loaded.
const userFolder = mkdtempSync(join(tmpdir(), 'kuaidaili-bench-'));
onShutdown(() => rm(userFolder, { recursive: true, force: true }));
process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'only-for-measurements';
process.env.N8N_LOG_LEVEL = 'silent';

const require = createRequire(import.meta.url);
const core: typeof import('n8n-core') = require('n8n-core');
const {
	NodeConnectionTypes,
	NodeHelpers,
	Workflow,
}: typeof import('n8n-workflow') = require('n8n-workflow');
const {
	KuaidailiApi,
}: typeof credentialModule = require('../dist/credentials/KuaidailiApi.credentials.js');
const { Kuaidaili }: typeof nodeModule = require('../dist/nodes/Kuaidaili/Kuaidaili.node.js');

/** Never the same key twice, in no run. */
let keys = 0;

/** Gives every item a key pair of its own, so that no call has to wait for the pace of another. */
class ManyKeys extends CredentialStore {
	override async getDecrypted(
		...args: Parameters<CredentialStore['getDecrypted']>
	): Promise<ICredentialDataDecryptedObject> {
		keys += 1;
		return { ...(await super.getDecrypted(...args)), secretId: `key-${keys}` };
	}
}

/** What one run of the node took. */
export interface EngineRun {
	/** Of the node alone, in milliseconds: without what the engine does before and after it. */
	readonly nodeMs: number;
	readonly items: ReadonlyArray<{ readonly json: IDataObject }>;
}

export interface EngineNode {
	readonly parameters: IDataObject;
	/** Of the credential; every item gets a `secretId` of its own unless `oneKey` is set. */
	readonly credential: ICredentialDataDecryptedObject;
	readonly oneKey?: boolean;
	readonly itemCount?: number;
	/** Runs in place of the node's own, with the same engine around it. */
	readonly execute?: INodeType['execute'];
}

/** Runs the built node once in n8n's engine, in this process. */
export async function runInEngine(settings: EngineNode): Promise<EngineRun> {
	const { parameters, credential, oneKey = false, itemCount = 1 } = settings;
	const types: Readonly<Record<string, ICredentialType>> = { kuaidailiApi: new KuaidailiApi() };
	const store = oneKey ? new CredentialStore(types) : new ManyKeys(types);
	const underTest = new Kuaidaili();
	let nodeMs = 0;
	const execute = settings.execute ?? underTest.execute;
	const timed: INodeType = {
		description: underTest.description,
		async execute() {
			const begin = performance.now();
			const output = await execute.call(this);
			nodeMs = performance.now() - begin;
			return output;
		},
	};
	const nodeTypes: Readonly<Record<string, INodeType>> = { start: startNode, kuaidaili: timed };
	const nodes: INode[] = [
		{ id: '1', name: START, type: 'start', typeVersion: 1, position: [0, 0], parameters: {} },
		{
			id: '2',
			name: UNDER_TEST,
			type: 'kuaidaili',
			typeVersion: 1,
			position: [200, 0],
			parameters: parameters as INode['parameters'],
			credentials: { kuaidailiApi: { id: store.add(credential), name: 'bench' } },
		},
	];
	const workflow = new Workflow({
		id: 'bench',
		active: false,
		nodes,
		connections: {
			[START]: { main: [[{ node: UNDER_TEST, type: NodeConnectionTypes.Main, index: 0 }]] },
		},
		nodeTypes: {
			getByName: (name: string) => nodeTypes[name],
			getByNameAndVersion: (name: string, version?: number) =>
				NodeHelpers.getVersionedNodeType(nodeTypes[name], version),
			getKnownTypes: () => ({}),
		},
		settings: { executionOrder: 'v1' },
	});
	const pinned = Array.from({ length: itemCount }, () => ({ json: {} }));
	const run = await new core.WorkflowExecute(additionalData(store), 'manual').run({
		workflow,
		pinData: { [START]: pinned },
	});
	const { error, runData } = run.data.resultData;
	if (error) throw new Error(`${error.message}. ${String(error.description ?? '')}`);
	return { nodeMs, items: runData[UNDER_TEST]?.[0]?.data?.main?.[0] ?? [] };
}

const startNode: INodeType = {
	description: {
		displayName: 'Start',
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

function additionalData(credentialsHelper: CredentialStore): IWorkflowExecuteAdditionalData {
	const unused = () => undefined;
	const data: Partial<IWorkflowExecuteAdditionalData> = {
		credentialsHelper,
		hooks: new core.ExecutionLifecycleHooks('manual', '1', {
			id: 'bench',
			name: 'bench',
			active: false,
			isArchived: false,
			createdAt: new Date(),
			updatedAt: new Date(),
			activeVersionId: null,
			nodes: [],
			connections: {},
		}),
		executionId: '1',
		variables: {},
		userId: 'user',
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
	};
	return data as IWorkflowExecuteAdditionalData;
}
