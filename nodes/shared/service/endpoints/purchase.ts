import { KEY_TYPE_DESCRIPTIONS, VALUES_REFUSED } from '../codes';
import { purchase } from '../endpoint';

const RECHARGE = 'Top up the account in the Kuaidaili member center, then run this item again.';
const LESS_OR_ELSEWHERE = 'Order fewer IPs, choose another city or lifetime, or try again later.';

const AUTOMATIC =
	"'Automatic' in 'Order Type' finds out what each order is. If it is chosen already,";

export const CREATE_ORDER = purchase('/api/createorder', {
	key: 'account',
	codes: {
		[-1]: { message: 'Kuaidaili is missing a value for the order', description: VALUES_REFUSED },
		[-2]: { message: 'Kuaidaili did not accept one of the values', description: VALUES_REFUSED },
		[-3]: {
			message: "Placing orders takes the account's key pair",
			description: KEY_TYPE_DESCRIPTIONS.account,
		},
		[-4]: {
			message: 'The account balance is too low for the order',
			description: RECHARGE,
			isLowBalance: true,
		},
		[-5]: {
			message: 'Kuaidaili did not accept this kind of order',
			description: "Check 'Product' and 'Pay Type'. The product may no longer be sold.",
		},
		[-61]: { message: 'No IPs are available for this order', description: LESS_OR_ELSEWHERE },
		[-62]: {
			message: 'Not enough IPs are available for this order',
			description: LESS_OR_ELSEWHERE,
		},
		[-71]: {
			message: 'The account does not meet the requirements for a pay-as-you-go tunnel order',
			description: "Check in the member center what is missing, or set 'Pay Type' to 'Prepaid'.",
		},
		[-72]: {
			message: 'Kuaidaili could not open the pay-as-you-go tunnel order',
			description: 'Check in the member center whether the order is there.',
			outcomeUnknown: true,
		},
	},
});

export const RENEW_ORDER = purchase('/api/reneworder', {
	key: 'order',
	codes: {
		[-1]: {
			message: 'Kuaidaili is missing a value for the renewal',
			description: `${AUTOMATIC} choose there what this order is: a renewal by time, IPs, or traffic takes different values. ${VALUES_REFUSED}`,
		},
		[-2]: {
			message: 'Kuaidaili did not accept one of the values',
			description: `${AUTOMATIC} check 'Time Unit' and 'Auto-Renew Unit': exclusive dedicated proxies take Month and Year only. For private proxies paid per IP, check 'Lifetime', on which the number of IPs depends. ${VALUES_REFUSED}`,
		},
		[-3]: {
			message: 'This order is a pay-as-you-go order, so it cannot be renewed',
			description: 'It runs until you close it.',
		},
		[-4]: {
			message: 'This order is a virtual order, so it cannot be renewed',
			description:
				'Use the key pair of the actual order, which you find on the API key management page of the member center.',
		},
		[-5]: {
			message: 'The account balance is too low for the renewal',
			description: RECHARGE,
			isLowBalance: true,
		},
		[-6]: {
			message: 'This order would last longer than Kuaidaili allows',
			description: 'Choose a shorter duration, or renew later.',
		},
		[-7]: {
			message: "This order doesn't match 'Order Type'",
			description: `${AUTOMATIC} renew this order in the Kuaidaili member center.`,
		},
	},
});
