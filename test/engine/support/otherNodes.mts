import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { NodeConnectionTypes } from '../../../harness/engine/n8n.mts';

/** Sends its input back into the node under test until that has run often enough. */
export class LoopNode implements INodeType {
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

export type Calls = (context: IExecuteFunctions) => Promise<void>;

/** A node that makes such calls as a test says, with the node under test connected as its tool. */
export function agentNode(calls: Calls): INodeType {
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
export function asTool(node: INodeType): INodeType {
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
