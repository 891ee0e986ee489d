import { yuan, type Account } from '../accounts/account.mts';
import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { accountEndpoint, type Service } from './endpoint.mts';

/** What was paid, and does not show yet. */
function notShownInFen(account: Account, { authentication, clock, ledger, settings }: Service) {
	const own = new Set(authentication.store.ordersOf(account).map(({ orderId }) => orderId));
	const since = clock.milliseconds() - settings.balanceLagSeconds * 1000;
	return ledger
		.entries()
		.filter(({ orderId, time }) => own.has(orderId) && time.getTime() > since)
		.reduce((sum, { amountInFen }) => sum + amountInFen, 0);
}

export const getAccountBalance = accountEndpoint({
	path: '/api/getaccountbalance',
	hosts: ['base'],
	rule: perSecond(1),
	wrongKey: { code: -3, msg: '请使用账户密钥' },
	answer: ({ account, service }) =>
		success({ balance: yuan(account.balanceInFen + notShownInFen(account, service)) }),
});
