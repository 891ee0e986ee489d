import { ENDPOINTS, type EndpointName, type KeyKind } from './endpoints';

/** What the node does by itself when the service refuses a call with this code. */
export type Reaction =
	/** too fast: wait, sign again, repeat */
	| 'slowDown'
	/** the order's cap per minute is used up: waiting up to a minute helps */
	| 'minuteCap'
	/** get a new secret token, repeat once */
	| 'renewToken'
	/** sign again with the current time, repeat once */
	| 'signAgain'
	/** a fault of the answer as a whole: nothing matched, so the result is empty */
	| 'nothingFound';

export interface CodeMeaning {
	/** What happened. */
	readonly message: string;
	/** What to do next. */
	readonly cure: string;
	readonly reaction?: Reaction;
	/** The refusal leaves open whether something was done; every other documented one proves the contrary. */
	readonly leavesOpen?: true;
}

type CodeTable = ReadonlyMap<number, CodeMeaning>;

const RENEW_IN_MEMBER_CENTRE = 'Renew the order or place a new one in the Kuaidaili member centre.';
const KEYS_TOGETHER =
	"Copy 'Secret ID' and 'Secret Key' again from the member centre; both must come from the same place.";
/** Which key pair is needed, and where it is found. */
export const KEY_TYPE_CURES = {
	account:
		"Use a credential with the account's key pair, which the member centre shows on its API page, and set its 'Key Type' to 'Account'.",
	order:
		"Use a credential with the order's own key pair, which the member centre shows on the order's page, and set its 'Key Type' to 'Order'.",
} as const;

const WRONG_KEY_TYPE = -123;

function wrongKeyType(cure: string): CodeMeaning {
	return { message: 'The key pair is of the wrong kind for this operation', cure };
}

const WRONG_KEY_TYPE_MEANINGS: Readonly<Record<KeyKind, CodeMeaning>> = {
	account: wrongKeyType(KEY_TYPE_CURES.account),
	order: wrongKeyType(KEY_TYPE_CURES.order),
	either: wrongKeyType(
		"Operations on the account need the account's key pair, which the member centre shows on its API page; operations on an order need that order's own pair, which its page shows. Set 'Key Type' in the credential to match.",
	),
};

const REPORT =
	'Please report this to the maintainers of this node, with the operation that you used.';
const USE_OPS_KEY =
	"Use the key pair of an open-proxy order in the credential; it is shown on that order's page in the member centre.";

/**
 * Codes that every endpoint may answer.
 * Source: the service's list of common codes.
 */
export const COMMON_CODES: CodeTable = new Map<number, CodeMeaning>([
	[
		-101,
		{
			message: 'No Secret ID reached the service',
			cure: "Fill in 'Secret ID' in the credential.",
		},
	],
	[
		-102,
		{
			message: 'The order of this key pair does not exist or has expired',
			cure: "Check 'Secret ID' in the credential, and in the member centre whether the order is still in force.",
		},
	],
	[-103, { message: 'The request reached the service without a signature', cure: REPORT }],
	[-104, { message: 'The signature was not accepted', cure: KEYS_TOGETHER }],
	[-105, { message: 'The service does not know this sign type', cure: REPORT }],
	[-106, { message: 'The service accepts only POST here', cure: REPORT }],
	[
		-107,
		{
			message: 'The secret token has expired',
			cure: "Run the workflow again. If it happens again, set 'Sign Type' in the credential to 'HMAC-SHA1', which needs no token.",
			reaction: 'renewToken',
		},
	],
	[
		-108,
		{
			message: "This machine's IP address is not on the account's API whitelist",
			cure: "Add the public IP address of the machine that runs n8n to the API whitelist in the member centre, or turn the whitelist off there. It is not an order's proxy whitelist.",
		},
	],
	[
		-109,
		{
			message: 'The service had an internal fault',
			cure: 'Try again in a few minutes.',
			leavesOpen: true,
		},
	],
	[-110, { message: 'The request reached the service without a timestamp', cure: REPORT }],
	[-111, { message: 'The service could not read the timestamp', cure: REPORT }],
	[
		-112,
		{
			message: 'The service finds the signature too old',
			cure: 'Set the clock of the machine that runs n8n (switch on time synchronisation), then run again.',
			reaction: 'signAgain',
		},
	],
	[-113, { message: 'The service could not read the nonce', cure: REPORT }],
	[
		-114,
		{
			message: 'The service took the request for a repetition of an earlier one',
			cure: 'Run the workflow again; each run signs afresh.',
			reaction: 'signAgain',
		},
	],
	[
		-120,
		{
			message: 'The service was called too often',
			cure: 'Something else calls it with the same key at the same time. Let that finish, or spread the calls over more time.',
			reaction: 'slowDown',
		},
	],
	[
		-121,
		{
			message: 'This account accepts signed requests only',
			cure: "Set 'Sign Type' in the credential to 'HMAC-SHA1'.",
		},
	],
	[
		-122,
		{
			message: 'The service expected a secret token',
			cure: "Set 'Sign Type' in the credential to 'HMAC-SHA1', or copy the key pair again.",
		},
	],
	[WRONG_KEY_TYPE, WRONG_KEY_TYPE_MEANINGS.either],
]);

