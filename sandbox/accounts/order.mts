import type { TimeUnit } from '../time/chinaTime.mts';
import type { Account, KeyPair } from './account.mts';

export type OpenProxyPlan = 'regular' | 'VIP' | 'SVIP';

export interface OpenProxies {
	product: 'OPS';
	plan: OpenProxyPlan;
}

export interface PrivateProxies {
	product: 'DPS';
	/** 1 even, 2 concentrated; pay-per-IP orders have none. */
	fetchType: 1 | 2 | undefined;
	/** How long an address lives: M_3_5, H_2_4, M_7 and the like. */
	period: string;
	/** Per day of a prepaid order; of a pay-per-IP order what was bought, renewals included. */
	ipCount: number;
	whiteipCount: number;
}

export interface DedicatedProxies {
	product: 'KPS';
	series: 'shared' | 'exclusive';
	/** Dynamic or static; exclusive ones have none. */
	model: 'DYN' | 'STA' | undefined;
	/** The code of the city where they are. */
	city: string;
	/** In Mb/s. */
	maxBandwidth: number;
	ipCount: number;
	whiteipCount: number;
}

export interface TunnelProxies {
	product: 'TPS';
	/** Seconds between changes of the address; 0 = with every request. */
	period: number;
	maxRps: number;
	maxBandwidth: number;
}

/** A tunnel whose users choose period and place with every request. createorder has none. */
interface TunnelProProxies {
	product: 'TPS_PRO';
	maxRps: number;
	/** In Mb/s. */
	maxBandwidth: number;
}

/** Overseas dynamic proxies. createorder of the specification has none. */
interface OverseasProxies {
	product: 'FPS';
	/** What was bought, renewals included; undefined for an order that is paid by the month. */
	flowInGb: number | undefined;
}

/** Overseas residential proxies that keep their address. createorder of the specification has none. */
export interface OverseasStaticProxies {
	product: 'SFPS';
	series: 'retail' | 'package';
}

/** Money that was put into the account counts as an order too, with keys of its own, but has no proxies. */
interface TopUp {
	product: 'TOP_UP';
}

/** What an order is about. */
export type Goods =
	| OpenProxies
	| PrivateProxies
	| DedicatedProxies
	| TunnelProxies
	| TunnelProProxies
	| OverseasProxies
	| OverseasStaticProxies
	| TopUp;

export const ORDER_STATUSES = [
	'VALID',
	'WAIT_PAY',
	'OPENING',
	'EXPIRED',
	'OWING',
	'CLOSED',
	'FORBIDDEN',
] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const PAY_TYPES = ['PRE_PAY', 'PRE_PAY_IP', 'POST_PAY'] as const;

export type PayType = (typeof PAY_TYPES)[number];

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
	/** When it was bought: a setting makes the extraction wait for new orders. */
	createdAt: Date;
	/** Undefined for pay-as-used orders. */
	expiresAt: Date | undefined;
	autoRenewal: AutoRenewal;
	/** What answers about the order say in place of the codes it has: the documented ones are not all there are. */
	written?: { product?: string; pay_type?: string; status?: string; expire_time?: undefined };
}

/** What a proxy asks its client for. It is not a key of the API. */
export interface ProxyLogin {
	username: string;
	password: string;
}

/** What every product has but open proxies. */
interface OrderWithLogin extends OrderOfAnyProduct {
	/** The same for all its proxies; those of a retail order have logins of their own. */
	login: ProxyLogin;
}

export interface OpenProxyOrder extends OrderOfAnyProduct, OpenProxies {}

export interface PrivateProxyOrder extends OrderWithLogin, PrivateProxies {
	/**
	 * Addresses that are not yet extracted: of all that were paid in a pay-per-IP order, of those of
	 * today in a prepaid concentrated one. Even ones tell nobody how many are left.
	 */
	ipBalance: number | undefined;
	/** What an even order handed out. No day ends here. */
	extractedToday: number;
}

export interface DedicatedProxyOrder extends OrderWithLogin, DedicatedProxies {
	/** One of each of its proxies, like `lrps-49994`. */
	machineIds: string[];
}

/** Where the proxies of an order are entered that have one address for all. */
export interface Entrance {
	host: string;
	httpPort: string;
	/** Empty when there is none. */
	socksPort: string;
}

export interface TunnelProxyOrder extends OrderWithLogin, TunnelProxies {
	entrance: Entrance;
	/** How many addresses it leaves from at a time. createorder has no parameter for it. */
	channels: number;
}

export interface TunnelProProxyOrder extends OrderWithLogin, TunnelProProxies {
	entrance: Entrance;
}

export interface OverseasProxyOrder extends OrderWithLogin, OverseasProxies {
	entrance: Entrance;
	/** The country its proxies are in unless a call asks for another. */
	transferArea: string;
	/** Used traffic in MB, by day in China (`YYYY-MM-DD`). */
	flowUsedInMb: Record<string, number>;
}

/** One of the proxies of an overseas static order. */
export interface OverseasStaticProxy {
	/** The code of its country. */
	area: string;
	/** Only in retail orders. */
	login: ProxyLogin | undefined;
}

export interface OverseasStaticProxyOrder extends OrderWithLogin, OverseasStaticProxies {
	proxies: OverseasStaticProxy[];
}

export interface TopUpOrder extends OrderOfAnyProduct, TopUp {}

export type Order =
	| OpenProxyOrder
	| PrivateProxyOrder
	| DedicatedProxyOrder
	| TunnelProxyOrder
	| TunnelProProxyOrder
	| OverseasProxyOrder
	| OverseasStaticProxyOrder
	| TopUpOrder;

/** Those whose proxies ask for a login. */
export type ProxyOrder = Exclude<Order, OpenProxyOrder | TopUpOrder>;

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
