import { readField, locatorValue } from '../fields/reader';
import {
	serviceField,
	toProperty,
	InvalidFieldError,
	NoTextError,
	type ValueKind,
} from '../fields/field';
import { resourceLocator, TYPED_MODE, simpleText } from '../fields/kinds';
import { ownValue } from '../guards';
import { isProductCode, PRODUCT_LABELS, type PayType, type ProductCode } from '../service/products';

/** The number of an order: a text, since 16 digits do not survive as a number. */
export const orderNumber: ValueKind = {
	property: { type: 'string', default: '' },
	allowed: 'the number of an order as text, usually 15 or 16 digits, such as 965102959536478',
	toText(value) {
		if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new NoTextError();
		return simpleText(value);
	},
	accepts: (text) => /^\d{8,24}$/.test(text),
};

/** The order to work on. Only getordersecret takes it as a parameter. */
export const orderField = serviceField({
	serviceName: 'orderid',
	displayName: 'Order',
	description: "The order to use. Leave empty if the credential holds an order's key pair.",
	kind: resourceLocator(orderNumber, {
		method: 'searchOrders',
		listPlaceholder: 'Choose an order',
		typedLabel: 'By ID',
		typedPlaceholder: 'e.g. 965102959536478',
	}),
});

export const orderProperty = toProperty(orderField);

/** The number of the chosen order; undefined for the order of the credential. */
export function readChosenOrder(value: unknown): string | undefined {
	const number = readField(orderField, value);
	// 'By ID' without a number is a mistake, not a choice of the credential's order
	const isTyped = ownValue(value, 'mode') === TYPED_MODE;
	if (number === undefined && isTyped) {
		throw new InvalidFieldError(
			orderField.displayName,
			locatorValue(value),
			"Enter an order number. If the credential holds an order's key pair, choose 'From list' instead of 'By ID', and leave the list empty.",
		);
	}
	return number;
}

/** The orders that are offered, by the codes of the service; those of any product and pay type without. */
export interface OrderFilter {
	readonly products?: readonly ProductCode[];
	readonly payTypes?: readonly PayType[];
}

export type UsableOrders = OrderFilter | ((valueOf: (name: string) => unknown) => OrderFilter);

/** Open proxies have neither login nor whitelist. */
export const ORDERS_WITH_LOGIN: OrderFilter = {
	products: Object.keys(PRODUCT_LABELS)
		.filter(isProductCode)
		.filter((code) => code !== 'OPS'),
};

/** @param product as it is in the editor; unknown where it is an expression */
export function ordersOf(product: unknown): OrderFilter {
	return isProductCode(product) ? { products: [product] } : {};
}
