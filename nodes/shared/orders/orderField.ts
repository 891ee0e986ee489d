import { readField, serviceField, toProperty, type ReadOptions } from '../fields/field';
import { InvalidFieldError } from '../fields/invalidFieldError';
import { locatorValue, resourceLocator, TYPED_MODE } from '../fields/resourceLocator';
import { orderNumber } from '../fields/valueKinds';
import { ownValue } from '../guards';

/** Which order an operation is about; getordersecret is the only endpoint that has it as a parameter. */
export const orderField = serviceField({
	serviceName: 'orderid',
	displayName: 'Order',
	description:
		"Leave empty if the credential holds the key pair of the order. With the account's key pair, choose one of its orders.",
	kind: resourceLocator(orderNumber, {
		method: 'searchOrders',
		listPlaceholder: 'Not needed with an order key',
		typedLabel: 'By ID',
		typedPlaceholder: 'e.g. 965102959536478',
	}),
});

/** The field of every operation that is about one order. */
export const orderProperty = toProperty(orderField);

/**
 * The number of the chosen order; undefined for the order of the credential.
 *
 * @throws InvalidFieldError
 */
export function readChosenOrder(value: unknown, options?: ReadOptions): string | undefined {
	const number = readField(orderField, value, options);
	// Whoever chose to give a number, and gives none, does not mean the order of the credential
	const isTyped = ownValue(value, 'mode') === TYPED_MODE;
	if (number === undefined && isTyped) {
		throw new InvalidFieldError(
			orderField.displayName,
			locatorValue(value),
			"Enter the number of an order, or choose 'From List' and leave the list empty for the order of the credential.",
		);
	}
	return number;
}
