import { toRecord } from '../../../shared/guards';
import { whitelist } from '../../../shared/orders/whitelist';
import { ORDERS_WITH_LOGIN } from '../../../shared/orders/orderField';
import { callOperation, querying } from '../../run/callOperation';

export const whitelistGet = callOperation({
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get whitelist',
		description:
			"Get the IP addresses that may use an order's proxies without a login, and the maximum number of addresses",
	},
	orders: ORDERS_WITH_LOGIN,
	work: querying(whitelist),
	toResult: (list, { order }) => ({ records: [{ ...order, ...toRecord(list) }] }),
});
