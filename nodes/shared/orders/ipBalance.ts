import { isRecord, ownValue } from '../guards';
import { GET_IP_BALANCE } from '../service/endpoints/order';
import { callService, type Caller } from '../transport/callService';
import { lackingAnswer } from './lackingAnswer';

/**
 * Asks how many IPs are left of a private-proxy order: of all that were bought, or of today.
 *
 * @throws what `callService` throws
 */
export async function fetchIpBalance(order: Caller): Promise<number> {
	const { data } = await callService(order, { endpoint: GET_IP_BALANCE, parameters: {} });
	const balance = isRecord(data) ? ownValue(data, 'balance') : undefined;
	if (typeof balance === 'number' && Number.isFinite(balance)) return balance;
	throw lackingAnswer('holds no IP balance', data, order);
}