const VALUES_REFUSED =
	"The service's own message often names the value. Compare the fields with what the member centre offers at the moment.";
const RECHARGE = 'Recharge the account in the Kuaidaili member centre, then run this item again.';
const LESS_OR_ELSEWHERE = 'Ask for fewer, choose another city or lifetime, or try again later.';

const CREATE_ORDER_CODES: CodeTable = new Map<number, CodeMeaning>([
	[-1, { message: 'The service misses a value for the order', cure: VALUES_REFUSED }],
	[-2, { message: 'The service did not accept one of the values', cure: VALUES_REFUSED }],
	[
		-3,
		{ message: 'Orders are placed with the key pair of the account', cure: KEY_TYPE_CURES.account },
	],
	[-4, { message: "The account's balance does not suffice for the order", cure: RECHARGE }],
	[
		-5,
		{
			message: 'The service did not accept this kind of order',
			cure: "Check 'Product' and 'Pay Type'; the product may no longer be sold.",
		},
	],
	[-61, { message: 'No IP is available for this order', cure: LESS_OR_ELSEWHERE }],
	[-62, { message: 'The order asks for more IPs than there are', cure: LESS_OR_ELSEWHERE }],
	[
		-71,
		{
			message: 'The conditions for a pay-as-used tunnel order are not met',
			cure: "See in the member centre what the account lacks, or set 'Pay Type' to 'Prepaid'.",
		},
	],
	[
		-72,
		{
			message: 'The service could not open the pay-as-used tunnel order',
			cure: 'Look in the member centre whether the order is there.',
			leavesOpen: true,
		},
	],
]);

const RENEW_ORDER_CODES: CodeTable = new Map<number, CodeMeaning>([
	[-1, { message: 'The service misses a value for the renewal', cure: VALUES_REFUSED }],
	[-2, { message: 'The service did not accept one of the values', cure: VALUES_REFUSED }],
	[
		-3,
		{
			message: 'A pay-as-used order cannot be renewed',
			cure: 'It goes on until it is closed; there is nothing to renew.',
		},
	],
	[
		-4,
		{
			message: 'A virtual order cannot be renewed',
			cure: 'Use the key pair of the order itself, as its page in the member centre shows it.',
		},
	],
	[-5, { message: "The account's balance does not suffice for the renewal", cure: RECHARGE }],
	[
		-6,
		{
			message: 'The order would last longer than the service allows',
			cure: 'Renew for a shorter time, or later.',
		},
	],
	[
		-7,
		{
			message: 'The order is of another kind than this renewal',
			cure: "Choose in 'Renewal Of' what the order is: prepaid, pay per IP, or overseas by traffic.",
		},
	],
]);

const SET_AUTO_RENEW_CODES: CodeTable = new Map<number, CodeMeaning>([
	[-1, { message: 'The service did not accept one of the values', cure: VALUES_REFUSED }],
	[
		-3,
		{
			message: 'This order cannot renew itself',
			cure: 'Auto-renewal is for prepaid orders only.',
		},
	],
]);

const GET_PROXY_CODES: CodeTable = new Map<number, CodeMeaning>([
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

/** The same number means different things on different endpoints, so each has a table of its own. */
const ENDPOINT_CODES: Readonly<Record<EndpointName, CodeTable>> = {
	getSecretToken: new Map<number, CodeMeaning>([
		[
			-1,
			{
				message: 'The token endpoint received no key pair',
				cure: "Fill in 'Secret ID' and 'Secret Key' in the credential.",
			},
		],
		[-2, { message: "'Secret ID' or 'Secret Key' is wrong", cure: KEYS_TOGETHER }],
	]),
	getAccountBalance: new Map<number, CodeMeaning>([
		[
			-3,
			{ message: 'This operation needs the key pair of the account', cure: KEY_TYPE_CURES.account },
		],
	]),
	getOrderExpireTime: new Map<number, CodeMeaning>([
		[-1, { message: 'The service misses a parameter', cure: REPORT }],
	]),
	createOrder: CREATE_ORDER_CODES,
	renewOrder: RENEW_ORDER_CODES,
	setAutoRenew: SET_AUTO_RENEW_CODES,
	getProxy: GET_PROXY_CODES,
	getProxySvip: GET_PROXY_CODES,
};

/** All documented codes of an endpoint: its own and the common ones. */
export function documentedCodes(endpoint: EndpointName): CodeTable {
	return new Map([
		...COMMON_CODES,
		[WRONG_KEY_TYPE, WRONG_KEY_TYPE_MEANINGS[ENDPOINTS[endpoint].key]],
		...ENDPOINT_CODES[endpoint],
	]);
}

/** The meaning of a code on an endpoint; undefined for codes that are not documented. */
export function codeMeaning(endpoint: EndpointName, code: number): CodeMeaning | undefined {
	return documentedCodes(endpoint).get(code);
}
