import type { Resource } from '../operation';
import { getAllOperation } from './getAll.operation';

export const areaResource: Resource = {
	option: {
		name: 'Area',
		value: 'area',
		description: 'Countries in which overseas static residential proxies can be had',
	},
	operations: [getAllOperation],
	defaultOperation: 'getAll',
};
