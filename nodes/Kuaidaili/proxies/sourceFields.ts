import type { INodeProperties } from 'n8n-workflow';

import { toCollection, toProperty, type Field } from '../../shared/fields/field';
import { orderProperty } from '../../shared/orders/orderField';
import type { Item } from '../operation';
import { PRODUCTS, productField } from './products';
import {
	maxExtractionsField,
	reuseField,
	sessionPerItemField,
	waitForNewOrderField,
	type ExtractProduct,
} from './products/product';
import { tunnelPro } from './products/tunnelPro';
import {
	collectionsOf,
	fieldsOf,
	filtersOf,
	membersOf,
	optionsOf,
	productReader,
	waitForCallersField,
	type ProxyRequest,
} from './productFields';

/** The pages decide how many are needed, each page has a session of its own, and all go by HTTP. */
const omitted = ['num', 'session', sessionPerItemField.name, 'pt'];

/** Where another value is better for pages: redirects of a page need the same IP. */
function presetOf(product: ExtractProduct, name: string): INodeProperties['default'] | undefined {
	if (name === reuseField.name) return true;
	return product === tunnelPro && name === 'sessionMinutes' ? 1 : undefined;
}

function propertiesOf(product: ExtractProduct): INodeProperties[] {
	return fieldsOf(product, { omitted }).map((field) => {
		const property = toProperty(field);
		return { ...property, default: presetOf(product, field.name) ?? property.default };
	});
}

/** The fields that say which proxies a page is opened through, in the order of the editor. */
export const sourceProperties: INodeProperties[] = [
	// Above 'Order', whose list depends on it
	toProperty(productField),
	orderProperty,
	...PRODUCTS.flatMap(propertiesOf),
	...collectionsOf(filtersOf).map(toCollection),
];

const OPTION_NAMES = [maxExtractionsField, waitForCallersField, waitForNewOrderField].map(
	({ name }) => name,
);

/** Those that belong into the operation's collection 'Options'. */
export const sourceOptions: Field[] = membersOf(optionsOf).filter(({ name }) =>
	OPTION_NAMES.includes(name),
);

const readProduct = productReader({
	before: [],
	after: [],
	omitted,
	given: new Map([[sessionPerItemField.name, '1']]),
});

/**
 * Which proxies an item asks for, checked: nothing has been sent when it throws.
 *
 * @throws InvalidFieldError
 */
export function readSourceRequest(item: Item): ProxyRequest {
	const { toRequest } = readProduct({
		valueOf: (name) => item.parameter(name),
		callOptions: item.callOptions(),
	});
	return toRequest(true, 1);
}
