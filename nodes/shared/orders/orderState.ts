import { ownValue } from '../guards';
import { cleanServiceText } from '../errors/cleanText';
import { enumerated } from '../wording';
import {
	listedProduct,
	normalizedCode,
	ORDER_STATUSES,
	PAY_TYPES,
	PRODUCT_LABELS,
} from '../service/products';

/* What the codes of an order mean, for everything that decides by them. */

/** Behind "the order"; orders with any other status are in force. */
const OUT_OF_FORCE: Readonly<Record<string, string>> = {
	CLOSED: 'is closed',
	EXPIRED: 'has ended',
	FORBIDDEN: 'is banned',
	OPENING: 'is still being set up',
	OWING: 'has an overdue payment',
	WAIT_PAY: 'is awaiting payment',
};

const STATUSES = new Set(ORDER_STATUSES.map(({ value }) => value));

/** In upper case; undefined where the service says none. */
export function statusOf(order: unknown): string | undefined {
	return normalizedCode(ownValue(order, 'status'));
}

/** In upper case; undefined where the service says none. */
export function payTypeOf(order: unknown): string | undefined {
	return normalizedCode(ownValue(order, 'pay_type'));
}

/** The code that the editor offers; undefined where the service says none. */
export function productOf(order: unknown): string | undefined {
	return listedProduct(ownValue(order, 'product'));
}

/** Why an order is not in force, to go behind "the order"; undefined for one that is. */
export function whyNotInForce(order: unknown): string | undefined {
	const status = statusOf(order) ?? '';
	return Object.hasOwn(OUT_OF_FORCE, status) ? OUT_OF_FORCE[status] : undefined;
}

/**
 * Whether an order is in force. One with a status that this node doesn't know is: it comes in the service's
 * own list of active orders.
 */
export function isInForce(order: unknown): boolean {
	return whyNotInForce(order) === undefined;
}

export function hasEnded(order: unknown): boolean {
	return statusOf(order) === 'EXPIRED';
}

/** In the list of all orders, it doesn't tell whether the order is in force. */
export function hasUnknownStatus(order: unknown): boolean {
	const status = statusOf(order);
	return status !== undefined && !STATUSES.has(status);
}

/** What to tell the user about codes of an order in force that this node doesn't know, in whole sentences. */
export function unknownCodesInWords(order: unknown): string | undefined {
	const payType = payTypeOf(order);
	const product = productOf(order);
	const unknown = [
		...(hasUnknownStatus(order) ? [`the status '${statusOf(order)}'`] : []),
		...(payType === undefined || Object.hasOwn(PAY_TYPES, payType)
			? []
			: [`the pay type '${payType}'`]),
		...(product === undefined || Object.hasOwn(PRODUCT_LABELS, product)
			? []
			: [`the product '${product}'`]),
	];
	if (unknown.length === 0) return undefined;
	const text = `Order ${String(ownValue(order, 'orderid'))} has ${enumerated(unknown, 'and')}, which this node doesn't know. The order is treated as active, because the service lists it so.`;
	return cleanServiceText(text, []);
}
