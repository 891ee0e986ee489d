import type { IExecuteFunctions } from 'n8n-workflow';

import { toProperty } from '../../shared/fields/field';
import { accessOrder, type OrderAccess } from '../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { executionCaller } from '../../shared/transport/nodeCaller';
import type { CallOptions } from './callOptions';

/** The field of every operation that is about one order. */
export const orderProperty = toProperty(orderField);

/** The number in 'Order' of an item; undefined for the order of the credential. Throws InvalidFieldError. */
export function readOrderNumber(
	context: IExecuteFunctions,
	itemIndex: number,
	check: boolean,
): string | undefined {
	return readChosenOrder(context.getNodeParameter(orderField.name, itemIndex, ''), { check });
}

/**
 * Access to the order of an item. The item's other fields should be read before: what is wrong with
 * them is then told before anything is sent.
 *
 * @throws InvalidFieldError and what `callService` throws
 */
export async function accessOrderOfItem(
	context: IExecuteFunctions,
	itemIndex: number,
	{ timeoutMs, check }: CallOptions,
): Promise<OrderAccess> {
	const orderid = readOrderNumber(context, itemIndex, check);
	return await accessOrder(await executionCaller(context, itemIndex, timeoutMs), orderid);
}
