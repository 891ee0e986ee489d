import { ownValue } from '../../../../shared/guards';
import { accountOrders, type AccountOrder } from '../../../../shared/orders/accountOrders';
import type { RunQuery } from '../../../../shared/service/query';
import { PAY_TYPES, PRODUCT_NAMES } from '../../../../shared/service/products';
import { unlessCancelled } from '../../../../shared/errors/callErrors';
import { openPurchases } from '../../../purchase/processMemory';
import type { Bought, Finding } from '../../../purchase/contract';

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

interface Kind {
	readonly product: string;
	readonly payType: string;
}

/** The order to look for. */
export interface Wanted extends Kind {
	/** The output for the order with this number. */
	readonly bought: (orderid: string) => Bought;
}

function numbersOf(orders: readonly AccountOrder[]): string {
	return orders.map(({ orderid }) => orderid).join(', ');
}

/** The orders that appeared between two looks and belong to no known purchase of this n8n. */
function newOrders(
	before: readonly AccountOrder[],
	after: readonly AccountOrder[],
): readonly AccountOrder[] {
	const numbersBefore = new Set(before.map(({ orderid }) => orderid));
	const orders = after.filter(
		({ orderid }) => !numbersBefore.has(orderid) && !openPurchases.isKnown(orderid),
	);
	// By its number, because a list may have an order twice
	return [...new Map(orders.map((order) => [order.orderid, order])).values()];
}

function likeThis(orders: readonly AccountOrder[], { product, payType }: Kind) {
	return orders.filter(
		(order) => ownValue(order, 'product') === product && ownValue(order, 'pay_type') === payType,
	);
}

/**
 * Some products have no documented code in the list, so an order without a known code could be of any
 * product.
 */
function ofUnknownKind(orders: readonly AccountOrder[]): readonly AccountOrder[] {
	const isKnown = (code: unknown, names: object) =>
		typeof code === 'string' && Object.hasOwn(names, code);
	return orders.filter(
		(order) =>
			!isKnown(ownValue(order, 'product'), PRODUCT_NAMES) ||
			!isKnown(ownValue(order, 'pay_type'), PAY_TYPES),
	);
}

/** What came beside an order that was placed between two looks, as a whole sentence. */
export function excessOrders(
	kind: Kind,
	before: readonly AccountOrder[],
	after: readonly AccountOrder[],
): string | undefined {
	const others = likeThis(newOrders(before, after), kind);
	if (others.length === 0) return undefined;
	const what = others.length === 1 ? 'another new order' : 'other new orders';
	return `The list of orders has ${what} of the same product and pay type: ${numbersOf(others)}.`;
}

/**
 * Looks for the one order that is new, paid, of the same product and pay type, and can come from no other
 * purchase of this n8n.
 */
export function findNewOrder(
	{ bought, ...kind }: Wanted,
	before: readonly AccountOrder[],
	after: readonly AccountOrder[],
	mayBeAnothers: boolean,
): Finding {
	const fresh = newOrders(before, after);
	const candidates = likeThis(fresh, kind);
	const [candidate] = candidates;
	const unknown = ofUnknownKind(fresh);
	if (candidate === undefined && unknown.length > 0) {
		return {
			state: 'unclear',
			text: `The list of orders has what may be this order (${numbersOf(unknown)}), but does not tell the product or the pay type.`,
		};
	}
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
