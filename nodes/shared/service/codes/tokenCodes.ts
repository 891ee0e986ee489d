import { KEYS_TOGETHER } from './keyTypeDescriptions';
import type { CodeMeaning, CodeTable } from './meaning';

export const GET_SECRET_TOKEN_CODES: CodeTable = new Map<number, CodeMeaning>([
	[
		-1,
		{
			message: 'The token endpoint received no key pair',
			description: "Fill in 'Secret ID' and 'Secret Key' in the credential.",
		},
	],
	[-2, { message: "'Secret ID' or 'Secret Key' is wrong", description: KEYS_TOGETHER }],
]);
