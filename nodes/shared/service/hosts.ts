import { mapValues } from '../guards';

interface Host {
	/** Of its field in the credential, and in messages about it. */
	readonly displayName: string;
	/** Scheme, host and port, without a trailing slash. */
	readonly origin: string;
	/** What it is used for, as shown in the credential, without a period. */
	readonly description: string;
}

/**
 * The hosts of the service, by the name of their field in the credential and in its order. Each endpoint
 * lives on exactly one of them.
 * Source: service documentation, endpoint overview.
 */
export const HOSTS = {
	baseUrl: {
		displayName: 'Base URL',
		origin: 'https://dev.kdlapi.com',
		description: 'Used by most operations',
	},
	dpsUrl: {
		displayName: 'Private Proxy URL',
		origin: 'https://dps.kdlapi.com',
		description: 'Used by private proxy operations',
	},
	kpsUrl: {
		displayName: 'Dedicated Proxy URL',
		origin: 'https://kps.kdlapi.com',
		description: 'Used to list the proxies of dedicated proxy orders',
	},
	tpsUrl: {
		displayName: 'Tunnel Proxy URL',
		origin: 'https://tps.kdlapi.com',
		description: 'Used by tunnel operations',
	},
	fpsUrl: {
		displayName: 'Overseas Proxy URL',
		origin: 'https://fps.kdlapi.com',
		description: 'Used by overseas dynamic proxy operations',
	},
	svipUrl: {
		displayName: 'SVIP URL',
		origin: 'https://svip.kdlapi.com',
		description: 'Used to extract proxies of SVIP orders',
	},
	authUrl: {
		displayName: 'Token URL',
		origin: 'https://auth.kdlapi.com',
		description: "Used to fetch tokens when 'Sign Type' is 'Token'",
	},
} as const satisfies Record<string, Host>;

export type HostName = keyof typeof HOSTS;

/** The origin of each host. */
export type ServiceHosts = Readonly<Record<HostName, string>>;

export const DEFAULT_HOSTS: ServiceHosts = mapValues(HOSTS, ({ origin }) => origin);

/** Why an address cannot be used as a host, to follow a colon; undefined if it can. */
function objectionTo(url: URL): string | undefined {
	if (!['https:', 'http:'].includes(url.protocol)) return 'it must begin with https://';
	if (url.username !== '' || url.password !== '')
		return 'it must not contain a user name or password';
	if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
		return 'it must not contain a path, a query or a fragment';
	}
	if (!isSafeOrigin(url))
		return 'it must begin with https:// (http:// is accepted for this machine only)';
	return undefined;
}

/** Over plain http, anybody on the network could read token and secret key, so it is for this machine only. */
function isSafeOrigin(url: URL): boolean {
	return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

function isLoopback(hostname: string): boolean {
	return (
		hostname === 'localhost' ||
		hostname === '[::1]' ||
		/^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
	);
}

/**
 * Reads one host field of the credential.
 *
 * @throws Error whose message names the field and says what is allowed
 */
export function readHost({ displayName, origin }: Host, value: unknown): string {
	const text = typeof value === 'string' ? value.trim() : '';
	const expected = `Use an address such as ${origin}.`;
	if (text === '') {
		throw new Error(`'${displayName}' in the credential is empty. ${expected}`);
	}
	if (!URL.canParse(text)) {
		throw new Error(`'${displayName}' in the credential is not a web address. ${expected}`);
	}
	const url = new URL(text);
	const objection = objectionTo(url);
	if (objection !== undefined) {
		throw new Error(`'${displayName}' in the credential cannot be used: ${objection}. ${expected}`);
	}
	return url.origin;
}
