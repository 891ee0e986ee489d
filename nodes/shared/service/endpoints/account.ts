import { KEY_TYPE_DESCRIPTIONS, KEYS_TOGETHER } from '../codes';
import { read, type CodeMeaning } from '../endpoint';

const ACCOUNT_KEY_NEEDED: CodeMeaning = {
	message: "This operation needs the account's key pair",
	description: KEY_TYPE_DESCRIPTIONS.account,
};

export const GET_ACCOUNT_BALANCE = read('/api/getaccountbalance', {
	key: 'account',
	codes: {
		[-3]: ACCOUNT_KEY_NEEDED,
	},
});

export const GET_ACCOUNT_ORDERS = read('/api/getaccountorders', { key: 'account' });

export const GET_ORDER_SECRET = read('/api/getordersecret', {
	key: 'account',
	secretAnswer: true,
	codes: {
		[-1]: { message: 'No order number reached Kuaidaili', description: "Fill in 'Order'." },
		[-2]: {
			message: "This order isn't one of the account's orders",
			description:
				"Choose the order from the list in 'Order', or copy its number from the list of orders in the member center. It has to belong to the account of the credential.",
		},
		[-3]: ACCOUNT_KEY_NEEDED,
	},
});

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
