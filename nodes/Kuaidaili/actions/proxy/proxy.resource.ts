import type { Resource } from '../operation';
import { extractOperation } from './extract.operation';

export const proxyResource: Resource = {
	option: {
		name: 'Proxy',
		value: 'proxy',
		description: 'The proxies of an order',
	},
	operations: [extractOperation],
	defaultOperation: 'extract',
};
