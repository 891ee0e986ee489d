import { read, type CodeTable } from '../endpoint';

const RENEW_IN_MEMBER_CENTRE = 'Renew the order or place a new one in the Kuaidaili member centre.';
const USE_OPS_KEY =
	"Use the key pair of an open-proxy order in the credential, which that order's page in the member centre shows; with the account's key pair, choose an open-proxy order in 'Order'.";

const GET_PROXY_CODES: CodeTable = {
	[2]: { message: 'The order has expired', description: RENEW_IN_MEMBER_CENTRE },
	[3]: {
		message: 'No proxy matches the filters',
		description: "Loosen or remove some of the 'Filters'.",
		isEmptyResult: true,
	},
	[-1]: {
		message: 'The service calls the request invalid',
		description: "Check the values in 'Filters' and 'Options'.",
	},
	[-2]: { message: 'The service calls the order invalid', description: USE_OPS_KEY },
	[-3]: {
		message: 'The service did not accept one of the values',
		description:
			"Check the values in 'Filters' and 'Options'; the service's own message often names the one.",
	},
	[-4]: {
		message: 'The extraction did not work at the service',
		description: "The service's own message says why. Try again in a few minutes.",
	},
	[-5]: { message: 'This is the key pair of a dedicated-proxy order', description: USE_OPS_KEY },
	[-6]: { message: 'This is the key pair of a private-proxy order', description: USE_OPS_KEY },
	[-7]: { message: 'This is the key pair of a tunnel-proxy order', description: USE_OPS_KEY },
	[-11]: {
		message: 'The order is not paid yet',
		description: 'Pay for it in the Kuaidaili member centre.',
	},
	[-12]: { message: 'The service calls the order invalid', description: USE_OPS_KEY },
	[-13]: { message: 'The order has expired', description: RENEW_IN_MEMBER_CENTRE },
	[-14]: {
		message: 'The order is banned',
		description: 'Ask the support of Kuaidaili for the reason.',
	},
	[-15]: { message: 'The order has expired', description: RENEW_IN_MEMBER_CENTRE },
	[-16]: {
		message: 'The order was refunded',
		description: 'Use the key pair of another open-proxy order.',
	},
	[-20]: {
		message: 'The extraction took too long at the service',
		description: "Try again, with a smaller 'Number of Proxies' or fewer 'Filters'.",
	},
	[-21]: {
		message: "With 'Skip Already Extracted', the service allows one extraction per 5 seconds",
		description:
			'Something else extracts with the same key at the same time. Let that finish, or spread the calls over more time.',
		retry: 'backOff',
	},
	[-22]: {
		message: 'Proxies were extracted too often',
		description:
			"Check that 'Plan' is the plan of the order, and that nothing else extracts with the same key at the same time.",
		retry: 'backOff',
	},
	[-23]: {
		message: 'A regular order gives at most 500 proxies per call',
		description: "Set 'Plan' to 'Regular'; the node then splits larger numbers by itself.",
	},
	[-24]: {
		message: 'Sorting needs a VIP or SVIP order',
		description: "Remove 'Sort' from 'Options', or use another order.",
	},
	[-25]: {
		message: 'Extra fields need a VIP or SVIP order',
		description: "Remove everything from 'Extra Fields', or use another order.",
	},
	[-26]: {
		message: 'The formats JSON and XML need a VIP or SVIP order',
		description: "Set 'Plan' to 'Regular' if that is the plan of the order.",
	},
	[-31]: {
		message: 'Stable proxies need a VIP or SVIP order',
		description: "Remove 'Stability' from 'Filters', or use another order.",
	},
	[-32]: {
		message: 'The most stable proxies need an SVIP order',
		description: "Choose a lower 'Stability' in 'Filters', or use another order.",
	},
	[-33]: {
		message: 'The order is not an SVIP order',
		description: "Set 'Plan' to the plan of the order ('Regular' or 'VIP').",
	},
	[-35]: {
		message: 'A VIP order gives at most 1,000 proxies per call',
		description: "Set 'Plan' to 'VIP'; the node then splits larger numbers by itself.",
	},
	[-45]: {
		message: 'An SVIP order gives at most 2,000 proxies per call',
		description: "Set 'Plan' to 'SVIP'; the node then splits larger numbers by itself.",
	},
	[-51]: {
		message: "The order's limit of proxies per minute is used up",
		description:
			"Wait a minute and run again, extract fewer proxies, or switch on 'Wait for the Per-Minute Cap' in 'Options'.",
		retry: 'minuteCap',
	},
};

/** Open proxies of regular and VIP orders. */
export const GET_PROXY = read('/api/getproxy', {
	key: 'order',
	intervalMs: 5000,
	holdsNames: true,
	codes: GET_PROXY_CODES,
});

/** Open proxies of SVIP orders, which have a host of their own. */
export const GET_PROXY_SVIP = read('/api/getproxy', {
	host: 'svipUrl',
	key: 'order',
	intervalMs: 200,
	holdsNames: true,
	codes: GET_PROXY_CODES,
});
