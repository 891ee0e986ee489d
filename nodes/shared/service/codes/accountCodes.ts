import { KEY_TYPE_CURES } from './cures';
import type { CodeMeaning, CodeTable } from './meaning';

export const GET_ACCOUNT_BALANCE_CODES: CodeTable = new Map<number, CodeMeaning>([
	[
		-3,
		{ message: 'This operation needs the key pair of the account', cure: KEY_TYPE_CURES.account },
	],
]);
