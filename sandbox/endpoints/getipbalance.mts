import { success, OwnCodes } from '../answers/answer.mts';
import { leftOf } from '../extraction/supplies.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { orderEndpoint } from './endpoint.mts';

const CODES = new OwnCodes({
	// It is documented, but there is no parameter that could be missing. A fault can bring it about.
	[-1]: '缺少参数',
	[-2]: '订单类型错误',
});

export const getIpBalance = orderEndpoint({
	path: '/api/getipbalance',
	hosts: ['dps'],
	rules: () => [perSecond(10)],
	message: (code) => CODES.message(code),
	answer: ({ order, service }) => {
		if (order.product !== 'DPS' || order.ipBalance === undefined) throw CODES.refusal(-2);
		return success({ balance: leftOf(order, service.clock.now()) }, 'success');
	},
});
