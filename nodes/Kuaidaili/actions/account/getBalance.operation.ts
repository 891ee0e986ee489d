import { accountBalance } from '../../../shared/orders/queries';
import { callOperation, querying } from '../../run/operation';

export const accountGetBalance = callOperation({
	option: {
		name: 'Get Balance',
		value: 'getBalance',
		action: 'Get account balance',
		description: 'Get the money available for orders and renewals',
	},
	work: querying(accountBalance),
	toResult: (balance) => ({ records: [{ ...balance }] }),
});
