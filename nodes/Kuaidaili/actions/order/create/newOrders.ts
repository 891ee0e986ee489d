import { ownValue } from '../../../../shared/guards';
import { accountOrders, type AccountOrder } from '../../../../shared/orders/accountOrders';
import type { RunQuery } from '../../../../shared/service/query';
import { unlessCancelled } from '../../../../shared/transport/callErrors';
import { openPurchases } from '../../../purchase/openPurchases';
import type { Bought, Finding } from '../../../purchase/purchase';

const ALL = { status: 'ALL' };

/** Of an order that is paid. */
const PAID_STATES: ReadonlySet<unknown> = new Set(['VALID', 'OPENING']);

/**
 * The orders of the account. They are read for the case that an answer gets lost; the purchase can do without.
 *
 * @returns undefined when the service does not tell
 * @throws CancelledError
 */
export async function lookAtOrders(ask: RunQuery): Promise<readonly AccountOrder[] | undefined> {
	const list = await ask(accountOrders, ALL).catch(unlessCancelled);
	return list?.orders;
}

/** What was ordered. */
export interface Wanted {
	readonly product: string;
	readonly payType: string;
	/** What there is to say of the order with this number. */
	readonly bought: (orderid: string) => Bought;
}

function numbersOf(orders: readonly AccountOrder[]): string {
	return orders.map(({ orderid }) => orderid).join(', ');
}

/**
 * Looks for the one order that is new, paid, of the same product and pay type, and can come from no other
 * purchase of this n8n.
 */
export function findNewOrder(
	{ product, payType, bought }: Wanted,
	before: readonly AccountOrder[],
	after: readonly AccountOrder[],
	mayBeAnothers: boolean,
): Finding {
	const numbersBefore = new Set(before.map(({ orderid }) => orderid));
	const fresh = after.filter(
		({ orderid }) => !numbersBefore.has(orderid) && !openPurchases.isKnown(orderid),
	);
	const candidates = fresh.filter(
		(order) => ownValue(order, 'product') === product && ownValue(order, 'pay_type') === payType,
	);
	const [candidate] = candidates;
	if (candidate === undefined) {
		const others =
			fresh.length === 0 ? '' : ` There are new orders of another kind: ${numbersOf(fresh)}.`;
		return {
			state: 'notMade',
			text: `The node looked into the list of orders right afterwards and found no new order like this; it may still come.${others}`,
		};
	}
	if (candidates.length > 1 || mayBeAnothers) {
		return {
			state: 'unclear',
			text: `The list of orders has what may be this order (${numbersOf(candidates)}), but it may also come from another purchase at the same time.`,
		};
	}
	const { orderid } = candidate;
	const status = ownValue(candidate, 'status');
	if (!PAID_STATES.has(status)) {
		return {
			state: 'unclear',
			text: `The list of orders has what may be this order (${orderid}), but not as one that is paid and active; its status is ${JSON.stringify(status)}.`,
		};
	}
	return {
		state: 'made',
		bought() {
			const { record, label } = bought(orderid);
			return { record: { ...record, verified: true }, label };
		},
		text: `The list of orders has what may be this order (${orderid}).`,
	};
}
