import { ownValue, type UnknownRecord } from '../../../../shared/guards';
import { accountOrders, type AccountOrders } from '../../../../shared/orders/accountOrders';
import { expiryOf } from '../../../../shared/orders/expiry';
import type { OrderExpiry } from '../../../../shared/orders/orderExpiry';
import type { RunQuery } from '../../../../shared/service/query';
import type { TimeWindow } from '../../../../shared/orders/timeWindow';
import { unlessCancelled } from '../../../../shared/errors/callErrors';
import { isExpiring } from './notYetExpiring';

const listsOfRuns = new WeakMap<object, Promise<AccountOrders | undefined>>();

/** An order by the list of the account. */
export interface ListedOrder {
	readonly order: UnknownRecord;
	/** Undefined where the list does not tell when it ends. */
	readonly expiry: OrderExpiry | undefined;
}

function expiryIn(order: UnknownRecord, answeredAt: number): OrderExpiry | undefined {
	const expiresAt = expiryOf(order);
	const expireTime = ownValue(order, 'expire_time');
	if (expiresAt === undefined || typeof expireTime !== 'string') return undefined;
	return { expireTime, expiresAt, answeredAt };
}

/**
 * What the list of the account says of an order. It is read once per run: one call for all orders, so that
 * nothing else has to be asked for one that is not expiring.
 *
 * @param run the same for all items of a run; its credential may differ from item to item
 * @param ask with the key pair of the account
 * @returns undefined where the list does not have the order
 * @throws CancelledError
 */
export async function listedOrder(
	run: object,
	ask: RunQuery,
	orderid: string,
): Promise<ListedOrder | undefined> {
	// The order itself can be asked as well
	const fetch = async () => await ask(accountOrders, { status: 'ALL' }).catch(unlessCancelled);
	const list = listsOfRuns.get(run) ?? fetch();
	listsOfRuns.set(run, list);
	const { orders = [], answeredAt = 0 } = (await list) ?? {};
	// An order has its number in one account only, so the list of another one does not know it
	const order = orders.find((each) => each.orderid === orderid);
	return order && { order, expiry: expiryIn(order, answeredAt) };
}

/**
 * The same by an input item that is a line of that list, as 'Order: Get Many' puts it out. Only if it is
 * expiring: then the order is asked in any case, so an old item costs nothing but that question. An old item
 * must never be the reason not to renew.
 *
 * @param now milliseconds since 1970
 */
export function expiringInItem(
	json: UnknownRecord,
	orderid: string,
	window: TimeWindow,
	now: number,
): ListedOrder | undefined {
	const isLine =
		ownValue(json, 'orderid') === orderid && typeof ownValue(json, 'pay_type') === 'string';
	const expiry = isLine ? expiryIn(json, now) : undefined;
	return expiry && isExpiring(expiry, window) ? { order: json, expiry } : undefined;
}
