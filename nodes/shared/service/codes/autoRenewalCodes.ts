import { VALUES_REFUSED } from './keyTypeDescriptions';
import type { CodeMeaning, CodeTable } from './meaning';

export const SET_AUTO_RENEW_CODES: CodeTable = new Map<number, CodeMeaning>([
	[-1, { message: 'The service did not accept one of the values', description: VALUES_REFUSED }],
	[
		-3,
		{
			message: 'This order cannot renew itself',
			description: 'Auto-renewal is for prepaid orders only.',
		},
	],
]);
