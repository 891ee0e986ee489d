import { isRecord, ownValue } from '../guards';
import { GET_ACCOUNT_BALANCE } from '../service/endpoints/account';
import { callService, type Caller } from '../transport/callService';
import { lackingAnswer } from './lackingAnswer';

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
	const balance = isRecord(data) ? ownValue(data, 'balance') : undefined;
	const text = typeof balance === 'number' ? String(balance) : balance;
	if (typeof text !== 'string' || !/^-?\d+(\.\d+)?$/.test(text.trim())) {
		throw lackingAnswer('holds no balance', data, account);
	}
	return { balance: text, balanceNumber: Number(text) };
}
