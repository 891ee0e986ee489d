import { ownValue } from '../guards';
import { accountOrders, type AccountOrder } from '../orders/accountOrders';
import { byExpiry, expiryOf } from '../orders/expiry';
import { IN_FORCE, PAY_TYPES, PRODUCT_NAMES } from '../service/orderTerms';
import { runQuery } from '../transport/runQuery';
import { NoListError, listSearchMethod, type Choice } from './listSearch';

function textOf(order: AccountOrder, field: string): string {
	const value = ownValue(order, field);
	return typeof value === 'string' ? value : '';
}

function nameOf(names: Readonly<Record<string, string>>, code: string): string {
	return Object.hasOwn(names, code) ? names[code] : code;
}

function payTypeOf(order: AccountOrder): string {
	return nameOf(PAY_TYPES, textOf(order, 'pay_type'));
}

/**
 * Such as "965102959536478: Private Proxy, Pay per IP, to 2026-06-18". The editor cuts off what is longer,
 * so of the usual way of payment and of the time of day nothing is said.
 */
function label(order: AccountOrder): string {
	const product = nameOf(PRODUCT_NAMES, textOf(order, 'product'));
	const ends = expiryOf(order) !== undefined;
	const payType = ends && textOf(order, 'pay_type') === 'PRE_PAY' ? '' : payTypeOf(order);
	const end = ends ? `to ${textOf(order, 'expire_time').slice(0, 10)}` : '';
	const details = [product, payType, end].filter(Boolean).join(', ');
	return [order.orderid, details].filter(Boolean).join(': ');
}

function choiceOf(order: AccountOrder): Choice {
	const name = label(order);
	const texts = [
		name,
		textOf(order, 'product'),
		payTypeOf(order),
		textOf(order, 'expire_time'),
	].map((text) => text.toLowerCase());
	return {
		name,
		value: order.orderid,
		matches: (typed = '') => texts.some((text) => text.includes(typed.trim().toLowerCase())),
	};
}

/** Fills 'Order': the orders in force, those that end first at the top. */
export const searchOrders = listSearchMethod({
	parameters: () => ({ status: IN_FORCE }),
	async fetch(caller, parameters) {
		if (caller.credential.keyType === 'order') {
			throw new NoListError(
				'The credential holds the key pair of one order, and that one is meant as long as this field is empty',
			);
		}
		const { orders } = await runQuery(caller, accountOrders, parameters);
		return orders;
	},
	nothing: 'The account has no order in force',
	toChoices: (orders) => [...orders].sort(byExpiry).map(choiceOf),
});
