import { ownValue } from '../guards';
import { GET_IP_BALANCE } from '../service/endpoints/order';
import { InvalidResponseError } from '../transport/callErrors';
import { callService, type Caller } from '../transport/callService';
import { excerptOfData } from '../transport/cleanText';

/**
 * Asks how many IPs are left of a private-proxy order: of all that were bought, or of today.
 *
 * @throws what `callService` throws
 */
export async function fetchIpBalance(order: Caller): Promise<number> {
	const { data } = await callService(order, { endpoint: GET_IP_BALANCE, parameters: {} });
	const balance = ownValue(data, 'balance');
	if (typeof balance === 'number' && Number.isFinite(balance)) return balance;
	throw new InvalidResponseError('holds no IP balance', excerptOfData(data, order.secrets()));
}
