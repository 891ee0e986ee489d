import type { Resource } from '../resource';
import { checkOperation } from './check.operation';
import { extractOperation } from './extract.operation';
import { getLoginOperation } from './getLogin.operation';

export const proxyResource: Resource = {
	option: {
		name: 'Proxy',
		value: 'proxy',
		description: 'The proxies of an order',
	},
	operations: [checkOperation, extractOperation, getLoginOperation],
	defaultOperation: 'extract',
};
