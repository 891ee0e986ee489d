import { ORDERS_WITH_LOGIN } from '../../../shared/orders/orderField';
import { isList, isRecord, ownValue, toRecord, type UnknownRecord } from '../../../shared/guards';
import { callOperation } from '../callOperation';
import { GET_IP_WHITELIST } from '../../../shared/service/endpoints/order';
import { dataQuery } from '../../../shared/queries/query';

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
	query: whitelist,
	toResult: (list, { order }) => ({ records: [{ ...order, ...toRecord(list) }] }),
});
