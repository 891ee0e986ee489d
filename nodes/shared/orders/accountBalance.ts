import { ownValue } from '../guards';
import { GET_ACCOUNT_BALANCE } from '../service/endpoints/account';
import { InvalidResponseError } from '../transport/callErrors';
import { callService, type Caller } from '../transport/callService';
import { excerptOfData } from '../transport/cleanText';

export interface AccountBalance {
	/** In yuan, exactly as the service sends it. */
	readonly balance: string;
	/** The same as a number, for comparing. */
	readonly balanceNumber: number;
}

/**
 * Asks for the balance of the account.
 *
 * @throws what `callService` throws
 */
export async function fetchAccountBalance(account: Caller): Promise<AccountBalance> {
	const { data } = await callService(account, { endpoint: GET_ACCOUNT_BALANCE, parameters: {} });
	const balance = ownValue(data, 'balance');
	const text = typeof balance === 'number' ? String(balance) : balance;
	if (typeof text !== 'string' || !/^-?\d+(\.\d+)?$/.test(text.trim())) {
		throw new InvalidResponseError('holds no balance', excerptOfData(data, account.secrets()));
	}
	return { balance: text, balanceNumber: Number(text) };
}
