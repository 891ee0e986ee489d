import type { Order, ProxyLogin } from '../accounts/order.mts';
import { success, OwnCodes } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { orderEndpoint } from './endpoint.mts';

// None is documented. -3 is what the other endpoints about clients of proxies say of open ones.
const CODES = new OwnCodes({
	[-1]: '参数错误',
	[-3]: '订单类型错误',
});

// Whether the service answers for a retail order is not documented: there is no pair for all its proxies.
function loginOf(order: Order): ProxyLogin {
	const isRetail = order.product === 'SFPS' && order.series === 'retail';
	if (!('login' in order) || isRetail) throw CODES.refusal(-3);
	return order.login;
}

export const getProxyAuthorization = orderEndpoint({
	path: '/api/getproxyauthorization',
	hosts: ['base'],
	rules: () => [perSecond(10)],
	message: (code) => CODES.message(code),
	answer: ({ call, order, service }) => {
		const { username, password } = loginOf(order);
		const refusal = (name: string) => CODES.refusal(-1, name);
		const own = new OwnParameters(call.parameters, { missing: refusal, wrong: refusal });
		const isPlain = own.flag('plaintext', false);
		if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();

		const credentials = Buffer.from(`${username}:${password}`).toString('base64');
		return success({ type: 'Basic', credentials, ...(isPlain ? { username, password } : {}) });
	},
});
