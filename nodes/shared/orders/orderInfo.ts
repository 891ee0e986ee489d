import { isRecord, ownValue, type UnknownRecord } from '../guards';
import { GET_ORDER_INFO } from '../service/endpoints/order';
import { InvalidResponseError } from '../transport/callErrors';
import { callService, type Caller } from '../transport/callService';
import { fetchOrderExpiry } from './orderExpiry';

export interface OrderInfo {
	/** As the service sends it; it may hold the password of a tunnel. */
	readonly info: UnknownRecord;
	/** Milliseconds since 1970, by the clock of the service. */
	readonly answeredAt: number;
}

const EXPIRY_FIELD = 'expire_time';

function mayLackExpiry(info: UnknownRecord): boolean {
	return !Object.hasOwn(info, EXPIRY_FIELD) && ownValue(info, 'pay_type') !== 'POST_PAY';
}

/**
 * Asks for the details of the order of the key pair. Which fields there are depends on the product; the
 * expiry is asked for by itself where it is missing.
 *
 * @param fields names with commas; undefined for all
 * @throws what `callService` throws
 */
export async function fetchOrderInfo(order: Caller, fields?: string): Promise<OrderInfo> {
	const { data, answeredAt } = await callService(order, {
		endpoint: GET_ORDER_INFO,
		parameters: fields === undefined ? {} : { field_list: fields },
	});
	if (!isRecord(data)) throw new InvalidResponseError('holds no details of the order', '');
	const wantsExpiry = fields === undefined || fields.split(',').includes(EXPIRY_FIELD);
	if (!wantsExpiry || !mayLackExpiry(data)) return { info: data, answeredAt };
	const { expireTime } = await fetchOrderExpiry(order);
	return { info: { ...data, [EXPIRY_FIELD]: expireTime }, answeredAt };
}
