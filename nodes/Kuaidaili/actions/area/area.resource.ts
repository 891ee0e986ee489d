import type { Resource } from '../operation';
import { getAllOperation } from './getAll.operation';

export const areaResource: Resource = {
	option: {
		name: 'Area',
		value: 'area',
		description: 'Countries where overseas static residential proxies are available',
	},
	operations: [getAllOperation],
	defaultOperation: 'getAll',
};
