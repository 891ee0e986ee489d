import type { Account } from './account.mts';
import {
	newDedicatedProxyOrder,
	newOpenProxyOrder,
	newOrderNumber,
	newOverseasProxyOrder,
	newOverseasStaticProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
} from './newOrder.mts';
import type { Order } from './order.mts';
import type { Store } from './store.mts';

const DAY_MS = 24 * 60 * 60 * 1000;

export const ORDER_SORTS = [
	'ops',
	'dpsEven',
	'dpsConcentrated',
	'dpsPerIp',
	'kpsShared',
	'kpsExclusive',
	'tps',
	'tpsPayAsUsed',
	'fps',
	'sfps',
] as const;

export type OrderSort = (typeof ORDER_SORTS)[number];

export interface ManyOrders {
	count: number;
	/** When the first one expires, in days from now: 1 by default. Below 0 it is over already. */
	fromDay?: number;
	/** When the last one expires; 60 by default. The others are spread evenly in between. */
	toDay?: number;
	/** Come in turn; all by default. Only the pay-as-used ones do not expire. */
	sorts?: readonly OrderSort[];
}

/** For lists that are long. The orders are in force unless their time is over, and nobody pays for them. */
export function addManyOrders(
	store: Store,
	account: Account,
	now: Date,
	{ count, fromDay = 1, toDay = 60, sorts = ORDER_SORTS }: ManyOrders,
): Order[] {
	return Array.from({ length: count }, (_, index) => {
		const sort = sorts[index % sorts.length];
		if (sort === undefined) throw new RangeError('At least one sort of order is needed');
		const days = fromDay + ((toDay - fromDay) * index) / Math.max(1, count - 1);
		const expiresAt = new Date(now.getTime() + days * DAY_MS);
		return store.addOrder(newOrderOf(sort, account, now, expiresAt));
	});
}

function newOrderOf(sort: OrderSort, account: Account, now: Date, expiresAt: Date): Order {
	const orderId = newOrderNumber();
	const name = `sandbox-order-${orderId}`;
	const common = { orderId, expiresAt, createdAt: new Date(now.getTime() - DAY_MS) };
	switch (sort) {
		case 'ops':
			return newOpenProxyOrder(name, account, now, { ...common, plan: 'VIP' });
		case 'dpsEven':
			return newPrivateProxyOrder(name, account, now, {
				...common,
				fetchType: 1,
				period: 'M_3_5',
				ipCount: 2500,
			});
		case 'dpsConcentrated':
			return newPrivateProxyOrder(name, account, now, common);
		case 'dpsPerIp':
			return newPrivateProxyOrder(name, account, now, { ...common, payType: 'PRE_PAY_IP' });
		case 'kpsShared':
			return newDedicatedProxyOrder(name, account, now, common);
		case 'kpsExclusive':
			return newDedicatedProxyOrder(name, account, now, { ...common, series: 'exclusive' });
		case 'tps':
			return newTunnelProxyOrder(name, account, now, common);
		case 'tpsPayAsUsed':
			return newTunnelProxyOrder(name, account, now, { ...common, payType: 'POST_PAY' });
		case 'fps':
			return newOverseasProxyOrder(name, account, now, common);
		case 'sfps':
			return newOverseasStaticProxyOrder(name, account, now, common);
	}
}
