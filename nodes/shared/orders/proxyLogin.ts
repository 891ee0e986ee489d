import { isWellFormed, ownValue } from '../guards';
import { ResponseCache, singleFlight } from '../concurrency/responseCache';
import { InvalidResponseError } from '../errors/callErrors';
import { GET_PROXY_AUTHORIZATION } from '../service/endpoints/order';
import type { Query, RunQuery } from '../service/query';

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

/** For all executions of this process. */
const proxyLogins = new ResponseCache<ProxyLogin>({ longestAgeMs: 300_000, largestSize: 500 });

/**
 * Lets the next one who needs the login fetch it again, unless that has happened already.
 *
 * @param refused as it was sent, maybe with a session behind the user name or the password
 */
export function forgetProxyLogin(orderKey: string, { username, password }: ProxyLogin): void {
	const held = proxyLogins.peek(orderKey);
	if (held === undefined) return;
	if (username.startsWith(held.username) && password.startsWith(held.password))
		proxyLogins.delete(orderKey);
}

/** Uses a login that was fetched just now, which may have another password than the one in memory. */
export async function rememberProxyLogin(orderKey: string, login: ProxyLogin): Promise<void> {
	proxyLogins.delete(orderKey);
	await proxyLogins.obtain(orderKey, async () => login);
}

/**
 * The login of an order, held in memory for at most five minutes.
 *
 * @param orderKey tells the key pairs of orders apart
 * @throws what `callService` throws
 */
export async function obtainProxyLogin(
	run: RunQuery,
	orderKey: string,
	signal: AbortSignal | undefined,
): Promise<ProxyLogin> {
	const fetch = async () => await run(proxyLogin);
	return await singleFlight(async () => await proxyLogins.obtain(orderKey, fetch), signal);
}
