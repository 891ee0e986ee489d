import { ipBalance } from '../../../shared/queries/order';
import { callOperation } from '../callOperation';

export const orderGetIpBalance = callOperation({
	option: {
		name: 'Get IP Balance',
		value: 'getIpBalance',
		action: 'Get IP balance',
		description:
			'Get how many IPs a private proxy order has left: in total for pay-per-IP orders, for today for prepaid orders with concentrated extraction',
	},
	orders: { products: ['DPS'] },
	query: ipBalance,
	toResult: (balance, { order }) => ({ records: [{ ...order, balance }] }),
});
