import { KEY_TYPE_DESCRIPTIONS, REPORT, VALUES_REFUSED } from '../codes';
import { read, setting, type CodeMeaning } from '../endpoint';

const PARAMETER_MISSING: CodeMeaning = {
	message: 'The service is missing a parameter',
	description: REPORT,
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

/** How many IPs a private proxy order has left. */
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
export const GET_FPS_FLOW = read('/api/getfpsflow', { host: 'fpsUrl', key: 'order' });

export const SET_AUTO_RENEW = setting('/api/setautorenew', {
	key: 'order',
	codes: {
		[-1]: { message: 'The service did not accept one of the values', description: VALUES_REFUSED },
		[-3]: {
			message: 'This order cannot be renewed automatically',
			description: 'Auto-renewal is available for prepaid orders only.',
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
});
