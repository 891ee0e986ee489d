import { RequestError } from 'proxy-chain';
import type { Order } from '../accounts/order.mts';

/** How the bodies begin with which a proxy refuses, by HTTP status. 407 has another one: see below. */
export const STATUS_TEXTS = {
	407: 'Proxy Authentication Failed: wrong user name or password',
	// For 429 and 502 no words are documented, and 460 and 515 to 517 were only seen.
	429: 'Too Many Requests',
	440: 'Bandwidth Over Limit',
	441: 'Request Rate Over Limit',
	442: 'Authentication Type Error',
	443: 'Foreign Client Forbidden',
	444: 'Download Not Allowed',
	445: 'illegal Request Forbidden',
	446: 'Host DNS Failed',
	447: 'Real-name Authentication Required',
	448: 'Target Port Forbidden',
	449: 'Foreign Host Forbidden',
	450: 'IP As Host Forbidden',
	451: 'Miss Host',
	452: 'Public Host Required',
	453: 'Proxy Port Error',
	454: 'Proxy Authentication Expired',
	456: 'CN Client Forbidden',
	457: 'Backend Proxy Bandwidth Over Limit',
	458: 'Backend Proxy Refused',
	460: 'Proxy Authentication Invalid',
	461: 'Unauthorized IP Usage',
	502: 'Bad Gateway',
	503: 'Proxy Connect Error',
	515: 'Proxy Setup Failed',
	516: 'Proxy Setup Failed',
	517: 'Proxy Setup Failed',
} as const;

export type ProxyStatus = keyof typeof STATUS_TEXTS;

export const PROXY_STATUSES = Object.keys(STATUS_TEXTS).map(Number).filter(isProxyStatus);

export function isProxyStatus(status: number): status is ProxyStatus {
	return status in STATUS_TEXTS;
}

/** What a client gets in place of what it asked for: also as the answer to a CONNECT. */
export class ProxyRefusal extends RequestError {
	/** The order is the one that the client was taken for, if it was known. */
	constructor(
		readonly status: number,
		body: string,
		readonly order?: Order,
	) {
		super(body, status);
	}
}

export function refusal(status: ProxyStatus, order?: Order): ProxyRefusal {
	return new ProxyRefusal(status, STATUS_TEXTS[status], order);
}

export function wrongLogin(order?: Order): ProxyRefusal {
	return refusal(407, order);
}

export function notOnWhitelist(clientAddress: string): ProxyRefusal {
	return new ProxyRefusal(407, `White IP Failed: ${clientAddress}`);
}
