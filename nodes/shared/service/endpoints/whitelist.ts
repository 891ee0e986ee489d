import { REPORT } from '../codes';
import { read, setting, type CodeMeaning } from '../endpoint';

const NO_WHITELIST: CodeMeaning = {
	message: 'This order has no whitelist',
	description:
		"Open proxy orders have none. Choose an order for private, tunnel, dedicated, or overseas proxies in 'Order'.",
};

const ADDRESSES_MISSING: CodeMeaning = {
	message: 'No IP addresses reached the service',
	description: REPORT,
};

export const GET_IP_WHITELIST = read('/api/getipwhitelist', {
	key: 'order',
	intervalMs: 100,
	codes: { [-3]: NO_WHITELIST },
});

export const SET_IP_WHITELIST = setting('/api/setipwhitelist', {
	key: 'order',
	codes: {
		// Seen by clients of the service, which does not document it
		[-1]: {
			message: 'The service is still applying an earlier change to the whitelist',
			description: 'Every change takes about a minute. Wait a minute, then run this item again.',
			retry: 'waitForChange',
		},
		[-3]: NO_WHITELIST,
	},
});

export const ADD_WHITE_IP = setting('/api/addwhiteip', {
	key: 'order',
	codes: {
		[-3]: NO_WHITELIST,
		[-4]: {
			message: 'The service did not accept one of the IP addresses',
			description: 'Enter IPv4 addresses, separated by commas, such as 123.35.67.46.',
		},
		// The service lists the code without its meaning
		[-5]: {
			message: 'The service did not add the IP addresses',
			description:
				"The whitelist is probably full. Look up its limit with 'Whitelist: Get', and remove addresses that are no longer needed.",
		},
	},
});

export const DEL_WHITE_IP = setting('/api/delwhiteip', {
	key: 'order',
	codes: { [-1]: ADDRESSES_MISSING, [-3]: NO_WHITELIST, [-7]: ADDRESSES_MISSING },
});

/** The public address of the caller. The service documents no codes of its own. */
export const GET_MY_IP = read('/api/getmyip', { key: 'either', intervalMs: 100 });
