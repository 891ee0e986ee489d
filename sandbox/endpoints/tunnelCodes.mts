import type { Order, TunnelProProxyOrder, TunnelProxyOrder } from '../accounts/order.mts';
import { OwnCodes } from '../answers/answer.mts';

// Only -4 is known, and of tpscurrentip. That the other endpoints about the addresses of tunnels give
// it too, and the rest of this table, are choices: -2 is a changeip that is not in use, or a sid that
// cannot be one; -3, as on the endpoints about whitelists, an order of another sort; -5 the third
// change in one period.
export const TUNNEL_CODES = new OwnCodes({
	[-2]: '参数错误',
	[-3]: '订单类型错误',
	[-4]: 'IP更换周期过短',
	[-5]: '超过每个周期的更换次数',
});

/** Whether a normal tunnel's endpoints also answer for Pro orders is not documented: here they do not. */
export function normalTunnelOrder(order: Order, shortestPeriod: number): TunnelProxyOrder {
	if (order.product !== 'TPS') throw TUNNEL_CODES.refusal(-3);
	if (order.period < shortestPeriod) throw TUNNEL_CODES.refusal(-4);
	return order;
}

export function proTunnelOrder(order: Order): TunnelProProxyOrder {
	if (order.product !== 'TPS_PRO') throw TUNNEL_CODES.refusal(-3);
	return order;
}
