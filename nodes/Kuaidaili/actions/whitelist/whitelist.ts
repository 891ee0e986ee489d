import { isIpv4 } from '../../../shared/fields/ipv4';
import { isList, isRecord, ownValue, type UnknownRecord } from '../../../shared/guards';
import { GET_IP_WHITELIST, GET_MY_IP } from '../../../shared/service/endpoints/whitelist';
import type { Query } from '../../../shared/service/query';
import { InvalidResponseError } from '../../../shared/errors/callErrors';
import { excerptOfData } from '../../../shared/errors/cleanText';

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

/** The whitelist of the order of the key pair. */
export const whitelist: Query<Whitelist> = {
	endpoint: GET_IP_WHITELIST,
	parse({ data }, secrets) {
		if (isWhitelist(data)) return data;
		throw new InvalidResponseError('contains no whitelist', excerptOfData(data, secrets));
	},
};

/** The public address from which this n8n calls the service. */
export const ownIp: Query<string> = {
	endpoint: GET_MY_IP,
	parse({ data }, secrets) {
		const ip = ownValue(data, 'ip');
		if (typeof ip === 'string' && isIpv4(ip)) return ip;
		throw new InvalidResponseError('contains no IPv4 address', excerptOfData(data, secrets));
	},
};
