import type { INodeProperties } from 'n8n-workflow';

import type { Conditions } from '../../../../shared/fields/conditions';
import { toCollection, toProperty, type Field } from '../../../../shared/fields/field';
import { choice, text, wholeNumber } from '../../../../shared/fields/valueKinds';
import { orderProperty } from '../../../../shared/orders/orderField';
import { optionsCollection } from '../../../parameters/callOptions';
import { collectionsOf, extrasOf, filtersOf, membersOf, optionsOf } from './collections';
import { outputField } from './output';
import type { ExtractProduct } from './product';
import { PRODUCTS, productField } from './products';
import { openProxy } from './products/openProxy';

/** All but open proxies, which serve everybody. */
const WITH_LOGIN: Conditions = {
	[productField.name]: PRODUCTS.filter((product) => product !== openProxy).map(
		({ value }) => value,
	),
};

export const loginField: Field = {
	name: 'login',
	displayName: 'Login',
	description:
		"Whether the proxies come with their user name and password. n8n saves those with the execution. Clients on the order's whitelist need none.",
	required: true,
	when: WITH_LOGIN,
	kind: choice([
		{
			name: 'In the URL',
			value: 'inUrl',
			description: 'In the URL of the proxy, and as fields of their own',
		},
		{ name: 'None', value: 'none', description: "For clients on the order's whitelist" },
	]),
};

const FOR_EACH_INPUT: Conditions = { [outputField.name]: ['forEachInput'] };

export const proxyFieldField: Field = {
	name: 'proxyField',
	displayName: 'Proxy Field',
	description: 'The field of each item in which the URL of its proxy is put',
	required: true,
	when: FOR_EACH_INPUT,
	kind: {
		...text(
			"the name of a field, but not 'error' or 'proxyDetails'",
			(text) => !['error', 'proxyDetails', '__proto__'].includes(text),
		),
		property: { type: 'string', default: 'proxyUrl' },
	},
};

export const itemsPerProxyField: Field = {
	name: 'itemsPerProxy',
	displayName: 'Items per Proxy',
	description: 'How many items share a proxy',
	required: true,
	when: FOR_EACH_INPUT,
	kind: wholeNumber(1, 100_000, 1),
};

function isOf({ value }: ExtractProduct): Conditions {
	return { [productField.name]: [value] };
}

/** The field of every product that says how many proxies are wanted. */
export const NUM = 'num';

/** With one proxy for each input item, the number of items decides how many are needed. */
const NUM_IS_GIVEN: Conditions = { [outputField.name]: ['eachProxy', 'allInOne'] };

/** The fields of a product outside its collections. */
export function fieldsOf(product: ExtractProduct): Field[] {
	return product.fields.map((field) => ({
		...field,
		when: { ...isOf(product), ...(field.name === NUM ? NUM_IS_GIVEN : {}), ...field.when },
	}));
}

/** The fields after those of the product, in the order of the editor. */
export const AFTER_PRODUCT = [proxyFieldField, itemsPerProxyField, loginField];

/** The fields in the editor. */
export const extractProperties: INodeProperties[] = [
	// Above 'Order', whose list depends on it
	toProperty(productField),
	orderProperty,
	toProperty(outputField),
	...PRODUCTS.flatMap(fieldsOf).map(toProperty),
	...AFTER_PRODUCT.map(toProperty),
	...[filtersOf, extrasOf].flatMap(collectionsOf).map(toCollection),
	optionsCollection(membersOf(optionsOf)),
];
