import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	INodeCredentialTestResult,
	INodeType,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

import { at } from '../outsideData.mts';
import { createEmptyRunExecutionData, ExecuteContext, NodeHelpers, RoutingNode } from './n8n.mts';
import { newWorkflow } from './workflow.mts';

function refused(message: unknown): INodeCredentialTestResult {
	return { status: 'Error', message: String(message) };
}

/** What the editor shows of an error, as in n8n's credentials-tester.service.js. */
function asRefusal(error: unknown): INodeCredentialTestResult {
	const response = at(error, 'cause', 'response');
	if (response !== undefined) {
		const status = at(response, 'status');
		return refused(at(response, 'statusText') || `Received HTTP status code: ${String(status)}`);
	}
	return refused(at(error, 'cause', 'code') ?? at(error, 'message'));
}

/** Runs a declarative test of a credential as n8n's server does: by its RoutingNode, in a node made for it. */
export async function testCredential(
	{ name, properties, test }: ICredentialType,
	given: ICredentialDataDecryptedObject,
	additionalData: IWorkflowExecuteAdditionalData,
): Promise<INodeCredentialTestResult> {
	if (test === undefined) throw new Error('The credential has no test');
	const values = NodeHelpers.getNodeParameters(properties, given as never, true, false, null, null);
	const data = values as ICredentialDataDecryptedObject;
	const node = {
		id: 'temp',
		name: 'Temp-Node',
		type: 'noOp',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters: {},
		credentials: { [name]: { id: '1', name: 'test' } },
	};
	const type: INodeType = {
		description: {
			...{ displayName: 'Temp', name: 'noOp', group: ['input'], version: 1, description: '' },
			...{ defaults: {}, inputs: ['main'], outputs: ['main'] },
			credentials: [{ name, required: true }],
			properties: [
				{
					...{ displayName: 'Temp', name: 'temp', type: 'string', default: '' },
					routing: { request: test.request },
				},
			],
		},
	};
	const workflow = newWorkflow({ nodes: [node], connections: {}, nodeTypes: { noOp: type } });
	const input = { main: [[{ json: {} }]] };
	const task = { node, data: {}, source: null };
	const run = createEmptyRunExecutionData();
	const context = new ExecuteContext(
		workflow,
		node,
		additionalData,
		'internal',
		run,
		0,
		[],
		input,
		task,
		[],
	);
	const routing = new RoutingNode(context, type, { id: '1', name: 'test', type: name, data });
	try {
		const output = await routing.runNode();
		for (const { type: kind, properties: rule } of test.rules ?? []) {
			if (kind !== 'responseSuccessBody') throw new Error(`Not followed here: ${kind}`);
			const answer: unknown = output?.[0]?.[0].json;
			if (at(answer, ...rule.key.split('.')) === rule.value) return refused(rule.message);
		}
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return asRefusal(error);
	}
}
