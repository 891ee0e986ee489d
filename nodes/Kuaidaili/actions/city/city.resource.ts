import type { Resource } from '../resource';
import { getAllOperation } from './getAll.operation';

export const cityResource: Resource = {
	option: {
		name: 'City',
		value: 'city',
		description: 'Cities where dedicated proxies are available',
	},
	operations: [getAllOperation],
	defaultOperation: 'getAll',
};
