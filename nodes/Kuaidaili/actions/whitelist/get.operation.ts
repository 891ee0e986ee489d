import { toRecord, type UnknownRecord, ownValue, isList, isRecord } from '../../../shared/guards';
import { ORDERS_WITH_LOGIN } from '../../../shared/orders/orderField';
import { callOperation, querying } from '../../run/operation';
import { dataQuery } from '../../../shared/api/call';
import { GET_IP_WHITELIST } from '../../../shared/service/endpoints/order';

/** The addresses that may use the proxies of an order without login; the rest is as the service sends it. */
export type Whitelist = UnknownRecord & { readonly ipwhitelist: readonly string[] };

function isWhitelist(data: unknown): data is Whitelist {
	const addresses = ownValue(data, 'ipwhitelist');
	return (
		isRecord(data) &&
		isList(addresses) &&
		addresses.every((address) => typeof address === 'string' && address !== '')
	);
}

export const whitelist = dataQuery(GET_IP_WHITELIST, 'whitelist', (data) =>
	isWhitelist(data) ? data : undefined,
);

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
	toResult: (list, { orderRecord }) => ({ records: [{ ...orderRecord, ...toRecord(list) }] }),
});
