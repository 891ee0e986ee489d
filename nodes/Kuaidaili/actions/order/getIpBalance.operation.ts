import { countedBy, ipBalance, obtainOrderDetails } from '../../../shared/orders/queries';
import { toRecord } from '../../../shared/guards';
import { callOperation, fetching } from '../../run/operation';

export const orderGetIpBalance = callOperation({
	option: {
		name: 'Get IP Balance',
		value: 'getIpBalance',
		action: 'Get IP balance',
		description:
			"Get how many IPs a private proxy order has left, and whether 'balanceOf' means all of the 'order' (pay per IP) or those of 'today' (prepaid with concentrated extraction)",
	},
	orders: { products: ['DPS'] },
	work: fetching(ipBalance.endpoint, async (ask, _parameters, { item }) => {
		const balance = await ask(ipBalance);
		const { payType } = await obtainOrderDetails(ask, await item.orderKey(), item.signal);
		return { balance, balanceOf: countedBy(payType) };
	}),
	toResult: ({ balance, balanceOf }, { orderRecord }) => ({
		records: [toRecord({ ...orderRecord, balance, ...(balanceOf && { balanceOf }) })],
	}),
});
