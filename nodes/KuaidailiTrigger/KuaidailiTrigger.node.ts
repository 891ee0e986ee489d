import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { orderListSearch } from '../shared/searchedList';
import { findEvent, triggerProperties, triggerSubtitle } from './events';
import { pollEvent } from './pollEvent';

const searchWatchedOrders = orderListSearch((valueOf) => findEvent(valueOf('event')).orders);

export class KuaidailiTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Kuaidaili Trigger',
		name: 'kuaidailiTrigger',
		icon: { light: 'file:../../icons/kuaidaili.svg', dark: 'file:../../icons/kuaidaili.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: triggerSubtitle,
		description:
			'Open web pages through your own Kuaidaili proxy orders, order and renew proxies, and start workflows when orders expire or balances run low',
		defaults: { name: 'Kuaidaili Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'kuaidailiApi', required: true }],
		hints: [
			{
				message:
					"A test shows real data from your account, even if nothing has happened. Its items have 'test' set to true. In such a run, 'Order: Create' buys nothing, and neither does 'Order: Renew' unless its 'Renew' is set to 'Always'.",
				type: 'info',
				location: 'outputPane',
				whenToDisplay: 'afterExecution',
			},
		],
		properties: triggerProperties,
	};

	methods = { listSearch: { searchOrders: searchWatchedOrders } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollEvent(this);
	}
}
