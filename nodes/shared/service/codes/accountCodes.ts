import { KEY_TYPE_DESCRIPTIONS } from './keyTypeDescriptions';
import type { CodeMeaning, CodeTable } from './meaning';

const ACCOUNT_KEY_NEEDED: CodeMeaning = {
	message: 'This operation needs the key pair of the account',
	description: KEY_TYPE_DESCRIPTIONS.account,
};

export const GET_ACCOUNT_BALANCE_CODES: CodeTable = new Map<number, CodeMeaning>([
	[-3, ACCOUNT_KEY_NEEDED],
]);

/** The service documents none of its own. */
export const GET_ACCOUNT_ORDERS_CODES: CodeTable = new Map<number, CodeMeaning>();

export const GET_ORDER_SECRET_CODES: CodeTable = new Map<number, CodeMeaning>([
	[-1, { message: 'No order number reached the service', description: "Fill in 'Order'." }],
	[
		-2,
		{
			message: "The account has no order with the number in 'Order'",
			description:
				'Choose the order from the list, or copy its number from the order list of the member centre. It has to belong to the account of the credential.',
		},
	],
	[-3, ACCOUNT_KEY_NEEDED],
]);
