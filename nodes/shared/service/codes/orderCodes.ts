import { KEY_TYPE_DESCRIPTIONS, REPORT } from './keyTypeDescriptions';
import type { CodeMeaning, CodeTable } from './meaning';

export const GET_ORDER_EXPIRE_TIME_CODES: CodeTable = new Map<number, CodeMeaning>([
	[-1, { message: 'The service misses a parameter', description: REPORT }],
]);

/** The service documents none of its own. */
export const GET_ORDER_INFO_CODES: CodeTable = new Map<number, CodeMeaning>();

export const CLOSE_ORDER_CODES: CodeTable = new Map<number, CodeMeaning>([
	[
		-2,
		{
			message: 'The order cannot be closed in the state that it is in',
			description: 'See in the member centre whether it is closed already.',
		},
	],
	[
		-3,
		{
			message: 'Only orders that are paid as used can be closed',
			description:
				"A prepaid order ends by itself at its expiry; to let it end, use 'Auto-Renewal: Disable'.",
		},
	],
	[
		-4,
		{
			message: 'An order is closed with its own key pair',
			description: KEY_TYPE_DESCRIPTIONS.order,
		},
	],
]);

export const GET_IP_BALANCE_CODES: CodeTable = new Map<number, CodeMeaning>([
	[-1, { message: 'The service misses a parameter', description: REPORT }],
	[
		-2,
		{
			message: 'This kind of order has no IP balance',
			description:
				'Private-proxy orders that are paid per IP have one, and prepaid ones with concentrated extraction.',
		},
	],
]);
