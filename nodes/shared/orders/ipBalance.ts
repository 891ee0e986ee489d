import { ownValue } from '../guards';
import { GET_IP_BALANCE } from '../service/endpoints/order';
import type { Query } from '../service/query';
import { InvalidResponseError } from '../transport/callErrors';
import { excerptOfData } from '../transport/cleanText';

/** How many IPs are left of a private-proxy order: of all that were bought, or of today. */
export const ipBalance: Query<number> = {
	endpoint: GET_IP_BALANCE,
	parse({ data }, secrets) {
		const balance = ownValue(data, 'balance');
		if (typeof balance === 'number' && Number.isFinite(balance)) return balance;
		throw new InvalidResponseError('contains no IP balance', excerptOfData(data, secrets));
	},
};
