import type { Resource } from '../operation';
import { createOperation } from './create.operation';
import { renewOperation } from './renew.operation';

export const orderResource: Resource = {
	option: {
		name: 'Order',
		value: 'order',
		description: 'Orders of proxies; placing and renewing them spends money',
	},
	operations: [createOperation, renewOperation],
};
