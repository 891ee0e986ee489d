import { ownValue } from '../../../../shared/guards';
import { accountOrders, type AccountOrder } from '../../../../shared/orders/accountOrders';
import { withExpiry } from '../../../../shared/orders/expiry';
import type { RunQuery } from '../../../../shared/service/query';
import { PAY_TYPES, PRODUCT_NAMES } from '../../../../shared/service/products';
import { toRecord } from '../../../../shared/toRecord';
import { unlessCancelled } from '../../../../shared/errors/callErrors';
import { openPurchases } from '../../../purchase/processMemory';
import type { Bought, BoughtItem, Finding } from '../../../purchase/contract';

const ALL = { status: 'ALL' };

/** Of an order that is paid. */
const PAID_STATES: ReadonlySet<unknown> = new Set(['VALID', 'OPENING']);

/**
 * The orders of the account. They are read for the case that an answer gets lost; the purchase can do without.
 *
 * @returns undefined when the service does not say
 * @throws CancelledError
 */
export async function readOrders(ask: RunQuery): Promise<readonly AccountOrder[] | undefined> {
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

/** What came in addition to an order that was placed between two looks, as a whole sentence. */
export function findOtherNewOrders(
	kind: Kind,
	before: readonly AccountOrder[],
	after: readonly AccountOrder[],
): string | undefined {
	const others = likeThis(newOrders(before, after), kind);
	if (others.length === 0) return undefined;
	const what = others.length === 1 ? 'another new order' : 'other new orders';
	return `The order list has ${what} of the same product and pay type: ${numbersOf(others)}.`;
}

/**
 * Looks for the one order that is new, paid, and of the same product and pay type.
 */
export function findNewOrder(
	{ bought, ...kind }: Wanted,
	before: readonly AccountOrder[],
	after: readonly AccountOrder[],
): Finding {
	const fresh = newOrders(before, after);
	const candidates = likeThis(fresh, kind);
	const [candidate] = candidates;
	const unknown = ofUnknownKind(fresh);
	if (candidate === undefined && unknown.length > 0) {
		return {
			shows: 'unclear',
			text: `The order list has what may be this order (${numbersOf(unknown)}), but without a known product or pay type.`,
		};
	}
	if (candidate === undefined) {
		const others =
			fresh.length === 0 ? '' : ` There are new orders of another kind: ${numbersOf(fresh)}.`;
		return {
			shows: 'notMade',
			text: `The node checked the order list right afterwards and found no new order like this one; it may still appear.${others}`,
		};
	}
	if (candidates.length > 1) {
		return {
			shows: 'unclear',
			text: `The order list has what may be this order (${numbersOf(candidates)}), but only one of them can be.`,
		};
	}
	const { orderid } = candidate;
	const status = ownValue(candidate, 'status');
	if (!PAID_STATES.has(status)) {
		return {
			shows: 'unclear',
			text: `The order list has what may be this order (${orderid}), but not as one that is paid and active; its status is ${JSON.stringify(status)}.`,
		};
	}
	return {
		shows: 'made',
		bought() {
			const { record, label } = bought(orderid);
			return { record: { ...record, verified: true }, label };
		},
		text: `The order list has what may be this order (${orderid}).`,
	};
}

async function complete(bought: readonly BoughtItem[]): Promise<void> {
	const { orders, answeredAt } = await bought[0].ask(accountOrders, ALL);
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
