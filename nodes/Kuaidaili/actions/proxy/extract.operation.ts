import { ordersOf } from '../../../shared/orders/usableOrders';
import type { RunOperation } from '../../operation';
import { extractProperties } from './extract/fields';
import { productField } from './extract/products';
import { ExtractRun } from './extract/extractRun';

export const proxyExtract: RunOperation = {
	option: {
		name: 'Extract',
		value: 'extract',
		action: 'Extract proxies',
		description:
			'Get proxies from an order of any product: one per item, all in one item, or one for each input item',
	},
	orders: (valueOf) => ordersOf(valueOf(productField.name)),
	properties: extractProperties,
	executeAll: async (context, items) => await new ExtractRun(context, items).executeAll(),
};
