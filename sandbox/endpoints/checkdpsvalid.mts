import type { Order } from '../accounts/order.mts';
import { aliveCheck } from '../extraction/aliveCheck.mts';
import { isAlive } from '../extraction/orderProxies.mts';

/** It is sold by the minute: M_7 and not M_5_10. */
function isProfessional(order: Order): boolean {
	return order.product === 'DPS' && order.payType === 'PRE_PAY_IP' && /^M_\d+$/.test(order.period);
}

// The service's results are up to a minute old; these are of now. An address that the order never had
// is as good as one that has expired.
export const checkDpsValid = aliveCheck({
	path: '/api/checkdpsvalid',
	host: 'dps',
	isFor: (order) => order.product === 'DPS' && !isProfessional(order),
	stateOf: (place, { order, service: { clock, products } }) => {
		const proxy = products.proxies.find(place);
		return proxy?.order === order && isAlive(proxy, clock.now());
	},
});
