import { toCollection, toProperty } from '../../../shared/fields/field';
import { ordersOf } from '../../../shared/orders/usableOrders';
import type { RunOperation } from '../../operation';
import { optionsCollection } from '../../parameters/callOptions';
import { productField } from '../../proxies/products';
import { sourceOptions, sourceProperties } from '../../proxies/sourceFields';
import {
	bodyProperty,
	bodyTypeField,
	headersProperty,
	maxAttemptsField,
	methodField,
	outputFieldField,
	PAGE_OPTIONS,
	pagesPerProxyFields,
	responseFormatField,
	retryIfCollection,
	sessionKeyField,
	urlField,
} from './open/fields';
import { OpenRun } from './open/openRun';

export const pageOpen: RunOperation = {
	option: {
		name: 'Open',
		value: 'open',
		action: 'Open pages through proxies',
		description:
			'Open web pages, each through a proxy of an order, and try another proxy when one fails or is blocked',
	},
	orders: (valueOf) => ordersOf(valueOf(productField.name)),
	properties: [
		...sourceProperties,
		toProperty(urlField),
		toProperty(methodField),
		toProperty(bodyTypeField),
		bodyProperty,
		headersProperty,
		...pagesPerProxyFields.map(toProperty),
		toProperty(sessionKeyField),
		toProperty(responseFormatField),
		toProperty(outputFieldField),
		toProperty(maxAttemptsField),
		toCollection(retryIfCollection),
		optionsCollection([...sourceOptions, ...PAGE_OPTIONS]),
	],
	executeAll: async (context, items) => await new OpenRun(context, items).executeAll(),
};
