import type { Resource } from '../resource';
import { closeOperation } from './close.operation';
import { createOperation } from './create.operation';
import { getAllOperation } from './getAll.operation';
import { getOperation } from './get.operation';
import { getIpBalanceOperation } from './getIpBalance.operation';
import { getTrafficOperation } from './getTraffic.operation';
import { renewOperation } from './renew.operation';

export const orderResource: Resource = {
	option: {
		name: 'Order',
		value: 'order',
		description: 'Proxy orders. Creating and renewing them spends money.',
	},
	operations: [
		closeOperation,
		createOperation,
		getOperation,
		getIpBalanceOperation,
		getAllOperation,
		getTrafficOperation,
		renewOperation,
	],
	defaultOperation: 'getAll',
};
