import type { HostName } from './hosts';

/** The kind of key pair that an endpoint accepts. */
export type KeyKind = 'account' | 'order' | 'either';

export interface Endpoint {
	readonly path: string;
	readonly host: HostName;
	readonly method: 'GET' | 'POST';
	readonly key: KeyKind;
	/**
	 * Shortest time between two calls with one key, in milliseconds.
	 * Where the order's plan decides, the call brings its own interval.
	 */
	readonly intervalMs: number;
	/**
	 * Whether sending the call a second time is harmless. The HTTP method does not tell:
	 * the service places orders by GET.
	 */
	readonly repeatable: boolean;
	/** Whether answers hold a secret, so that not even the beginning of one may be shown. */
	readonly secretAnswer?: true;
	/** Whether answers hold names in Chinese that are put out, and must not arrive garbled. */
	readonly holdsNames?: true;
}

/** Source: the endpoint index and the rate limits of the service's documentation. */
export const ENDPOINTS = {
	getSecretToken: {
		path: '/api/get_secret_token',
		host: 'authUrl',
		method: 'POST',
		key: 'either',
		intervalMs: 1000,
		repeatable: true,
		secretAnswer: true,
	},
	getAccountBalance: {
		path: '/api/getaccountbalance',
		host: 'baseUrl',
		method: 'GET',
		key: 'account',
		intervalMs: 1000,
		repeatable: true,
	},
	getAccountOrders: {
		path: '/api/getaccountorders',
		host: 'baseUrl',
		method: 'GET',
		key: 'account',
		intervalMs: 1000,
		repeatable: true,
	},
	/** The key pair of one of the account's orders. */
	getOrderSecret: {
		path: '/api/getordersecret',
		host: 'baseUrl',
		method: 'GET',
		key: 'account',
		intervalMs: 1000,
		repeatable: true,
		secretAnswer: true,
	},
	/** Its answer holds the password of a tunnel. */
	getOrderInfo: {
		path: '/api/getorderinfo',
		host: 'baseUrl',
		method: 'GET',
		key: 'order',
		intervalMs: 200,
		repeatable: true,
		secretAnswer: true,
	},
	getOrderExpireTime: {
		path: '/api/getorderexpiretime',
		host: 'baseUrl',
		method: 'GET',
		key: 'order',
		intervalMs: 100,
		repeatable: true,
	},
	createOrder: {
		path: '/api/createorder',
		host: 'baseUrl',
		method: 'GET',
		key: 'account',
		intervalMs: 1000,
		repeatable: false,
	},
	renewOrder: {
		path: '/api/reneworder',
		host: 'baseUrl',
		method: 'GET',
		key: 'order',
		intervalMs: 1000,
		repeatable: false,
	},
	setAutoRenew: {
		path: '/api/setautorenew',
		host: 'baseUrl',
		method: 'GET',
		key: 'order',
		intervalMs: 1000,
		// It sets a state; setting it twice changes nothing
		repeatable: true,
	},
	/** Orders that are paid as used; it cannot be undone. */
	closeOrder: {
		path: '/api/closeorder',
		host: 'baseUrl',
		method: 'GET',
		key: 'order',
		intervalMs: 1000,
		// It sets a state; closing a closed order changes nothing
		repeatable: true,
	},
	/** IPs that are left of a private-proxy order. */
	getIpBalance: {
		path: '/api/getipbalance',
		host: 'dpsUrl',
		method: 'GET',
		key: 'order',
		intervalMs: 100,
		repeatable: true,
	},
	/** Cities that have dedicated proxies. */
	queryKpsCity: {
		path: '/api/querykpscity',
		host: 'baseUrl',
		method: 'GET',
		key: 'either',
		intervalMs: 1000,
		repeatable: true,
		holdsNames: true,
	},
	/** Countries that have overseas static residential proxies. */
	querySfpsArea: {
		path: '/api/querysfpsarea',
		host: 'baseUrl',
		method: 'GET',
		key: 'either',
		intervalMs: 1000,
		repeatable: true,
		holdsNames: true,
	},
	/** Regions and carriers of a private-proxy order. */
	dpsResources: {
		path: '/api/dpsresources',
		host: 'dpsUrl',
		method: 'GET',
		key: 'order',
		intervalMs: 1000,
		repeatable: true,
		holdsNames: true,
	},
	/** Open proxies of regular and VIP orders. */
	getProxy: {
		path: '/api/getproxy',
		host: 'baseUrl',
		method: 'GET',
		key: 'order',
		intervalMs: 5000,
		repeatable: true,
		holdsNames: true,
	},
	/** Open proxies of SVIP orders, which have a host of their own. */
	getProxySvip: {
		path: '/api/getproxy',
		host: 'svipUrl',
		method: 'GET',
		key: 'order',
		intervalMs: 200,
		repeatable: true,
		holdsNames: true,
	},
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;
