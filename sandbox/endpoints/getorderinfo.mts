import { yuan } from '../accounts/account.mts';
import type { Order } from '../accounts/order.mts';
import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { pricePerDay } from '../orders/prices.mts';
import { chinaTime } from '../time/chinaTime.mts';
import { orderEndpoint } from './endpoint.mts';
import { orderFields } from './orderFields.mts';

function priceFields(order: Order) {
	if (order.payType !== 'POST_PAY') return {};
	// What is frozen is the price of a day: see createorder. It stays so until a settlement, which
	// never comes here.
	const price = yuan(pricePerDay(order));
	return { freeze_amount: price, unit_price: price };
}

function tunnelFields(order: Order) {
	if (order.product !== 'TPS') return {};
	const { entrance, maxBandwidth, maxRps } = order;
	return {
		tunnel_password: entrance.password,
		tunnel_username: entrance.username,
		tunnel_host: entrance.host,
		tunnel_port_http: entrance.httpPort,
		tunnel_port_socks: entrance.socksPort,
		tunnel_bandwidth: maxBandwidth,
		tunnel_req: maxRps,
	};
}

// How these values are written is not documented. Here a flag is 1 or 0 as in a request, and there
// is no unit while nothing renews itself.
function prepaidFields({ payType, expiresAt, autoRenewal }: Order) {
	if (payType !== 'PRE_PAY') return {};
	return {
		expire_time: expiresAt ? chinaTime(expiresAt) : '',
		is_auto_renew: autoRenewal.enabled ? 1 : 0,
		auto_renew_time_type: autoRenewal.enabled ? autoRenewal.unit : '',
	};
}

export const getOrderInfo = orderEndpoint({
	path: '/api/getorderinfo',
	hosts: ['base'],
	rules: () => [perSecond(5)],
	answer: ({ call, order, service }) => {
		const all = {
			...orderFields(order, service),
			...priceFields(order),
			...tunnelFields(order),
			...prepaidFields(order),
		};
		const wanted = call.parameters.get('field_list');
		if (!wanted) return success(all);
		const names = wanted.split(',');
		return success(
			Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))),
		);
	},
});
