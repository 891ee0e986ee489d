import { EXTRACTION_CODES } from '../codes';
import { quota, read, type CodeTable, type Endpoint } from '../endpoint';
import { otherProductAdvice } from '../products';

const USE_OPEN_PROXY_ORDER =
	"Choose an open proxy order in 'Order'. If the credential holds an order's key pair, use the key pair of an open proxy order instead.";

const GET_PROXY_CODES: CodeTable = {
	...EXTRACTION_CODES,
	[3]: {
		message: 'No proxy matches the filters',
		description: "Relax or remove some of the 'Filters'.",
		isEmptyResult: true,
	},
	[-1]: {
		message: 'Kuaidaili rejected the request as invalid',
		description: "Check the values in 'Filters' and 'Options'.",
	},
	[-2]: { message: 'This order is invalid', description: USE_OPEN_PROXY_ORDER },
	[-3]: {
		message: 'Kuaidaili did not accept one of the values',
		description:
			"Check the values in 'Filters' and 'Options'. Kuaidaili's own message often names the value.",
	},
	[-5]: {
		message: 'This order is a dedicated proxy order',
		description: otherProductAdvice(['KPS'], 'OPS'),
	},
	[-6]: {
		message: 'This order is a private proxy order',
		description: otherProductAdvice(['DPS'], 'OPS'),
	},
	[-7]: {
		message: 'This order is a tunnel proxy order',
		description: otherProductAdvice(['TPS', 'TPS_PRO'], 'OPS'),
	},
	[-12]: { message: 'This order is invalid', description: USE_OPEN_PROXY_ORDER },
	[-16]: {
		message: 'This order was refunded',
		description: USE_OPEN_PROXY_ORDER,
	},
	[-20]: {
		message: 'The extraction took too long',
		description: "Try again with a smaller 'Number of Proxies' or fewer 'Filters'.",
	},
	[-21]: {
		message: "With 'Skip Already Extracted', Kuaidaili allows one extraction per 5 seconds",
		description:
			'Something else is extracting with the same key at the same time. Wait until it has finished, or spread out the calls.',
		retry: 'backOff',
	},
	[-22]: {
		message: 'Proxies were extracted too often',
		description:
			"Check that 'Plan' matches the plan of the order, and that nothing else is extracting with the same key at the same time.",
		retry: 'backOff',
	},
	[-23]: {
		message: 'This order is a regular order, which allows up to 500 proxies per call',
		description: "Set 'Plan' to 'Regular'. The node then fetches larger numbers in several calls.",
	},
	[-24]: {
		message: 'Sorting needs a VIP or SVIP order',
		description:
			"Remove 'Sort' from 'Options', or choose another order. If this is a regular order, set 'Plan' to 'Regular'.",
	},
	[-25]: {
		message: 'Extra fields need a VIP or SVIP order',
		description:
			"Remove everything from 'Extra Fields', or choose another order. If this is a regular order, set 'Plan' to 'Regular'.",
	},
	[-26]: {
		message: 'This order is not a VIP order',
		description: "Set 'Plan' to 'Regular', or choose another order.",
	},
	[-31]: {
		message: 'Stable proxies need a VIP or SVIP order',
		description:
			"Remove 'Stability' from 'Filters', or choose another order. If this is a regular order, set 'Plan' to 'Regular'.",
	},
	[-32]: {
		message: 'The most stable proxies need an SVIP order',
		description: "Choose a lower 'Stability' in 'Filters', or choose another order.",
	},
	[-33]: {
		message: 'This order is not an SVIP order',
		description: "Set 'Plan' to the plan of the order, 'Regular' or 'VIP'.",
	},
	[-35]: {
		message: 'This order is a VIP order, which allows up to 1,000 proxies per call',
		description: "Set 'Plan' to 'VIP'. The node then fetches larger numbers in several calls.",
	},
	[-45]: {
		message: 'This order is an SVIP order, which allows up to 2,000 proxies per call',
		description: "Set 'Plan' to 'SVIP'. The node then fetches larger numbers in several calls.",
	},
};

export const GET_PROXY = read('/api/getproxy', {
	key: 'order',
	intervalMs: 5000,
	knowsText: true,
	secretAnswer: true,
	codes: GET_PROXY_CODES,
});

export const GET_PROXY_SVIP: Endpoint = { ...GET_PROXY, host: 'svipUrl', intervalMs: 200 };

/* With `dedup`, what is handed out never comes again that day, so the calls use something up. */
export const GET_NEW_PROXY = quota(GET_PROXY.path, GET_PROXY);
export const GET_NEW_PROXY_SVIP = quota(GET_PROXY_SVIP.path, GET_PROXY_SVIP);
