import type { Resource } from '../operation';
import { extractOperation } from './extract.operation';

export const proxyResource: Resource = {
	option: {
		name: 'Proxy',
		value: 'proxy',
		description: 'Addresses of proxies that an order gives',
	},
	operations: [extractOperation],
	defaultOperation: 'extract',
};
