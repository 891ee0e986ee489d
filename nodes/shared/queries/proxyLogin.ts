import { isWellFormed, ownValue } from '../guards';
import { InvalidResponseError } from '../errors/callErrors';
import { GET_PROXY_AUTHORIZATION } from '../service/endpoints/order';
import type { Query } from '../service/query';

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

/** The same with the header that an HTTP client sends to the proxies. */
export interface LoginWithHeader extends ProxyLogin {
	/** The value of the header `Proxy-Authorization`. */
	readonly proxyAuthorization: string;
}

export const loginWithHeader: Query<LoginWithHeader> = {
	...proxyLogin,
	parse(answer, secrets) {
		const login = proxyLogin.parse(answer, secrets);
		const [type, credentials] = ['type', 'credentials'].map((name) => ownValue(answer.data, name));
		const proxyAuthorization = `${String(type)} ${String(credentials)}`;
		if (typeof type === 'string' && /^\w+ [\w+/-]+=*$/.test(proxyAuthorization)) {
			return { ...login, proxyAuthorization };
		}
		// Without an excerpt: it could be the password
		throw new InvalidResponseError('contains no header for the proxies', '');
	},
};
