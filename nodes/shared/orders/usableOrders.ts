import { isOneOf } from '../guards';
import { PRODUCT_NAMES, type PayType } from '../service/products';
import type { AccountOrder } from '../queries/accountOrders';
import { payTypeOf, productOf } from './orderState';

/** Which orders are offered, by the codes of the service; those of any product and pay type without. */
export interface OrderFilter {
	readonly products?: readonly string[];
	readonly payTypes?: readonly PayType[];
}

/** The same where it depends on other fields. */
export type UsableOrders = OrderFilter | ((valueOf: (name: string) => unknown) => OrderFilter);

/** Open proxies have neither login nor whitelist. */
export const WITH_LOGIN: OrderFilter = {
	products: ['DPS', 'KPS', 'TPS', 'TPS_PRO', 'FPS', 'SFPS'],
};

/** @param product as it is in the editor; unknown where it is an expression */
export function ordersOf(product: unknown): OrderFilter {
	if (typeof product !== 'string' || !Object.hasOwn(PRODUCT_NAMES, product)) return {};
	return { products: [product] };
}

function isAllowed(value: unknown, allowed: readonly string[] | undefined): boolean {
	// An order isn't hidden because the service leaves something out
	return allowed === undefined || value === undefined || isOneOf(value, allowed);
}

export function isUsable(order: AccountOrder, { products, payTypes }: OrderFilter): boolean {
	return isAllowed(productOf(order), products) && isAllowed(payTypeOf(order), payTypes);
}
