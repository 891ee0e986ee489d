import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { findOperation, nodeProperties, nodeSubtitle } from './actions/resources';
import { runOperation } from './run/router';
import { listSearch } from './listSearch';

export class Kuaidaili implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Kuaidaili',
		name: 'kuaidaili',
		icon: { light: 'file:../../icons/kuaidaili.svg', dark: 'file:../../icons/kuaidaili.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: nodeSubtitle,
		description:
			'Open web pages through your own Kuaidaili proxy orders, and order, renew, and extract proxies',
		defaults: { name: 'Kuaidaili' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'kuaidailiApi', required: true }],
		properties: nodeProperties,
	};

	methods = { listSearch };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runOperation(this, findOperation, this.continueOnFail())];
	}
}
