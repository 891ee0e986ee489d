import type { IDataObject } from 'n8n-workflow';

import { isRecord, ownValue } from '../../shared/guards';
import { UnusableAnswerError } from '../../shared/transport/callErrors';
import type { SuccessfulEnvelope } from '../../shared/transport/httpReply';
import { toRecord } from '../../shared/toRecord';

/**
 * The `data` of a purchase's answer, with the order number as text: it has 15 or 16 digits, and the
 * last ones would not survive as a number.
 *
 * @throws UnusableAnswerError without an order number; the purchase itself was made then
 */
export function readBought({ data }: SuccessfulEnvelope): IDataObject & { orderid: string } {
	const orderid = isRecord(data) ? ownValue(data, 'orderid') : undefined;
	const isNumber = typeof orderid === 'string' || typeof orderid === 'number';
	if (!isRecord(data) || !isNumber || String(orderid).trim() === '') {
		throw new UnusableAnswerError('says that it was done, but holds no order number', '');
	}
	return { ...toRecord(data), orderid: String(orderid) };
}
