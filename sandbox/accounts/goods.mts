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
export interface TunnelProProxies {
	product: 'TPS_PRO';
	maxRps: number;
	/** In Mb/s. */
	maxBandwidth: number;
}

/** Overseas dynamic proxies. createorder of the specification has none. */
export interface OverseasProxies {
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
export interface TopUp {
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
