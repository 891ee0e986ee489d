import type { IDataObject } from 'n8n-workflow';

import { ownValue, type UnknownRecord } from '../guards';
import { payTypeName, productName } from '../service/products';
import { withExpiry } from './expiry';

/** What the node adds to the service's own fields of an order. Each is there only where it is known. */
export interface ReadableFields extends ReturnType<typeof withExpiry> {
	productName?: string;
	payTypeName?: string;
}

function nameOf(code: unknown, toName: (code: string) => string): string | undefined {
	return typeof code === 'string' && code !== '' ? toName(code) : undefined;
}

function namesIn(order: unknown): Pick<ReadableFields, 'productName' | 'payTypeName'> {
	const product = nameOf(ownValue(order, 'product'), productName);
	const payType = nameOf(ownValue(order, 'pay_type'), payTypeName);
	return {
		...(product === undefined ? {} : { productName: product }),
		...(payType === undefined ? {} : { payTypeName: payType }),
	};
}

/** Product and pay type of an order, with their names. */
export function kindOfOrder(order: unknown): IDataObject {
	const codes = ['product', 'pay_type'].flatMap((name): Array<[string, string]> => {
		const code = ownValue(order, name);
		return typeof code === 'string' && code !== '' ? [[name, code]] : [];
	});
	return { ...Object.fromEntries(codes), ...namesIn(order) };
}

/**
 * An order as it comes out of the node, wherever that is: the record of the service, with names for its codes
 * and with the time that is left.
 *
 * @param now milliseconds since 1970, by the clock of the service
 */
export function readableOrder<T extends UnknownRecord>(order: T, now: number): T & ReadableFields {
	return withExpiry({ ...order, ...namesIn(order) }, now);
}
