import type { CodeMeaning, CodeTable } from './meaning';

const RENEW_IN_MEMBER_CENTRE = 'Renew the order or place a new one in the Kuaidaili member centre.';
const USE_OPS_KEY =
	"Use the key pair of an open-proxy order in the credential, which that order's page in the member centre shows; with the account's key pair, choose an open-proxy order in 'Order'.";

export const GET_PROXY_CODES: CodeTable = new Map<number, CodeMeaning>([
	[2, { message: 'The order has expired', cure: RENEW_IN_MEMBER_CENTRE }],
	[
		3,
		{
			message: 'No proxy matches the filters',
			cure: "Loosen or remove some of the 'Filters'.",
			reaction: 'nothingFound',
		},
	],
	[
		-1,
		{
			message: 'The service calls the request invalid',
			cure: "Check the values in 'Filters' and 'Options'.",
		},
	],
	[-2, { message: 'The service calls the order invalid', cure: USE_OPS_KEY }],
	[
		-3,
		{
			message: 'The service did not accept one of the values',
			cure: "Check the values in 'Filters' and 'Options'; the service's own message often names the one.",
		},
	],
	[
		-4,
		{
			message: 'The extraction did not work at the service',
			cure: "The service's own message says why. Try again in a few minutes.",
		},
	],
	[-5, { message: 'This is the key pair of a dedicated-proxy order', cure: USE_OPS_KEY }],
	[-6, { message: 'This is the key pair of a private-proxy order', cure: USE_OPS_KEY }],
	[-7, { message: 'This is the key pair of a tunnel-proxy order', cure: USE_OPS_KEY }],
	[
		-11,
		{ message: 'The order is not paid yet', cure: 'Pay for it in the Kuaidaili member centre.' },
	],
	[-12, { message: 'The service calls the order invalid', cure: USE_OPS_KEY }],
	[-13, { message: 'The order has expired', cure: RENEW_IN_MEMBER_CENTRE }],
	[-14, { message: 'The order is banned', cure: 'Ask the support of Kuaidaili for the reason.' }],
	[-15, { message: 'The order has expired', cure: RENEW_IN_MEMBER_CENTRE }],
	[
		-16,
		{ message: 'The order was refunded', cure: 'Use the key pair of another open-proxy order.' },
	],
	[
		-20,
		{
			message: 'The extraction took too long at the service',
			cure: "Try again, with a smaller 'Number of Proxies' or fewer 'Filters'.",
		},
	],
	[
		-21,
		{
			message: "With 'Skip Already Extracted', the service allows one extraction per 5 seconds",
			cure: 'Something else extracts with the same key at the same time. Let that finish, or spread the calls over more time.',
			reaction: 'slowDown',
		},
	],
	[
		-22,
		{
			message: 'Proxies were extracted too often',
			cure: "Check that 'Plan' is the plan of the order, and that nothing else extracts with the same key at the same time.",
			reaction: 'slowDown',
		},
	],
	[
		-23,
		{
			message: 'A regular order gives at most 500 proxies per call',
			cure: "Set 'Plan' to 'Regular'; the node then splits larger numbers by itself.",
		},
	],
	[
		-24,
		{
			message: 'Sorting needs a VIP or SVIP order',
			cure: "Remove 'Sort' from 'Options', or use another order.",
		},
	],
	[
		-25,
		{
			message: 'Extra fields need a VIP or SVIP order',
			cure: "Remove everything from 'Extra Fields', or use another order.",
		},
	],
	[
		-26,
		{
			message: 'The formats JSON and XML need a VIP or SVIP order',
			cure: "Set 'Plan' to 'Regular' if that is the plan of the order.",
		},
	],
	[
		-31,
		{
			message: 'Stable proxies need a VIP or SVIP order',
			cure: "Remove 'Stability' from 'Filters', or use another order.",
		},
	],
	[
		-32,
		{
			message: 'The most stable proxies need an SVIP order',
			cure: "Choose a lower 'Stability' in 'Filters', or use another order.",
		},
	],
	[
		-33,
		{
			message: 'The order is not an SVIP order',
			cure: "Set 'Plan' to the plan of the order ('Regular' or 'VIP').",
		},
	],
	[
		-35,
		{
			message: 'A VIP order gives at most 1,000 proxies per call',
			cure: "Set 'Plan' to 'VIP'; the node then splits larger numbers by itself.",
		},
	],
	[
		-45,
		{
			message: 'An SVIP order gives at most 2,000 proxies per call',
			cure: "Set 'Plan' to 'SVIP'; the node then splits larger numbers by itself.",
		},
	],
	[
		-51,
		{
			message: "The order's limit of proxies per minute is used up",
			cure: "Wait a minute and run again, extract fewer proxies, or switch on 'Wait for the Per-Minute Cap' in 'Options'.",
			reaction: 'minuteCap',
		},
	],
]);
