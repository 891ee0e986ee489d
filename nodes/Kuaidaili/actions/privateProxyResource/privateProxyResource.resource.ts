import type { Resource } from '../operation';
import { getAllOperation } from './getAll.operation';

export const privateProxyResource: Resource = {
	option: {
		name: 'Private Proxy Resource',
		value: 'privateProxyResource',
		description: 'Areas and carriers that a private-proxy order can use',
	},
	operations: [getAllOperation],
	defaultOperation: 'getAll',
};
