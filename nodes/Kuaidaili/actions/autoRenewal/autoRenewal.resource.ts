import type { Resource } from '../operation';
import { disableOperation } from './disable.operation';
import { enableOperation } from './enable.operation';

export const autoRenewalResource: Resource = {
	option: {
		name: 'Auto-Renewal',
		value: 'autoRenewal',
		description: 'Whether the service renews a prepaid order by itself when it ends',
	},
	operations: [disableOperation, enableOperation],
	defaultOperation: 'enable',
};
