import type { Writable } from 'node:stream';
import { RequestError } from 'proxy-chain';
import type { Order } from '../accounts/order.mts';

/** How the bodies begin with which a proxy refuses, by HTTP status. 407 has another one: see below. */
const STATUS_TEXTS = {
	407: 'Proxy Authentication Failed: wrong user name or password',
	// For 429 and 502 no words are documented here; 455, 460, 504, and 515 to 517 were only seen.
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
	455: 'Risk Host Forbidden',
	456: 'CN Client Forbidden',
	457: 'Backend Proxy Bandwidth Over Limit',
	458: 'Backend Proxy Refused',
	460: 'Proxy Authentication Invalid',
	461: 'Unauthorized IP Usage',
	502: 'Bad Gateway',
	503: 'Proxy Connect Error',
	504: 'Lack of Resource',
	515: 'Proxy Setup Failed',
	516: 'Proxy Setup Failed',
	517: 'Proxy Setup Failed',
} as const;

/** The words of open proxies, where they have others or mean something else by the same status. */
const OPEN_PROXY_TEXTS: Partial<Record<keyof typeof STATUS_TEXTS, string>> = {
	407: 'White IP Failed',
	429: 'Frequency Over Limit',
	440: 'Over White IP Count(client ip: 192.0.2.1)',
	441: 'Binary Post Forbidden',
	443: 'IP Forbidden',
	444: 'Download Forbidden',
	445: 'Access Forbidden',
	449: 'Foreign Access Forbidden',
	502: 'Proxy Exception',
};

export type ProxyStatus = keyof typeof STATUS_TEXTS;

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

/** Of an open proxy where it is no order's. */
export function refusal(status: ProxyStatus, order?: Order, isOpen = false): ProxyRefusal {
	const words = (isOpen ? OPEN_PROXY_TEXTS[status] : undefined) ?? STATUS_TEXTS[status];
	return new ProxyRefusal(status, words, order);
}

/**
 * Answers with the words in the status line, and ends the connection. Seen of a proxy that calls itself `kdl`, whose
 * answers have no body.
 */
export function refuseInStatusLine(client: Writable, { status, message }: ProxyRefusal): void {
	const head = [`HTTP/1.1 ${status} ${message}`, 'Server: kdl/1.0.0', 'Content-Length: 0'];
	client.end(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n`);
}

export function wrongLogin(order?: Order): ProxyRefusal {
	return refusal(407, order);
}

export function notOnWhitelist(clientAddress: string): ProxyRefusal {
	return new ProxyRefusal(407, `White IP Failed: ${clientAddress}`);
}
