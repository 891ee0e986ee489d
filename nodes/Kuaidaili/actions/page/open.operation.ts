import { toCollection, toProperty } from '../../../shared/fields/field';
import { ordersOf } from '../../../shared/orders/orderField';
import type { RunOperation } from '../../operation';
import { optionsCollection } from '../../parameters/callOptions';
import { productField } from '../../proxies/products';
import { sourceOptions, sourceProperties } from '../../proxies/sourceFields';
import { PAGE_OPTIONS, pageProperties, retryIfCollection } from './open/fields';
import { urlField } from './open/openRequest';
import { OpenRun } from './open/openRun';

export const pageOpen: RunOperation = {
	option: {
		name: 'Open',
		value: 'open',
		action: 'Open pages through proxies',
		description:
			'Open web pages, each through a proxy of an order, and try another proxy when one fails or is blocked. As a tool, it lets an AI agent read pages; each may use up an IP of the order.',
	},
	orders: (valueOf) => ordersOf(valueOf(productField.name)),
	properties: [
		...sourceProperties,
		toProperty(urlField),
		...pageProperties,
		toCollection(retryIfCollection),
		optionsCollection([...sourceOptions, ...PAGE_OPTIONS]),
	],
	executeAll: async (context, items) => await new OpenRun(context, items).executeAll(),
};
