import type { INodeProperties } from 'n8n-workflow';

import { CLOSE_ORDER } from '../../../shared/service/endpoints/order';
import { callService } from '../../../shared/transport/callService';
import { cleanServiceText } from '../../../shared/transport/cleanText';
import { optionsCollection, readCallOptions } from '../../parameters/callOptions';
import { accessOrderOfItem, orderProperty } from '../../parameters/orderAccess';
import type { Operation } from '../operation';

const closeNotice: INodeProperties = {
	displayName:
		'Only orders that are paid as used can be closed. A closed order cannot be opened again, and its proxies stop working.',
	name: 'closeNotice',
	type: 'notice',
	default: '',
};

export const closeOperation: Operation = {
	option: {
		name: 'Close',
		value: 'close',
		action: 'Close order that is paid as used',
		description: 'End an order that is paid as used; the service settles it afterwards',
	},
	irreversible: true,
	properties: [closeNotice, orderProperty, optionsCollection([])],
	async execute(context, itemIndex) {
		const options = readCallOptions(context.getNodeParameter('options', itemIndex, ''));
		const { caller, orderid } = await accessOrderOfItem(context, itemIndex, options);
		const answer = await callService(caller, { endpoint: CLOSE_ORDER, parameters: {} });
		const message = cleanServiceText(answer.msg, caller.secrets());
		const order = orderid === undefined ? {} : { orderid };
		return { records: [{ ...order, closed: true, message }] };
	},
};
