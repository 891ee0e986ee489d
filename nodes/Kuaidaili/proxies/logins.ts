import { ResponseCache } from '../../shared/api/cache';
import type { Query } from '../../shared/api/call';
import { InvalidResponseError } from '../../shared/api/errors';
import { isWellFormed, ownValue } from '../../shared/guards';
import { GET_PROXY_AUTHORIZATION } from '../../shared/service/endpoints/order';
import type { ExtractedProxy } from './entries';

/** The user name and password that all proxies of an order take. Not those of the API. */
export interface ProxyLogin {
	readonly username: string;
	readonly password: string;
}

export const proxyLogin: Query<ProxyLogin> = {
	endpoint: GET_PROXY_AUTHORIZATION,
	complete: (parameters) => ({ plaintext: '1', ...parameters }),
	parse({ data }) {
		const username = ownValue(data, 'username');
		const password = ownValue(data, 'password');
		const areTexts = typeof username === 'string' && typeof password === 'string';
		if (areTexts && username !== '' && isWellFormed(username + password)) {
			return { username, password };
		}
		// Without an excerpt: it could be the password
		throw new InvalidResponseError('holds no user name and password for the proxies', '');
	},
};

/**
 * Appends parts to the user name, such as `name-period-0.5-sid-s01`; those without a value are left out. Source: the
 * service's manual on connecting through a tunnel.
 *
 * @param others after those, as they were typed
 */
export function withSuffixes(
	{ username, password }: ProxyLogin,
	suffixes: ReadonlyArray<readonly [name: string, value: string | undefined]>,
	others = '',
): ProxyLogin {
	const withValue = suffixes.filter(([, value]) => value !== undefined);
	const named = withValue.map(([name, value]) => `-${name}-${value}`).join('');
	const typed = others === '' || others.startsWith('-') ? others : `-${others}`;
	return { username: `${username}${named}${typed}`, password };
}

/** Encodes typed values as well: half a character would throw after the proxies were paid for. */
function encoded(text: string): string {
	return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD'));
}

/** @param scheme SOCKS needs its own; to pages over https, too, a proxy is spoken to over http */
export function proxyUrlWith(
	scheme: 'http' | 'socks5',
	address: string,
	login?: ProxyLogin,
): string {
	if (login === undefined) return `${scheme}://${address}`;
	const [username, password] = [login.username, login.password].map(encoded);
	return `${scheme}://${username}:${password}@${address}`;
}

const SESSION_LENGTH = 6;
const SESSIONS = 36 ** SESSION_LENGTH;

/**
 * The sessions of a run: six letters and digits for each number that no other number has. Where they begin is random,
 * so that two runs hardly ever meet.
 */
export function sessionsOfRun(random: () => number = Math.random): (number: number) => string {
	const start = Math.floor(random() * SESSIONS);
	return (number) => ((start + number) % SESSIONS).toString(36).padStart(SESSION_LENGTH, '0');
}

/** The login that came with the proxy. */
export function ownLogin({ username, password }: ExtractedProxy): ProxyLogin | undefined {
	return username === undefined || password === undefined ? undefined : { username, password };
}

/** Logins by the key pair of their order, for all executions of this process; each for at most five minutes. */
export const proxyLogins = new ResponseCache<ProxyLogin>({
	longestAgeMs: 300_000,
	largestSize: 500,
});

/**
 * Lets the next one who needs the login fetch it again, unless that has happened already.
 *
 * @param refused as it was sent, maybe with a session behind the user name or the password; undefined where that is unknown
 */
export function forgetProxyLogin(orderKey: string, refused: ProxyLogin | undefined): void {
	const isOf = (text: string | undefined, held: string) => text?.startsWith(held) !== false;
	proxyLogins.forget(
		orderKey,
		(held) => isOf(refused?.username, held.username) && isOf(refused?.password, held.password),
	);
}

/** Uses a login that was fetched just now, which may have another password than the one in memory. */
export async function rememberProxyLogin(orderKey: string, login: ProxyLogin): Promise<void> {
	proxyLogins.delete(orderKey);
	await proxyLogins.obtain(orderKey, async () => login);
}
