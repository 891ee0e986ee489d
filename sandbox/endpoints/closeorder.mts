import { isExpired } from '../accounts/order.mts';
import { success, commonRefusal, OwnCodes } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { orderEndpoint } from './endpoint.mts';

const CODES = new OwnCodes({
	[-2]: '订单状态错误',
	[-3]: '订单类型错误',
	// The service's text names the wrong kind of key: it is the one of the order that is needed.
	[-4]: '请使用账户密钥',
});

export const closeOrder = orderEndpoint({
	path: '/api/closeorder',
	hosts: ['base'],
	rules: () => [perSecond(1)],
	message: (code) => CODES.message(code),
	wrongKey: { code: -4, msg: CODES.message(-4) ?? '', byDefault: true },
	// It has a code of its own for the states that get -102 elsewhere.
	servesUnusableOrders: true,
	answer: ({ order, service }) => {
		if (isExpired(order, service.clock.now())) throw commonRefusal(-102);
		if (order.payType !== 'POST_PAY') throw CODES.refusal(-3);
		// Whether an order that owes money can be closed is not documented.
		if (order.status !== 'VALID') throw CODES.refusal(-2);
		// No money moves: what is frozen is released by a settlement, which never comes here.
		order.status = 'CLOSED';
		return success('', 'order closed');
	},
});
