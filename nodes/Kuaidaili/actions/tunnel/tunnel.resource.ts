import type { Resource } from '../resource';
import { changeIpOperation } from './changeIp.operation';
import { getCurrentIpOperation } from './getCurrentIp.operation';

export const tunnelResource: Resource = {
	option: {
		name: 'Tunnel',
		value: 'tunnel',
		description: 'The IP addresses that a tunnel uses',
	},
	operations: [changeIpOperation, getCurrentIpOperation],
	defaultOperation: 'getCurrentIp',
};
