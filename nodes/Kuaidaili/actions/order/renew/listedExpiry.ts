import { ownValue } from '../../../../shared/guards';
import { accountOrders, type AccountOrders } from '../../../../shared/orders/accountOrders';
import { expiryOf } from '../../../../shared/orders/expiry';
import type { OrderExpiry } from '../../../../shared/orders/orderExpiry';
import type { RunQuery } from '../../../../shared/service/query';
import { unlessCancelled } from '../../../purchase/unlessCancelled';

const listsOfRuns = new WeakMap<object, Promise<AccountOrders | undefined>>();

/**
 * When an order ends by the list of the account, which is read once per run: one call for all orders, so
 * that nothing else has to be asked for one that is not expiring.
 *
 * @param run the same for all items of a run; its credential may differ from item to item
 * @param ask with the key pair of the account
 * @returns undefined where the list does not tell
 * @throws CancelledError
 */
export async function listedExpiry(
	run: object,
	ask: RunQuery,
	orderid: string,
): Promise<OrderExpiry | undefined> {
	// The order itself can be asked as well
	const fetch = async () => await ask(accountOrders, { status: 'ALL' }).catch(unlessCancelled);
	const list = listsOfRuns.get(run) ?? fetch();
	listsOfRuns.set(run, list);
	const { orders = [], answeredAt = 0 } = (await list) ?? {};
	// An order has its number in one account only, so the list of another one does not know it
	const order = orders.find((each) => each.orderid === orderid);
	const expiresAt = expiryOf(order);
	const expireTime = ownValue(order, 'expire_time');
	if (expiresAt === undefined || typeof expireTime !== 'string') return undefined;
	return { expireTime, expiresAt, answeredAt };
}
