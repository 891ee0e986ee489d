import type { ResourceRow } from './row.mts';

export const account: ResourceRow = {
	resource: 'account',
	label: 'Account',
	opensWith: 'getBalance',
	operations: [
		{
			operation: 'getBalance',
			label: 'Get Balance',
			action: 'Get account balance',
			labels: ['Options'],
			key: 'account',
			path: '/api/getaccountbalance',
			cases: [
				{
					what: 'in yuan',
					arrange: ({ account }) => {
						account.balanceInFen = 620_80;
					},
					gives: () => [{ balance: '620.80', balanceNumber: 620.8 }],
					answers: {
						'/api/getaccountbalance': {
							data: { balance: '620.80' },
							shape: 'object',
							added: ['balanceNumber'],
						},
					},
				},
			],
		},
	],
	endpoints: [
		{
			path: '/api/getaccountbalance',
			codes: { [-3]: /account's key pair.*Use a credential with the account's key/ },
		},
	],
};
