import { ownValue } from '../guards';
import { GET_ACCOUNT_BALANCE } from '../service/endpoints/account';
import { dataQuery } from '../service/query';

export interface AccountBalance {
	/** In yuan, exactly as the service sends it. */
	readonly balance: string;
	/** The same as a number, for comparing. */
	readonly balanceNumber: number;
}

export const accountBalance = dataQuery(
	GET_ACCOUNT_BALANCE,
	'balance',
	(data): AccountBalance | undefined => {
		const balance = ownValue(data, 'balance');
		const text = typeof balance === 'number' ? String(balance) : balance;
		if (typeof text !== 'string' || !/^-?\d+(\.\d+)?$/.test(text.trim())) return undefined;
		return { balance: text, balanceNumber: Number(text) };
	},
);
