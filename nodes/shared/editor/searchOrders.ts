import { ownValue } from '../guards';
import { accountOrders, type AccountOrder } from '../queries/accountOrders';
import { byExpiry, expiryOf } from '../orders/expiry';
import { payTypeOf, productOf } from '../orders/orderState';
import { isUsable, type OrderFilter, type UsableOrders } from '../orders/usableOrders';
import {
	ACTIVE,
	CHINESE_PRODUCT_NAMES,
	PAY_TYPES,
	payTypeName,
	PRODUCT_LABELS,
	productName,
} from '../service/products';
import type { NodeCaller } from '../transport/caller';
import { runQuery } from '../transport/callService';
import { NoListError, listSearchMethod, type Choice, type ListSearchMethod } from './listSearch';

function textOf(order: AccountOrder, field: string): string {
	const value = ownValue(order, field);
	return typeof value === 'string' ? value : '';
}

function payTypeNameOf(order: AccountOrder): string {
	return payTypeName(textOf(order, 'pay_type'));
}

function chineseNameOf(order: AccountOrder): string {
	return CHINESE_PRODUCT_NAMES[productOf(order) ?? ''] ?? '';
}

/**
 * Such as "965102959536478, Private Proxy, to 2026-06-18, Pay per IP". The editor cuts off the end of a long
 * one: the number comes first, because two orders may differ in nothing else.
 */
function label(order: AccountOrder): string {
	const product = productName(textOf(order, 'product'));
	const ends = expiryOf(order) !== undefined;
	const payType = ends && payTypeOf(order) === 'PRE_PAY' ? '' : payTypeNameOf(order);
	const end = ends ? `to ${textOf(order, 'expire_time').slice(0, 10)}` : '';
	return [order.orderid, product, end, payType].filter(Boolean).join(', ');
}

function choiceOf(order: AccountOrder): Choice {
	const name = label(order);
	const product = textOf(order, 'product');
	const texts = [
		name,
		product,
		// As the member center calls it
		chineseNameOf(order),
		payTypeNameOf(order),
		textOf(order, 'expire_time'),
	].map((text) => text.toLowerCase());
	return {
		name,
		value: order.orderid,
		matches(typed = '') {
			const words = typed.toLowerCase().split(/\s+/);
			return words.every((word) => texts.some((text) => text.includes(word)));
		},
	};
}

function kindInWords({ products, payTypes }: OrderFilter): string {
	const known = products?.filter((code) => Object.hasOwn(PRODUCT_LABELS, code));
	const names = known?.map((code) => PRODUCT_LABELS[code]).join(' or ');
	const ways = payTypes?.map((payType) => PAY_TYPES[payType]).join(' or ');
	return [names, ways].filter((text) => text !== undefined).join(', ');
}

/** For orders that only calls with their own key pairs tell apart. */
interface Selection {
	/** The name of the field that decides. */
	readonly decidedBy: string;
	readonly select: (
		caller: NodeCaller,
		orders: readonly AccountOrder[],
		decision: string | undefined,
	) => Promise<readonly AccountOrder[]>;
}

/**
 * Fills 'Order': the active orders that can be used, soonest to expire first.
 *
 * @param usableOrders decides which, from the fields as they are in the editor now
 */
export function orderListSearch(
	usableOrders: (valueOf: (name: string) => unknown) => UsableOrders | undefined,
	selection?: Selection,
): ListSearchMethod {
	return listSearchMethod({
		// All of them: choosing another operation then asks for nothing
		parameters: (valueOf) => ({
			status: ACTIVE,
			...(selection && { decision: String(valueOf(selection.decidedBy)) }),
		}),
		async fetch(caller, { decision, ...parameters }) {
			if (caller.credential.keyType === 'order') {
				throw new NoListError(
					"The credential holds an order's key pair, so there is nothing to choose. Leave this field empty to use that order",
				);
			}
			const { orders } = await runQuery(caller, accountOrders, parameters);
			const selected = await selection?.select(caller, orders, decision);
			return { orders: selected ?? orders, isEmpty: orders.length === 0 };
		},
		nothing: 'The account has no active orders',
		toChoices({ orders, isEmpty }, valueOf) {
			const usable = usableOrders(valueOf) ?? {};
			const filter = typeof usable === 'function' ? usable(valueOf) : usable;
			const offered = orders.filter((order) => isUsable(order, filter));
			if (!isEmpty && offered.length === 0) {
				throw new NoListError(
					`None of the account's active orders is of this kind: ${kindInWords(filter)}. New orders show up here within a minute`,
				);
			}
			return offered.sort(byExpiry).map(choiceOf);
		},
	});
}
