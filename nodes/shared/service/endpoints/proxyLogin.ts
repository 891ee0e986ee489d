import { read } from '../endpoint';

/** The user name and password for the proxies of an order. The service documents no codes of its own. */
export const GET_PROXY_AUTHORIZATION = read('/api/getproxyauthorization', {
	key: 'order',
	intervalMs: 100,
	secretAnswer: true,
});
