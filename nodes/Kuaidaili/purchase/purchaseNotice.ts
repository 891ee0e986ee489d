import type { INodeProperties } from 'n8n-workflow';

/** Stands above the fields of every operation that spends money. */
export const purchaseNotice: INodeProperties = {
	displayName:
		'Each input item is one purchase. It is paid at once from the account balance, without asking again.',
	name: 'purchaseNotice',
	type: 'notice',
	default: '',
};
