import './engineEnvironment.mts';

import { monitorEventLoopDelay } from 'node:perf_hooks';

import type { ICredentialDataDecryptedObject, IDataObject, INode, INodeType } from 'n8n-workflow';
import { loadBuiltPackage } from '../harness/engine/builtPackage.mts';
import { CredentialStore } from '../harness/engine/credentialStore.mts';
import {
	mainTo,
	newWorkflow,
	nodeUnderTest,
	runManually,
	START,
	startNode,
	startType,
	UNDER_TEST,
} from '../harness/engine/workflow.mts';

const { Kuaidaili, KuaidailiApi } = loadBuiltPackage();

/** What one run of the node took. */
export interface EngineRun {
	/** Of the node alone, in milliseconds: without what the engine does before and after it. */
	readonly nodeMs: number;
	/** For how long nothing else in the process ran meanwhile, at most, in milliseconds. */
	readonly longestPauseMs: number;
	readonly items: ReadonlyArray<{ readonly json: IDataObject }>;
}

export interface EngineNode {
	readonly parameters: IDataObject;
	/** What the tab 'Settings' of the node says. */
	readonly settings?: Partial<INode>;
	/** Of the credential. */
	readonly credential: ICredentialDataDecryptedObject;
	readonly itemCount?: number;
}

const RESOLUTION_MS = 10;

/** Runs the built node once in n8n's engine, in this process. */
export async function runInEngine(node: EngineNode): Promise<EngineRun> {
	const { parameters, settings, credential, itemCount = 1 } = node;
	const credentials = new CredentialStore({ kuaidailiApi: new KuaidailiApi() });
	const underTest = new Kuaidaili();
	let nodeMs = 0;
	let longestPauseMs = 0;
	const timed: INodeType = {
		description: underTest.description,
		async execute() {
			const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
			delay.enable();
			const begin = performance.now();
			const output = await underTest.execute.call(this);
			nodeMs = performance.now() - begin;
			delay.disable();
			longestPauseMs = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
			return output;
		},
	};
	const workflow = newWorkflow({
		nodes: [
			startNode,
			nodeUnderTest({ parameters, settings, credentialId: credentials.add(credential) }),
		],
		connections: { [START]: mainTo(UNDER_TEST) },
		nodeTypes: { start: startType, kuaidaili: timed },
	});
	const items = Array.from({ length: itemCount }, () => ({}));
	const run = await runManually(workflow, { credentials, items });
	const { error, runData } = run.data.resultData;
	if (error) throw new Error(`${error.message}. ${String(error.description ?? '')}`);
	return { nodeMs, longestPauseMs, items: runData[UNDER_TEST]?.[0]?.data?.main?.[0] ?? [] };
}
