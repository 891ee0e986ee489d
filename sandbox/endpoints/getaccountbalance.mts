import { yuan } from '../accounts/account.mts';
import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { accountEndpoint } from './endpoint.mts';

export const getAccountBalance = accountEndpoint({
	path: '/api/getaccountbalance',
	hosts: ['base'],
	rule: perSecond(1),
	wrongKey: { code: -3, msg: '请使用账户密钥' },
	answer: ({ account }) => success({ balance: yuan(account.balanceInFen) }),
});
