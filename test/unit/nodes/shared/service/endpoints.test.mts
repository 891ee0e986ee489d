import { ENDPOINTS } from '../../../../../nodes/shared/service/endpoints.ts';

it('calls each endpoint where, how, with which key and as often as the service documents', () => {
	expect(ENDPOINTS).toEqual({
		getSecretToken: {
			path: '/api/get_secret_token',
			host: 'authUrl',
			method: 'POST',
			key: 'either',
			intervalMs: 1000,
			repeatable: true,
			secretAnswer: true,
		},
		getAccountBalance: {
			path: '/api/getaccountbalance',
			host: 'baseUrl',
			method: 'GET',
			key: 'account',
			intervalMs: 1000,
			repeatable: true,
		},
		getOrderExpireTime: {
			path: '/api/getorderexpiretime',
			host: 'baseUrl',
			method: 'GET',
			key: 'order',
			intervalMs: 100,
			repeatable: true,
		},
		createOrder: {
			path: '/api/createorder',
			host: 'baseUrl',
			method: 'GET',
			key: 'account',
			intervalMs: 1000,
			repeatable: false,
		},
		renewOrder: {
			path: '/api/reneworder',
			host: 'baseUrl',
			method: 'GET',
			key: 'order',
			intervalMs: 1000,
			repeatable: false,
		},
		setAutoRenew: {
			path: '/api/setautorenew',
			host: 'baseUrl',
			method: 'GET',
			key: 'order',
			intervalMs: 1000,
			repeatable: true,
		},
		getProxy: {
			path: '/api/getproxy',
			host: 'baseUrl',
			method: 'GET',
			key: 'order',
			intervalMs: 5000,
			repeatable: true,
		},
		getProxySvip: {
			path: '/api/getproxy',
			host: 'svipUrl',
			method: 'GET',
			key: 'order',
			intervalMs: 200,
			repeatable: true,
		},
	});
});
