import { ownValue } from '../guards';
import { GET_PROXY_AUTHORIZATION } from '../service/endpoints/proxyLogin';
import type { Query, RunQuery } from '../service/query';
import { InvalidResponseError } from '../transport/callErrors';
import { proxyLogins } from '../transport/processState';

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
		if (typeof username === 'string' && typeof password === 'string' && username !== '') {
			return { username, password };
		}
		// Without an excerpt: it could be the password
		throw new InvalidResponseError('holds no user name and password for the proxies', '');
	},
};

/** How long a login is held in memory, in milliseconds. */
export const LOGIN_LIFE_MS = 300_000;

/**
 * The login of an order, held in memory for at most five minutes.
 *
 * @param orderKey tells the key pairs of orders apart
 * @throws what `callService` throws
 */
export async function obtainProxyLogin(run: RunQuery, orderKey: string): Promise<ProxyLogin> {
	return await proxyLogins.obtain(orderKey, async () => {
		const login = await run(proxyLogin);
		// Nobody may ask again for a long time, and a password has no business to stay until then
		const forget = () => proxyLogins.delete(orderKey);
		AbortSignal.timeout(LOGIN_LIFE_MS).addEventListener('abort', forget, { once: true });
		return login;
	});
}
