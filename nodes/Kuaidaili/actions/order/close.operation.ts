import type { INodeProperties } from 'n8n-workflow';

import { CLOSE_ORDER } from '../../../shared/service/endpoints/order';
import { settingQuery } from '../../../shared/service/query';
import { callOperation } from '../callOperation';

const closeNotice: INodeProperties = {
	displayName:
		'Only pay-as-you-go orders can be closed. A closed order cannot be reopened, and its proxies stop working.',
	name: 'closeNotice',
	type: 'notice',
	default: '',
};

export const orderClose = callOperation({
	option: {
		name: 'Close',
		value: 'close',
		action: 'Close order',
		description:
			'Close a pay-as-you-go order for good. Its proxies stop working, and Kuaidaili settles the bill.',
	},
	irreversible: true,
	notice: closeNotice,
	orders: { payTypes: ['POST_PAY'] },
	query: settingQuery(CLOSE_ORDER),
	toResult: (message, { order }) => ({ records: [{ ...order, closed: true, message }] }),
});
