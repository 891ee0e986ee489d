import type { CodeMeaning, CodeTable, Endpoint, KeyKind } from './endpoint';

/* What to do next, where several codes have the same description. */

const KEY_PAGE = 'the API key management page of the member center';

export const KEYS_TOGETHER = `Copy 'Secret ID' and 'Secret Key' again from ${KEY_PAGE}. Both have to be of the same pair: the account's, or that of one order.`;

export const KEY_TYPE_DESCRIPTIONS = {
	account: `Use a credential with the account's key pair, and set its 'Key Type' to 'Account'. You find the pair on ${KEY_PAGE}.`,
	order: `Use a credential with the order's own key pair, and set its 'Key Type' to 'Order'. You find the pair on ${KEY_PAGE}.`,
} as const;

export const REPORT_ADVICE =
	'Please report this to the maintainers of this node, and include the operation you used.';

export const VALUES_REFUSED =
	"Kuaidaili's own message often names the value. Compare your settings with what the member center currently offers.";

/** -51 of every extraction: the service counts the addresses that call, not the proxies. */
const TOO_MANY_CALLERS: CodeMeaning = {
	message: 'Calls for this order came from too many different IP addresses within a minute',
	description:
		"The node has tried again for a minute. Kuaidaili counts the addresses that call, not the proxies, so calling more slowly or for fewer proxies doesn't help: let fewer machines extract from this order.",
	retry: 'notYet',
};

const EXPIRED: CodeMeaning = {
	message: 'This order has expired',
	description: "Choose another order in 'Order', or renew this one in the Kuaidaili member center.",
};

export const EXTRACTION_CODES: CodeTable = {
	[2]: EXPIRED,
	[-4]: {
		message: 'Kuaidaili could not extract the proxies',
		description: "Kuaidaili's own message says why. Try again in a few minutes.",
	},
	[-11]: {
		message: 'This order has not been paid for yet',
		description: 'Pay for it in the Kuaidaili member center.',
	},
	[-13]: EXPIRED,
	[-14]: {
		message: 'This order is banned',
		description: 'Ask Kuaidaili support for the reason.',
	},
	[-15]: EXPIRED,
	[-51]: TOO_MANY_CALLERS,
};

const WRONG_KEY_TYPE_DESCRIPTIONS: Readonly<Record<KeyKind, string>> = {
	...KEY_TYPE_DESCRIPTIONS,
	either:
		"Set 'Key Type' in the credential to 'Account' for the account's key pair, and to 'Order' for that of an order. Both kinds stand on the same page of the member center; the test of the credential tells which kind yours is. With the account's key pair, choose the order in 'Order'.",
};

const WRONG_KEY_TYPE = -123;
export const SIGNATURE_TOO_OLD = -112;

function wrongKeyType(needed: KeyKind): CodeMeaning {
	return {
		message: "This operation doesn't accept this kind of key pair",
		description: WRONG_KEY_TYPE_DESCRIPTIONS[needed],
	};
}

export const UNKNOWN_KEY_PAIR = -102;

/** The account itself doesn't expire. */
const UNKNOWN_ACCOUNT: CodeMeaning = {
	message: "This Secret ID isn't known",
	description: `Copy 'Secret ID' again from ${KEY_PAGE}. It has to be the account's.`,
	retry: 'authenticateAgain',
};

