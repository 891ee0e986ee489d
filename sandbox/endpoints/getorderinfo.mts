import { yuan } from '../accounts/account.mts';
import type {
	Order,
	ProxyOrder,
	TunnelProProxyOrder,
	TunnelProxyOrder,
} from '../accounts/order.mts';
import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { pricePerDay } from '../orders/prices.mts';
import { writtenExpiry } from '../time/chinaTime.mts';
import { orderEndpoint, type Service } from './endpoint.mts';
import { orderFields } from './orderFields.mts';

function priceFields(order: Order) {
	if (order.payType !== 'POST_PAY') return {};
	// What is frozen is the price of a day: see createorder. It stays so until a settlement, which
	// never comes here.
	const price = yuan(pricePerDay(order));
	return { freeze_amount: price, unit_price: price };
}

function tunnelFields({
	login,
	entrance,
	maxBandwidth,
	maxRps,
}: TunnelProxyOrder | TunnelProProxyOrder) {
	return {
		tunnel_password: login.password,
		tunnel_username: login.username,
		tunnel_host: entrance.host,
		tunnel_port_http: entrance.httpPort,
		tunnel_port_socks: entrance.socksPort,
		tunnel_bandwidth: maxBandwidth,
		tunnel_req: maxRps,
	};
}

/** What only orders of this product have. */
function productFields(order: Order) {
	switch (order.product) {
		case 'OPS':
		case 'TOP_UP':
			return {};
		case 'TPS':
			// The documented sample, of a pay-as-used order, has no period; a transcript has one.
			return order.payType === 'POST_PAY'
				? tunnelFields(order)
				: { ...tunnelFields(order), tunnel_period: order.period };
		case 'TPS_PRO':
			// Nothing is documented of these: they are like a tunnel that has no period of its own.
			return tunnelFields(order);
		case 'DPS':
			return loginFields(order);
		case 'KPS':
			return { proxy_count: order.machineIds.length, ...loginFields(order) };
		case 'FPS':
			return {
				...loginFields(order),
				transfer_area: order.transferArea,
				fps_host: order.entrance.host,
				fps_port_http: order.entrance.httpPort,
				fps_port_socks: order.entrance.socksPort,
			};
		case 'SFPS':
			return {
				proxy_count: order.proxies.length,
				...(order.series === 'package' ? loginFields(order) : {}),
			};
	}
}

function loginFields({ login }: ProxyOrder) {
	return { proxy_username: login.username, proxy_password: login.password };
}

// There is no unit while nothing renews itself; whether the service leaves the field out then is not
// documented.
function prepaidFields(order: Order, { settings }: Service) {
	const { payType, autoRenewal } = order;
	if (payType !== 'PRE_PAY') return {};
	return {
		expire_time: writtenExpiry(order, settings.expiryForm),
		is_auto_renew: autoRenewal.enabled,
		auto_renew_time_type: autoRenewal.enabled ? autoRenewal.unit : '',
	};
}

export const getOrderInfo = orderEndpoint({
	path: '/api/getorderinfo',
	hosts: ['base'],
	rules: () => [perSecond(5)],
	answer: ({ call, order, service }) => {
		const all = {
			...orderFields(order, service, 'FPS_STATIC'),
			...priceFields(order),
			...productFields(order),
			...prepaidFields(order, service),
		};
		const wanted = call.parameters.get('field_list');
		if (!wanted) return success(all);
		const names = wanted.split(',');
		return success(
			Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))),
		);
	},
});
