import type { Resource } from '../operation';
import { getAllOperation } from './getAll.operation';

export const cityResource: Resource = {
	option: {
		name: 'City',
		value: 'city',
		description: 'Cities in which dedicated proxies can be had',
	},
	operations: [getAllOperation],
	defaultOperation: 'getAll',
};
