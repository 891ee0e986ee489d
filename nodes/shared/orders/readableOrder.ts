import { ownValue, type UnknownRecord } from '../guards';
import { payTypeName, productName } from '../service/products';
import { withExpiry } from './expiry';

/** What the node adds to the service's own fields of an order. Each is there only where it is known. */
export interface ReadableFields {
	productName?: string;
	payTypeName?: string;
	/** ISO 8601 with its zone. */
	expiresAt?: string;
	/** Negative after the end. */
	secondsLeft?: number;
	/** With one decimal, rounded down: never more than there is, and negative after the end. */
	daysLeft?: number;
}

const SECONDS_IN_TENTH_OF_DAY = 8640;

function nameOf(code: unknown, toName: (code: string) => string): string | undefined {
	return typeof code === 'string' && code !== '' ? toName(code) : undefined;
}

/**
 * An order as it comes out of the node, wherever that is: the record of the service, with names for its codes
 * and with the time that is left.
 *
 * @param now milliseconds since 1970, by the clock of the service
 */
export function readableOrder<T extends UnknownRecord>(order: T, now: number): T & ReadableFields {
	const product = nameOf(ownValue(order, 'product'), productName);
	const payType = nameOf(ownValue(order, 'pay_type'), payTypeName);
	const named = {
		...order,
		...(product === undefined ? {} : { productName: product }),
		...(payType === undefined ? {} : { payTypeName: payType }),
	};
	const dated = withExpiry(named, now);
	const { secondsLeft } = dated;
	if (secondsLeft === undefined) return dated;
	return { ...dated, daysLeft: Math.floor(secondsLeft / SECONDS_IN_TENTH_OF_DAY) / 10 };
}
