import { readField, serviceField, toProperty, type ReadOptions } from '../fields/field';
import { InvalidFieldError } from '../fields/invalidFieldError';
import { locatorValue, resourceLocator, TYPED_MODE } from '../fields/resourceLocator';
import { orderNumber } from '../fields/valueKinds';
import { ownValue } from '../guards';

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

/** The field of every operation on a single order. */
export const orderProperty = toProperty(orderField);

/**
 * The number of the chosen order; undefined for the order of the credential.
 *
 * @throws InvalidFieldError
 */
export function readChosenOrder(value: unknown, options?: ReadOptions): string | undefined {
	const number = readField(orderField, value, options);
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
