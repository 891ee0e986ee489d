import { ownValue } from '../guards';
import { GET_IP_BALANCE } from '../service/endpoints/order';
import type { Query } from '../service/query';
import { InvalidResponseError } from '../errors/callErrors';
import { excerptOfData } from '../errors/cleanText';

/** How many IPs a private proxy order has left: of all that were bought, or for today. */
export const ipBalance: Query<number> = {
	endpoint: GET_IP_BALANCE,
	parse({ data }, secrets) {
		const balance = ownValue(data, 'balance');
		if (typeof balance === 'number' && Number.isFinite(balance)) return balance;
		throw new InvalidResponseError('contains no IP balance', excerptOfData(data, secrets));
	},
};
