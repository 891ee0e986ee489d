import { ownValue } from '../guards';
import { GET_ACCOUNT_BALANCE } from '../service/endpoints/account';
import type { Query } from '../service/query';
import { InvalidResponseError } from '../errors/callErrors';
import { excerptOfData } from '../errors/cleanText';

export interface AccountBalance {
	/** In yuan, exactly as the service sends it. */
	readonly balance: string;
	/** The same as a number, for comparing. */
	readonly balanceNumber: number;
}

export const accountBalance: Query<AccountBalance> = {
	endpoint: GET_ACCOUNT_BALANCE,
	parse({ data }, secrets) {
		const balance = ownValue(data, 'balance');
		const text = typeof balance === 'number' ? String(balance) : balance;
		if (typeof text !== 'string' || !/^-?\d+(\.\d+)?$/.test(text.trim())) {
			throw new InvalidResponseError('contains no balance', excerptOfData(data, secrets));
		}
		return { balance: text, balanceNumber: Number(text) };
	},
};