/** Codes that every endpoint may answer. Source: the service's list of common codes. */
export const COMMON_CODES: CodeTable = {
	[-101]: {
		message: 'No Secret ID reached Kuaidaili',
		description: "Fill in 'Secret ID' in the credential.",
	},
	[UNKNOWN_KEY_PAIR]: {
		message: 'This order or its key pair does not exist or has expired',
		description:
			"Check in the member center whether the order is still active. Then check 'Order', if you chose one, and 'Secret ID' in the credential.",
		retry: 'authenticateAgain',
	},
	[-103]: {
		message: 'The request reached Kuaidaili without a signature',
		description: REPORT_ADVICE,
	},
	[-104]: {
		message: "Secret Key doesn't belong to Secret ID",
		description: KEYS_TOGETHER,
		retry: 'authenticateAgain',
	},
	[-105]: { message: "Kuaidaili doesn't support this sign type", description: REPORT_ADVICE },
	[-106]: { message: 'Kuaidaili accepts only POST requests here', description: REPORT_ADVICE },
	[-107]: {
		message: 'The secret token has expired',
		description:
			"Run the workflow again. If it happens again, set 'Sign Type' in the credential to 'HMAC-SHA1', which needs no token.",
		retry: 'authenticateAgain',
	},
	[-108]: {
		message: "This machine's IP address is not on the account's API whitelist",
		description:
			"Add the public IP address of the machine that runs n8n to the API whitelist in the member center, or turn off the whitelist there. This isn't the proxy whitelist of an order.",
	},
	[-109]: {
		message: "Something went wrong on Kuaidaili's side",
		description: 'Try again in a few minutes.',
		retry: 'repeat',
		outcomeUnknown: true,
	},
	[-110]: {
		message: 'The request reached Kuaidaili without a timestamp',
		description: REPORT_ADVICE,
	},
	[-111]: { message: 'Kuaidaili could not read the timestamp', description: REPORT_ADVICE },
	[SIGNATURE_TOO_OLD]: {
		message: 'Kuaidaili considers the signature too old',
		description:
			'Correct the clock of the machine that runs n8n (turn on time synchronization), then run the workflow again.',
		retry: 'signAgain',
	},
	[-113]: { message: 'Kuaidaili could not read the nonce', description: REPORT_ADVICE },
	[-114]: {
		message: 'Kuaidaili took the request for a duplicate of an earlier one',
		description: 'Run the workflow again. Every run creates a new signature.',
		retry: 'signAgain',
	},
	[-120]: {
		message: 'Kuaidaili was called too often',
		description:
			'Something else is using the same key at the same time. Wait until it has finished, or spread out the calls.',
		retry: 'backOff',
	},
	[-121]: {
		message: 'This account accepts only signed requests',
		description: "Set 'Sign Type' in the credential to 'HMAC-SHA1'.",
	},
	[-122]: {
		message: 'Kuaidaili expected a secret token',
		description: "Set 'Sign Type' in the credential to 'HMAC-SHA1', or copy the key pair again.",
		retry: 'authenticateAgain',
	},
	[WRONG_KEY_TYPE]: wrongKeyType('either'),
};

/** All documented codes of an endpoint: its own and the common ones. */
export function documentedCodes({ key, codes }: Endpoint): ReadonlyMap<number, CodeMeaning> {
	const unknown = key === 'account' ? UNKNOWN_ACCOUNT : COMMON_CODES[UNKNOWN_KEY_PAIR];
	const ofKind = { [WRONG_KEY_TYPE]: wrongKeyType(key), [UNKNOWN_KEY_PAIR]: unknown };
	const all: CodeTable = { ...COMMON_CODES, ...ofKind, ...codes };
	return new Map(Object.entries(all).map(([code, meaning]) => [Number(code), meaning]));
}

export function codeMeaning(endpoint: Endpoint, code: number): CodeMeaning | undefined {
	return documentedCodes(endpoint).get(code);
}

const OTHER_KIND =
	"This key pair is of the other kind. Set 'Key Type' to 'Order' for an order's key pair, and to 'Account' for the account's.";

/** The refusals of a credential that is tested, by code, each in whole sentences. */
export const CREDENTIAL_TEST_REFUSALS: ReadonlyMap<number, string> = new Map([
	...Object.entries(COMMON_CODES).map(([code, { message, description }]): [number, string] => [
		Number(code),
		`${message}. ${description} (code ${code})`,
	]),
	[
		UNKNOWN_KEY_PAIR,
		`Kuaidaili doesn't know this key pair, or its order has expired. Set 'Key Type' to 'Account' for the account's key pair, and to 'Order' for that of an order. Then copy 'Secret ID' again from ${KEY_PAGE}; the login of a proxy is none. (code ${UNKNOWN_KEY_PAIR})`,
	],
	[WRONG_KEY_TYPE, OTHER_KIND],
	// Of getaccountbalance
	[-3, OTHER_KIND],
]);

/** The verdict of a credential's test about an answer that is no success, and has no code that is known. */
export const NO_SUCCESS =
	"The answer is no success of Kuaidaili. Check 'Base URL' under 'Custom Hosts' if you changed it, and whether this network asks for a login. Otherwise try again in a few minutes.";
