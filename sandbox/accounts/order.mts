import type { Account, KeyPair } from './account.mts';

/** REFUNDED is not among the documented states, but getproxy has a code of its own for it. */
export type OrderStatus =
	| 'VALID'
	| 'WAIT_PAY'
	| 'OPENING'
	| 'EXPIRED'
	| 'OWING'
	| 'CLOSED'
	| 'FORBIDDEN'
	| 'REFUNDED';

export type PayType = 'PRE_PAY' | 'PRE_PAY_IP' | 'POST_PAY';

export type OpenProxyPlan = 'regular' | 'VIP' | 'SVIP';

interface OrderOfAnyProduct {
	orderId: string;
	keys: KeyPair;
	account: Account;
	payType: PayType;
	status: OrderStatus;
	/** Undefined for pay-as-used orders. */
	expiresAt: Date | undefined;
}

export interface OpenProxyOrder extends OrderOfAnyProduct {
	product: 'OPS';
	plan: OpenProxyPlan;
	/** The cap behind -51. The service does not publish a number; undefined = no cap. */
	ipsPerMinute: number | undefined;
	/** The service lists three codes for an expired order and does not say which applies when. */
	codeWhenExpired: 2 | -13 | -15;
}

export interface PrivateProxyOrder extends OrderOfAnyProduct {
	product: 'DPS';
}

export interface DedicatedProxyOrder extends OrderOfAnyProduct {
	product: 'KPS';
}

export interface TunnelProxyOrder extends OrderOfAnyProduct {
	product: 'TPS';
}

export type Order = OpenProxyOrder | PrivateProxyOrder | DedicatedProxyOrder | TunnelProxyOrder;

export function isExpired(order: Order, now: Date): boolean {
	if (order.status === 'EXPIRED') return true;
	return order.expiresAt !== undefined && order.expiresAt <= now;
}

export function isUsable(order: Order, now: Date): boolean {
	return order.status === 'VALID' && !isExpired(order, now);
}
