import { isIpv4 } from '../fields/kinds';
import { isList, isRecord, ownValue, type UnknownRecord } from '../guards';
import { GET_IP_WHITELIST, GET_MY_IP } from '../service/endpoints/order';
import { dataQuery } from '../api/call';

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

/** The public address from which this n8n calls the service. */
export const ownIp = dataQuery(GET_MY_IP, 'IPv4 address', (data) => {
	const ip = ownValue(data, 'ip');
	return typeof ip === 'string' && isIpv4(ip) ? ip : undefined;
});
