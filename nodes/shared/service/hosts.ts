/**
 * The hosts of the service. Each endpoint lives on exactly one of them.
 * Source: service documentation, endpoint overview (dev, dps, svip and auth under kdlapi.com).
 */
export type HostName = 'baseUrl' | 'dpsUrl' | 'svipUrl' | 'authUrl';

/** Origins such as `https://dev.kdlapi.com`: scheme, host and port, without a trailing slash. */
export type ServiceHosts = Readonly<Record<HostName, string>>;

export const SERVICE_DOMAIN = 'kdlapi.com';

export const DEFAULT_HOSTS: ServiceHosts = {
	baseUrl: 'https://dev.kdlapi.com',
	dpsUrl: 'https://dps.kdlapi.com',
	svipUrl: 'https://svip.kdlapi.com',
	authUrl: 'https://auth.kdlapi.com',
};

/** Labels of the credential fields, used in the form and in messages about them. */
export const HOST_LABELS: Readonly<Record<HostName, string>> = {
	baseUrl: 'Base URL',
	dpsUrl: 'Private Proxy URL',
	svipUrl: 'SVIP URL',
	authUrl: 'Token URL',
};

export const HOST_NAMES: readonly HostName[] = ['baseUrl', 'dpsUrl', 'svipUrl', 'authUrl'];

/** What makes an address unusable as a host, in words that continue "… : "; undefined when it is fine. */
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

/** Plain http would show token and secret key to everybody on the way, so it may not leave the machine. */
export function isSafeOrigin(url: URL): boolean {
	return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

export function isLoopback(hostname: string): boolean {
	return (
		hostname === 'localhost' ||
		hostname === '[::1]' ||
		/^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
	);
}

/**
 * Reads one host field of the credential.
 *
 * @returns the origin, without a trailing slash
 * @throws Error whose message names the field and says what is allowed
 */
export function readHost(name: HostName, value: unknown): string {
	const text = typeof value === 'string' ? value.trim() : '';
	const expected = `Use an address such as ${DEFAULT_HOSTS[name]}.`;
	if (text === '') {
		throw new Error(`'${HOST_LABELS[name]}' in the credential is empty. ${expected}`);
	}
	if (!URL.canParse(text)) {
		throw new Error(`'${HOST_LABELS[name]}' in the credential is not a web address. ${expected}`);
	}
	const url = new URL(text);
	const objection = objectionTo(url);
	if (objection !== undefined) {
		throw new Error(
			`'${HOST_LABELS[name]}' in the credential cannot be used: ${objection}. ${expected}`,
		);
	}
	return url.origin;
}
