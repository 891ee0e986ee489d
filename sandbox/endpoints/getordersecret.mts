import { success, OwnCodes } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { accountEndpoint } from './endpoint.mts';

const CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-2]: '订单号无效',
	[-3]: '请使用账户密钥',
});

export const getOrderSecret = accountEndpoint({
	path: '/api/getordersecret',
	hosts: ['base'],
	rule: perSecond(1),
	message: (code) => CODES.message(code),
	wrongKey: { code: -3, msg: CODES.message(-3) ?? '', byDefault: true },
	// That an order which is over still has its keys is taken from the silence about it.
	answer: ({ account, call, service }) => {
		const orderId = call.parameters.get('orderid');
		if (orderId === undefined) throw CODES.refusal(-1);
		const order = service.authentication.store.findOrder(orderId);
		if (order?.account !== account) throw CODES.refusal(-2);
		return success({ secret_id: order.keys.secretId, secret_key: order.keys.secretKey });
	},
});
