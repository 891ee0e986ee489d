import { fetchAccountBalance } from '../../../shared/orders/accountBalance';
import { executionCaller } from '../../../shared/transport/nodeCaller';
import { optionsCollection, readCallOptions } from '../../parameters/callOptions';
import type { Operation } from '../operation';

export const getBalanceOperation: Operation = {
	option: {
		name: 'Get Balance',
		value: 'getBalance',
		action: 'Get the balance of the account',
		description: 'Get the money that is left for orders and renewals',
	},
	properties: [optionsCollection([])],
	async execute(context, itemIndex) {
		const { timeoutMs } = readCallOptions(context.getNodeParameter('options', itemIndex, ''));
		const caller = await executionCaller(context, itemIndex, timeoutMs);
		return { records: [{ ...(await fetchAccountBalance(caller)) }] };
	},
};
