import { ownValue } from '../../../../shared/guards';
import { accountOrders } from '../../../../shared/orders/accountOrders';
import { withExpiry } from '../../../../shared/orders/expiry';
import { toRecord } from '../../../../shared/toRecord';
import type { BoughtItem } from '../../../purchase/contract';

async function complete(bought: readonly BoughtItem[]): Promise<void> {
	const { orders, answeredAt } = await bought[0].ask(accountOrders, { status: 'ALL' });
	for (const { record } of bought) {
		const order = orders.find(({ orderid }) => orderid === record.orderid);
		const expireTime = ownValue(order, 'expire_time');
		if (typeof expireTime !== 'string' || expireTime === '') continue;
		Object.assign(record, toRecord(withExpiry({ expire_time: expireTime }, answeredAt)));
	}
}

/** Adds the expiry of the new orders, which only the list of orders has. */
export async function completeOrders(bought: readonly BoughtItem[]): Promise<void> {
	const byAccount = new Map<string, BoughtItem[]>();
	for (const item of bought) {
		const others = byAccount.get(item.secretId) ?? [];
		byAccount.set(item.secretId, [...others, item]);
	}
	for (const items of byAccount.values()) {
		// The orders are paid and their numbers known: the expiry can still be read later
		await complete(items).catch(() => {});
	}
}
