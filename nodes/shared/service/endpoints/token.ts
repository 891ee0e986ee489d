import { KEYS_TOGETHER } from '../codes';
import { read } from '../endpoint';

export const GET_SECRET_TOKEN = read('/api/get_secret_token', {
	host: 'authUrl',
	method: 'POST',
	key: 'either',
	secretAnswer: true,
	codes: {
		[-1]: {
			message: 'The token endpoint received no key pair',
			description: "Fill in 'Secret ID' and 'Secret Key' in the credential.",
		},
		[-2]: {
			message: "'Secret ID' or 'Secret Key' is wrong",
			description: KEYS_TOGETHER,
			retry: 'authenticateAgain',
		},
	},
});
