import type { Resource } from '../operation';
import { addOperation } from './add.operation';
import { getOperation } from './get.operation';
import { getOwnIpOperation } from './getOwnIp.operation';
import { removeOperation } from './remove.operation';
import { replaceOperation } from './replace.operation';

export const whitelistResource: Resource = {
	option: {
		name: 'Whitelist',
		value: 'whitelist',
		description: 'Client addresses that may use the proxies of an order without login',
	},
	operations: [addOperation, getOperation, getOwnIpOperation, removeOperation, replaceOperation],
	defaultOperation: 'get',
};
