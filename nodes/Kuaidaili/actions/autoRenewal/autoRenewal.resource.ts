import type { Resource } from '../resource';
import { disableOperation } from './disable.operation';
import { enableOperation } from './enable.operation';

export const autoRenewalResource: Resource = {
	option: {
		name: 'Auto-Renewal',
		value: 'autoRenewal',
		description: 'Automatic renewal of prepaid orders by Kuaidaili',
	},
	operations: [disableOperation, enableOperation],
	defaultOperation: 'enable',
};
