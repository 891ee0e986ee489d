import { KEYS_TOGETHER } from './cures';
import type { CodeMeaning, CodeTable } from './meaning';

export const GET_SECRET_TOKEN_CODES: CodeTable = new Map<number, CodeMeaning>([
	[
		-1,
		{
			message: 'The token endpoint received no key pair',
			cure: "Fill in 'Secret ID' and 'Secret Key' in the credential.",
		},
	],
	[-2, { message: "'Secret ID' or 'Secret Key' is wrong", cure: KEYS_TOGETHER }],
]);
