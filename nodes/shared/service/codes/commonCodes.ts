import type { KeyKind } from '../endpoints';
import { KEY_TYPE_CURES, KEYS_TOGETHER, REPORT } from './cures';
import type { CodeMeaning, CodeTable } from './meaning';

export const WRONG_KEY_TYPE = -123;

function wrongKeyType(cure: string): CodeMeaning {
	return { message: 'The key pair is of the wrong kind for this operation', cure };
}

export const WRONG_KEY_TYPE_MEANINGS: Readonly<Record<KeyKind, CodeMeaning>> = {
	account: wrongKeyType(KEY_TYPE_CURES.account),
	order: wrongKeyType(KEY_TYPE_CURES.order),
	either: wrongKeyType(
		"Set 'Key Type' in the credential to where the pair comes from: 'Account' for the one on the member centre's API page, 'Order' for the one on an order's page. With the account's pair, choose the order in 'Order'.",
	),
};

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
			cure: "See in the member centre whether the order is still in force. Check 'Secret ID' in the credential, or 'Order' if one was chosen there.",
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
