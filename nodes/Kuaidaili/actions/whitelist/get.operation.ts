import { toRecord } from '../../../shared/toRecord';
import { callOperation } from '../callOperation';
import { whitelist } from './whitelist';

export const getOperation = callOperation({
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get whitelist',
		description:
			'Get the client addresses that may use the proxies of an order without login, and how many there may be',
	},
	query: whitelist,
	toResult: (list, { order }) => ({ records: [{ ...order, ...toRecord(list) }] }),
});
