import { mapValues } from '../guards';

interface Host {
	/** The label of its field in the credential, and in messages about it. */
	readonly displayName: string;
	/** Scheme, host and port, without a trailing slash. */
	readonly origin: string;
	/** Its purpose, as shown in the credential, without a period. */
	readonly description: string;
}

/** The hosts by the name of their field in the credential, in its order. Source: service documentation, endpoint overview. */
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

export type ServiceHosts = Readonly<Record<HostName, string>>;

/** The origins that requests go to without custom hosts. */
export const SERVICE_HOSTS: ServiceHosts = mapValues(HOSTS, ({ origin }) => origin);

/** Why an address cannot be used as a host, to follow a colon; undefined if it can. */
function objectionTo({ protocol, hostname, username, password, pathname, search, hash }: URL) {
	if (!['https:', 'http:'].includes(protocol)) return 'it must begin with https://';
	if (username !== '' || password !== '') return 'it must not contain a user name or password';
	if (pathname !== '/' || search !== '' || hash !== '') {
		return 'it must not contain a path, a query or a fragment';
	}
	// Anybody on the network could read token and secret key
	if (protocol === 'http:' && !/^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(hostname)) {
		return 'it must begin with https:// (http:// is accepted for this machine only)';
	}
	return undefined;
}

/** Reads one host field of the credential. Throws an Error that names it and says what is allowed. */
export function readHost({ displayName, origin }: Host, value: unknown): string {
	const text = typeof value === 'string' ? value.trim() : '';
	const expected = `Use an address such as ${origin}.`;
	const refusal = (why: string) =>
		new Error(`'${displayName}' in the credential ${why}. ${expected}`);
	if (text === '') throw refusal('is empty');
	if (!URL.canParse(text)) throw refusal('is not a web address');
	const url = new URL(text);
	const objection = objectionTo(url);
	if (objection !== undefined) throw refusal(`cannot be used: ${objection}`);
	return url.origin;
}
