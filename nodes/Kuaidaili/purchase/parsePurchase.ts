import type { IDataObject } from 'n8n-workflow';

import { isRecord, ownValue } from '../../shared/guards';
import { InvalidResponseError } from '../../shared/transport/callErrors';
import type { ServiceAnswer } from '../../shared/service/query';
import { toRecord } from '../../shared/toRecord';

/**
 * The `data` of a purchase's answer, with the order number as text: it has 15 or 16 digits, and the
 * last ones would not survive as a number.
 *
 * @throws InvalidResponseError without an order number; the purchase itself was made then
 */
export function parsePurchase({
	data,
}: Pick<ServiceAnswer, 'data'>): IDataObject & { orderid: string } {
	const orderid = ownValue(data, 'orderid');
	const isNumber = typeof orderid === 'string' || typeof orderid === 'number';
	if (!isRecord(data) || !isNumber || String(orderid).trim() === '') {
		throw new InvalidResponseError('confirms the purchase but contains no order number', '');
	}
	return { ...toRecord(data), orderid: String(orderid) };
}
