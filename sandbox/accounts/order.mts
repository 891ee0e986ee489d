import type { TimeUnit } from '../time/term.mts';
import type { Account, KeyPair } from './account.mts';
import type {
	DedicatedProxies,
	OpenProxies,
	OverseasProxies,
	OverseasStaticProxies,
	PrivateProxies,
	TunnelProxies,
} from './goods.mts';

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

export interface AutoRenewal {
	enabled: boolean;
	unit: TimeUnit;
}

interface OrderOfAnyProduct {
	orderId: string;
	keys: KeyPair;
	account: Account;
	payType: PayType;
	status: OrderStatus;
	/** Undefined for pay-as-used orders. */
	expiresAt: Date | undefined;
	autoRenewal: AutoRenewal;
	/** Whether a notification was asked for when it was ordered or last renewed. None is sent. */
	notify: boolean;
	/**
	 * Renewing gives -4 for a virtual order number and -7 for an order of a wrong type. What the service
	 * calls so is not documented, so a test says of an order that it is such a one.
	 */
	renewal: 'possible' | 'virtual number' | 'wrong type';
}

export interface OpenProxyOrder extends OrderOfAnyProduct, OpenProxies {
	/** The cap behind -51. The service does not publish a number; undefined = no cap. */
	ipsPerMinute: number | undefined;
	/** The service lists three codes for an expired order and does not say which applies when. */
	codeWhenExpired: 2 | -13 | -15;
}

export interface PrivateProxyOrder extends OrderOfAnyProduct, PrivateProxies {
	/**
	 * Addresses that are not yet extracted: of all that were paid in a pay-per-IP order, of those of
	 * today in a prepaid concentrated one. Others count none. Nothing here takes from it: a test sets it.
	 */
	ipBalance: number | undefined;
}

export interface DedicatedProxyOrder extends OrderOfAnyProduct, DedicatedProxies {}

/** Where a tunnel is entered, and as whom. There is nothing behind it. */
export interface TunnelEntrance {
	host: string;
	httpPort: string;
	/** Empty when there is none. */
	socksPort: string;
	username: string;
	password: string;
}

export interface TunnelProxyOrder extends OrderOfAnyProduct, TunnelProxies {
	entrance: TunnelEntrance;
}

export interface OverseasProxyOrder extends OrderOfAnyProduct, OverseasProxies {}

export interface OverseasStaticProxyOrder extends OrderOfAnyProduct, OverseasStaticProxies {}

export type Order =
	| OpenProxyOrder
	| PrivateProxyOrder
	| DedicatedProxyOrder
	| TunnelProxyOrder
	| OverseasProxyOrder
	| OverseasStaticProxyOrder;

export function isExpired(order: Order, now: Date): boolean {
	if (order.status === 'EXPIRED') return true;
	return order.expiresAt !== undefined && order.expiresAt <= now;
}

/** An order in force becomes an expired one by itself; any other state stays until it is changed. */
export function statusOf(order: Order, now: Date): OrderStatus {
	return order.status === 'VALID' && isExpired(order, now) ? 'EXPIRED' : order.status;
}

export function isUsable(order: Order, now: Date): boolean {
	return statusOf(order, now) === 'VALID';
}
