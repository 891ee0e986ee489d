import type { Answer, EndpointRow } from './row.mts';

export const SECRET_TOKEN = 'a-token-0n0g59h7wcdyvz2uo68ph2s';
export const ORDER_SECRET_KEY = 'the-key-of-the-order-itself';

/** One that is called for another's sake, by any operation. */
export interface HelperEndpointRow extends EndpointRow {
	readonly title: string;
	/** The credential with which it is called before an order's operation does its work. */
	readonly calledWith: {
		readonly by: 'account' | 'order';
		readonly signType: 'hmacsha1' | 'token';
	};
	readonly answer: Answer;
}

export const ORDER_KEYS: HelperEndpointRow = {
	path: '/api/getordersecret',
	title: 'Choosing an order with the key pair of the account',
	calledWith: { by: 'account', signType: 'hmacsha1' },
	codes: {
		[-1]: /No order number reached Kuaidaili.*Fill in 'Order'/,
		[-2]: /isn't one of the account's orders.*belong to the account of the credential/,
		[-3]: /account's key pair.*Use a credential with the account's key/,
	},
	answer: {
		data: { secret_id: 'the-order-id', secret_key: ORDER_SECRET_KEY },
		isSecret: true,
	},
};

export const TOKEN: HelperEndpointRow = {
	path: '/api/get_secret_token',
	title: 'Fetching a token',
	calledWith: { by: 'order', signType: 'token' },
	codes: {
		[-1]: /received no key pair.*Fill in 'Secret ID' and 'Secret Key'/,
		[-2]: /'Secret ID' or 'Secret Key' is wrong.*Copy 'Secret ID' and 'Secret Key' again/,
	},
	answer: { data: { secret_token: SECRET_TOKEN, expire: 3600 }, isSecret: true },
};

export const HELPER_ENDPOINTS: readonly HelperEndpointRow[] = [ORDER_KEYS, TOKEN];
