import type { Resource } from '../resource';
import { getAllOperation } from './getAll.operation';

export const userAgentResource: Resource = {
	option: {
		name: 'User Agent',
		value: 'userAgent',
		description: 'User-Agent strings of current browsers for requests through proxies',
	},
	operations: [getAllOperation],
	defaultOperation: 'getAll',
};
