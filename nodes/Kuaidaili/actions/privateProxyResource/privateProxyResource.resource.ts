import type { Resource } from '../resource';
import { getAllOperation } from './getAll.operation';

export const privateProxyResource: Resource = {
	option: {
		name: 'Private Proxy Resource',
		value: 'privateProxyResource',
		description: 'Areas and carriers available to a private proxy order',
	},
	operations: [getAllOperation],
	defaultOperation: 'getAll',
};
