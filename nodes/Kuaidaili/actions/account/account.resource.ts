import type { Resource } from '../resource';
import { getBalanceOperation } from './getBalance.operation';

export const accountResource: Resource = {
	option: {
		name: 'Account',
		value: 'account',
		description: 'The account that pays for orders',
	},
	operations: [getBalanceOperation],
	defaultOperation: 'getBalance',
};
