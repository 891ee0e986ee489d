import { InvalidFieldError } from '../../../shared/fields/field';
import { ORDERS_WITH_LOGIN } from '../../../shared/orders/orderField';
import { InvalidResponseError } from '../../../shared/api/errors';
import { includeSecrets } from '../../parameters/callOptions';
import { proxyLogin, rememberProxyLogin, type ProxyLogin } from '../../proxies/logins';
import { callOperation, fetching } from '../../run/operation';
import type { Query } from '../../../shared/api/call';
import { ownValue } from '../../../shared/guards';

/** The login with the value of the header `Proxy-Authorization`, which an HTTP client sends to the proxies. */
const loginWithHeader: Query<ProxyLogin & { readonly proxyAuthorization: string }> = {
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

const loginSecretsField = includeSecrets(
	'Whether an AI agent that uses this node as its tool gets the login. Its model then reads it. Without an agent, the login is always there.',
);

export const proxyGetLogin = callOperation({
	option: {
		name: 'Get Login',
		value: 'getLogin',
		action: 'Get proxy login',
		description:
			"Get the user name and password for an order's proxies. n8n saves them with the execution.",
	},
	orders: ORDERS_WITH_LOGIN,
	options: [loginSecretsField],
	work: fetching(loginWithHeader.endpoint, async (ask, parameters, { textOf, item }) => {
		if (item.isForAgent && textOf(loginSecretsField.name) === undefined) {
			throw new InvalidFieldError(
				loginSecretsField.displayName,
				false,
				"The login would go to the AI agent's model. If you want that, turn on 'Include Secrets' in 'Options'.",
			);
		}
		const login = await ask(loginWithHeader, parameters);
		// The password may be a new one
		const { username, password } = login;
		await rememberProxyLogin(await item.orderKey(), { username, password });
		return login;
	}),
	toResult: (login, { orderRecord }) => ({ records: [{ ...orderRecord, ...login }] }),
});
