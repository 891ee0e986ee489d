import type { Order, TunnelProProxyOrder, TunnelProxyOrder } from '../accounts/order.mts';
import { OwnCodes, success } from '../answers/answer.mts';
import { orderEndpoint } from './endpoint.mts';

// Only -4 is known, and of tpscurrentip. That the other endpoints about the addresses of tunnels give
// it too, and the rest of this table, are choices: -2 is a changeip that is not in use, or a sid that
// cannot be one; -3, as on the endpoints about whitelists, an order of another sort; -5 the third
// change in one period.
const TUNNEL_CODES = new OwnCodes({
	[-2]: '参数错误',
	[-3]: '订单类型错误',
	[-4]: 'IP更换周期过短',
	[-5]: '超过每个周期的更换次数',
});

/** Whether a normal tunnel's endpoints also answer for Pro orders is not documented: here they do not. */
function normalTunnelOrder(order: Order, shortestPeriod: number): TunnelProxyOrder {
	if (order.product !== 'TPS') throw TUNNEL_CODES.refusal(-3);
	if (order.period < shortestPeriod) throw TUNNEL_CODES.refusal(-4);
	return order;
}

function proTunnelOrder(order: Order): TunnelProProxyOrder {
	if (order.product !== 'TPS_PRO') throw TUNNEL_CODES.refusal(-3);
	return order;
}

const SHORTEST_TO_SHOW = 30;

export const tpsCurrentIp = orderEndpoint({
	path: '/api/tpscurrentip',
	hosts: ['tps'],
	callsPerSecond: 1,
	codes: TUNNEL_CODES,
	answer: ({ order, service }) => {
		const tunnelOrder = normalTunnelOrder(order, SHORTEST_TO_SHOW);
		const addresses = service.tunnels.normal(tunnelOrder).currentAddresses();
		// Nothing was asked through the tunnel yet: the official tests accept an empty string.
		const [first = ''] = addresses;
		const isMultiChannel = tunnelOrder.channels > 1;
		return success({
			current_ip: first,
			...(isMultiChannel ? { current_ip_list: addresses } : {}),
		});
	},
});

const LONGEST_SID = 6;

export const tpsProCurrentIp = orderEndpoint({
	path: '/api/tpsprocurrentip',
	hosts: ['tps'],
	callsPerSecond: 1,
	codes: TUNNEL_CODES,
	answer: ({ call, order, service }) => {
		const proOrder = proTunnelOrder(order);
		const sid = call.parameters.get('sid') ?? '';
		if (sid.length > LONGEST_SID) throw TUNNEL_CODES.refusal(-2, 'sid');
		const addresses = [...service.tunnels.bySuffix(proOrder).currentAddresses()];
		// What is said of a session that is not in use is not documented: here it is not in the answer.
		const wanted = sid === '' ? addresses : addresses.filter(([each]) => each === sid);
		return success(Object.fromEntries(wanted));
	},
});

const SHORTEST_TO_CHANGE = 60;

export const changeTpsIp = orderEndpoint({
	path: '/api/changetpsip',
	hosts: ['tps'],
	callsPerSecond: 1,
	codes: TUNNEL_CODES,
	answer: ({ call, order, service }) => {
		const tunnelOrder = normalTunnelOrder(order, SHORTEST_TO_CHANGE);
		const tunnel = service.tunnels.normal(tunnelOrder);
		const text = call.parameters.get('changeip') ?? '';
		const replaced = text === '' ? [] : text.split(',');
		const current = tunnel.currentAddresses();
		const unknown = replaced.find((address) => !current.includes(address));
		if (unknown !== undefined) throw TUNNEL_CODES.refusal(-2, unknown);
		if (!tunnel.mayChange()) throw TUNNEL_CODES.refusal(-5);

		tunnel.change(replaced);
		// Whether the list has all channels or only the changed ones is not documented.
		const addresses = tunnel.currentAddresses();
		const isMultiChannel = tunnelOrder.channels > 1;
		return success({
			new_ip: addresses[0],
			...(isMultiChannel ? { new_ip_list: addresses } : {}),
		});
	},
});
