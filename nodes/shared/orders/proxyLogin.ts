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
