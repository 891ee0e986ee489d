import { accountBalance } from '../../../shared/orders/accountBalance';
import { callOperation } from '../callOperation';

export const getBalanceOperation = callOperation({
	option: {
		name: 'Get Balance',
		value: 'getBalance',
		action: 'Get the balance of the account',
		description: 'Get the money that is left for orders and renewals',
	},
	query: accountBalance,
	toResult: (balance) => ({ records: [{ ...balance }] }),
});
