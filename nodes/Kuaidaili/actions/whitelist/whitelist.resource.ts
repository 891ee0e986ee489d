import type { Resource } from '../resource';
import { addOperation } from './add.operation';
import { getOperation } from './get.operation';
import { getOwnIpOperation } from './getOwnIp.operation';
import { removeOperation } from './remove.operation';
import { replaceOperation } from './replace.operation';

export const whitelistResource: Resource = {
	option: {
		name: 'Whitelist',
		value: 'whitelist',
		description: "IP addresses that may use an order's proxies without a login",
	},
	operations: [addOperation, getOperation, getOwnIpOperation, removeOperation, replaceOperation],
	defaultOperation: 'get',
};
