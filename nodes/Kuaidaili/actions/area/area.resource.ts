import type { Resource } from '../resource';
import { getAllOperation } from './getAll.operation';
import { getCodeOperation } from './getCode.operation';

export const areaResource: Resource = {
	option: {
		name: 'Area',
		value: 'area',
		description: 'Countries, provinces, and cities where proxies are available',
	},
	operations: [getCodeOperation, getAllOperation],
	defaultOperation: 'getAll',
};
