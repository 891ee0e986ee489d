import { KEY_TYPE_DESCRIPTIONS, REPORT_ADVICE, VALUES_REFUSED } from '../codes';
import { read, setting, type CodeMeaning, type CodeTable, quota } from '../endpoint';

const PARAMETER_MISSING: CodeMeaning = {
	message: 'Kuaidaili is missing a parameter',
	description: REPORT_ADVICE,
};

/** Its answer holds the password of a tunnel. The service documents no codes of its own. */
export const GET_ORDER_INFO = read('/api/getorderinfo', {
	key: 'order',
	intervalMs: 200,
	secretAnswer: true,
});

export const GET_ORDER_EXPIRE_TIME = read('/api/getorderexpiretime', {
	key: 'order',
	intervalMs: 100,
	codes: {
		[-1]: PARAMETER_MISSING,
	},
});

export const GET_IP_BALANCE = read('/api/getipbalance', {
	host: 'dpsUrl',
	key: 'order',
	intervalMs: 100,
	codes: {
		[-1]: PARAMETER_MISSING,
		[-2]: {
			message: 'This order has no IP balance',
			description:
				'Only pay-per-IP private proxy orders and prepaid ones with concentrated extraction have one.',
		},
	},
});

/** Traffic of an overseas dynamic order, in MB. The service documents no codes of its own. */
export const GET_FPS_FLOW = read('/api/getfpsflow', {
	host: 'fpsUrl',
	key: 'order',
	otherwise: "Check that 'Order' is an overseas dynamic order (FPS): no other has traffic left.",
});

export const SET_AUTO_RENEW = setting('/api/setautorenew', {
	key: 'order',
	codes: {
		[-1]: { message: 'Kuaidaili did not accept one of the values', description: VALUES_REFUSED },
		[-3]: {
			message: 'This order cannot be renewed automatically',
			description:
				'Only prepaid orders can be, except overseas static ones. In a list, the orders before this one are set already. To set the others, leave this one out.',
		},
	},
});

/** Pay-as-you-go orders only. It cannot be undone, and closing a closed order changes nothing. */
export const CLOSE_ORDER = setting('/api/closeorder', {
	key: 'order',
	codes: {
		[-2]: {
			message: 'This order cannot be closed in its current state',
			description: 'Check in the member center whether it is already closed.',
		},
		[-3]: {
			message: 'This order is not a pay-as-you-go order, so it cannot be closed',
			description:
				"A prepaid order ends when it expires. To make sure it isn't renewed, use 'Auto-Renewal: Disable'.",
		},
		[-4]: {
			message: "Closing an order takes the order's own key pair",
			description: KEY_TYPE_DESCRIPTIONS.order,
		},
	},
});

/** The user name and password for the proxies of an order. The service documents no codes of its own. */
export const GET_PROXY_AUTHORIZATION = read('/api/getproxyauthorization', {
	key: 'order',
	intervalMs: 100,
	secretAnswer: true,
	otherwise:
		"Check the product of the order, which 'Order: Get' shows, and 'Product' where it is chosen: open proxies need no login, and in retail orders for overseas static proxies, each proxy has its own.",
});

const IS_TUNNEL = "Check that the order is a tunnel, and that 'Product' matches it.";

/** Orders whose IP changes every 30 seconds or less often. */
export const TPS_CURRENT_IP = read('/api/tpscurrentip', {
	host: 'tpsUrl',
	key: 'order',
	otherwise: IS_TUNNEL,
	codes: {
		// Seen by clients of the service, which does not document it
		[-4]: {
			message: "This tunnel's IP changes too often to look it up",
			description: 'Kuaidaili shows the IP only for tunnels that keep it for at least 30 seconds.',
		},
	},
});

export const TPS_PRO_CURRENT_IP = read('/api/tpsprocurrentip', {
	host: 'tpsUrl',
	key: 'order',
	otherwise: IS_TUNNEL,
});

/**
 * Besides once per second, twice per period in which the tunnel keeps its IP. The service documents no
 * codes of its own.
 */
export const CHANGE_TPS_IP = quota('/api/changetpsip', {
	host: 'tpsUrl',
	key: 'order',
	otherwise:
		'Kuaidaili allows two changes within the time that a tunnel keeps an IP, and only where that is at least 60 seconds. If there were two already, try again when that time is over.',
});

const NO_WHITELIST: CodeMeaning = {
	message: 'This order has no whitelist',
	description:
		"Open proxy orders have none. Choose an order for private, tunnel, dedicated, or overseas proxies in 'Order'.",
};

/** Seen by clients of the service, which documents it for addresses that are missing: the node always sends some. */
const CHANGE_PENDING: CodeMeaning = {
	message: 'Kuaidaili is still applying an earlier change to the whitelist',
	description: 'Every change takes about a minute. Wait a minute, then run this item again.',
	retry: 'notYet',
};

export const GET_IP_WHITELIST = read('/api/getipwhitelist', {
	key: 'order',
	intervalMs: 100,
	codes: { [-3]: NO_WHITELIST },
});

/** Documented for setipwhitelist; addwhiteip has the same numbers. */
const ADDRESS_CODES: CodeTable = {
	[-4]: {
		message: 'Kuaidaili did not accept one of the IP addresses',
		description: 'Enter IPv4 addresses, separated by commas, such as 123.35.67.46.',
	},
	[-5]: {
		message: 'The whitelist would have more IP addresses than the order allows',
		description:
			"'limit' in 'Whitelist: Get' says how many it allows. Remove addresses that are no longer needed.",
	},
	[-6]: {
		message: 'One of the IP addresses is not a public one',
		description:
			"Private, loopback, link-local, and shared addresses can't be on the list. 'Whitelist: Get Own IP' shows the public address of n8n.",
	},
};

export const SET_IP_WHITELIST = setting('/api/setipwhitelist', {
	key: 'order',
	codes: { [-1]: CHANGE_PENDING, [-3]: NO_WHITELIST, ...ADDRESS_CODES },
});

export const ADD_WHITE_IP = setting('/api/addwhiteip', {
	key: 'order',
	codes: { [-1]: CHANGE_PENDING, [-3]: NO_WHITELIST, ...ADDRESS_CODES },
});

export const DEL_WHITE_IP = setting('/api/delwhiteip', {
	key: 'order',
	codes: {
		[-1]: CHANGE_PENDING,
		[-3]: NO_WHITELIST,
		[-7]: { message: 'No IP addresses reached Kuaidaili', description: REPORT_ADVICE },
	},
});

/** The public address of the caller. The service documents no codes of its own. */
export const GET_MY_IP = read('/api/getmyip', { key: 'either', intervalMs: 100 });
