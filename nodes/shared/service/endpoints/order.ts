import { KEY_TYPE_DESCRIPTIONS, REPORT, VALUES_REFUSED } from '../codes';
import { read, setting, type CodeMeaning } from '../endpoint';

const PARAMETER_MISSING: CodeMeaning = {
	message: 'The service misses a parameter',
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

/** IPs that are left of a private-proxy order. */
export const GET_IP_BALANCE = read('/api/getipbalance', {
	host: 'dpsUrl',
	key: 'order',
	intervalMs: 100,
	codes: {
		[-1]: PARAMETER_MISSING,
		[-2]: {
			message: 'This kind of order has no IP balance',
			description:
				'Private-proxy orders that are paid per IP have one, and prepaid ones with concentrated extraction.',
		},
	},
});

export const SET_AUTO_RENEW = setting('/api/setautorenew', {
	key: 'order',
	codes: {
		[-1]: { message: 'The service did not accept one of the values', description: VALUES_REFUSED },
		[-3]: {
			message: 'This order cannot renew itself',
			description: 'Auto-renewal is for prepaid orders only.',
		},
	},
});

/** Orders that are paid as used. It cannot be undone, and closing a closed order changes nothing. */
export const CLOSE_ORDER = setting('/api/closeorder', {
	key: 'order',
	codes: {
		[-2]: {
			message: 'The order cannot be closed in the state that it is in',
			description: 'See in the member centre whether it is closed already.',
		},
		[-3]: {
			message: 'Only orders that are paid as used can be closed',
			description:
				"A prepaid order ends by itself at its expiry; to let it end, use 'Auto-Renewal: Disable'.",
		},
		[-4]: {
			message: 'An order is closed with its own key pair',
			description: KEY_TYPE_DESCRIPTIONS.order,
		},
	},
});
