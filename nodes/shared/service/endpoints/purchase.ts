import { KEY_TYPE_DESCRIPTIONS, VALUES_REFUSED } from '../codes';
import { purchase } from '../endpoint';

const RECHARGE = 'Recharge the account in the Kuaidaili member centre, then run this item again.';
const LESS_OR_ELSEWHERE = 'Ask for fewer, choose another city or lifetime, or try again later.';

export const CREATE_ORDER = purchase('/api/createorder', {
	key: 'account',
	codes: {
		[-1]: { message: 'The service misses a value for the order', description: VALUES_REFUSED },
		[-2]: { message: 'The service did not accept one of the values', description: VALUES_REFUSED },
		[-3]: {
			message: 'Orders are placed with the key pair of the account',
			description: KEY_TYPE_DESCRIPTIONS.account,
		},
		[-4]: {
			message: "The account's balance does not suffice for the order",
			description: RECHARGE,
		},
		[-5]: {
			message: 'The service did not accept this kind of order',
			description: "Check 'Product' and 'Pay Type'; the product may no longer be sold.",
		},
		[-61]: { message: 'No IP is available for this order', description: LESS_OR_ELSEWHERE },
		[-62]: {
			message: 'The order asks for more IPs than there are',
			description: LESS_OR_ELSEWHERE,
		},
		[-71]: {
			message: 'The conditions for a pay-as-used tunnel order are not met',
			description:
				"See in the member centre what the account lacks, or set 'Pay Type' to 'Prepaid'.",
		},
		[-72]: {
			message: 'The service could not open the pay-as-used tunnel order',
			description: 'Look in the member centre whether the order is there.',
			leavesOpen: true,
		},
	},
});

export const RENEW_ORDER = purchase('/api/reneworder', {
	key: 'order',
	codes: {
		[-1]: { message: 'The service misses a value for the renewal', description: VALUES_REFUSED },
		[-2]: { message: 'The service did not accept one of the values', description: VALUES_REFUSED },
		[-3]: {
			message: 'A pay-as-used order cannot be renewed',
			description: 'It goes on until it is closed; there is nothing to renew.',
		},
		[-4]: {
			message: 'A virtual order cannot be renewed',
			description:
				'Use the key pair of the order itself, as its page in the member centre shows it.',
		},
		[-5]: {
			message: "The account's balance does not suffice for the renewal",
			description: RECHARGE,
		},
		[-6]: {
			message: 'The order would last longer than the service allows',
			description: 'Renew for a shorter time, or later.',
		},
		[-7]: {
			message: 'The order is of another kind than this renewal',
			description:
				"Choose in 'Renewal Of' what the order is: prepaid, pay per IP, or overseas by traffic.",
		},
	},
});
