import { aliveCheck } from '../extraction/aliveCheck.mts';
import { secondsLeft } from '../extraction/orderProxies.mts';

export const getDpsValidTime = aliveCheck({
	path: '/api/getdpsvalidtime',
	host: 'dps',
	isFor: (order) => order.product === 'DPS' && order.payType !== 'PRE_PAY_IP',
	// It tells the time alone: a broken proxy has its time as well.
	stateOf: (place, { order, service: { clock, products } }) => {
		const proxy = products.proxies.find(place);
		return proxy?.order === order ? (secondsLeft(proxy, clock.now()) ?? 0) : 0;
	},
});
