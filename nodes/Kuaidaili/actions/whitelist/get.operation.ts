import { WITH_LOGIN } from '../../../shared/orders/usableOrders';
import { toRecord } from '../../../shared/toRecord';
import { callOperation } from '../callOperation';
import { whitelist } from '../../../shared/queries/whitelist';

export const whitelistGet = callOperation({
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get whitelist',
		description:
			"Get the IP addresses that may use an order's proxies without a login, and the maximum number of addresses",
	},
	orders: WITH_LOGIN,
	query: whitelist,
	toResult: (list, { order }) => ({ records: [{ ...order, ...toRecord(list) }] }),
});
