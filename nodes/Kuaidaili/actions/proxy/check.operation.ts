import { ordersOf } from '../../../shared/orders/orderField';
import type { RunOperation } from '../../operation';
import { CheckRun } from './check/checkRun';
import { checkProperties, productField } from './check/fields';

export const proxyCheck: RunOperation = {
	option: {
		name: 'Check',
		value: 'check',
		action: 'Check proxies',
		description:
			'Check which private or open proxies work, and how long they will keep working. Kuaidaili tests them about once a minute with a search site in China.',
	},
	orders: (valueOf) => ordersOf(valueOf(productField.name)),
	properties: checkProperties,
	executeAll: async (context, items) => await new CheckRun(context, items).execute(),
};
