import type { INodeProperties } from 'n8n-workflow';

/** Stands above the fields of every operation that spends money. */
export const purchaseNotice: INodeProperties = {
	displayName:
		'Each input item is one purchase, charged to the account balance without another confirmation. The API shows no price in advance; the member center does.',
	name: 'purchaseNotice',
	type: 'notice',
	default: '',
};
