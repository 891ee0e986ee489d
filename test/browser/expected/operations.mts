/*
 * What each operation shows when it has just been chosen, written down a second time and on purpose not
 * taken from the node: a field that is lost or added shows.
 */

export interface OperationFields {
	readonly resource: string;
	readonly operation: string;
	readonly labels: readonly string[];
}

const PURCHASE_NOTICE =
	'Each input item is one purchase. It is paid at once from the account balance, without asking again.';
const CLOSE_NOTICE =
	'Only pay-as-you-go orders can be closed. A closed order cannot be reopened, and its proxies stop working.';
const LIST = ['Return All', 'Limit'];

/** In the order of the menus. */
export const OPERATIONS: readonly OperationFields[] = [
	{ resource: 'Account', operation: 'Get Balance', labels: ['Options'] },
	{ resource: 'Area', operation: 'Get Many', labels: ['Series', ...LIST, 'Options'] },
	{ resource: 'Auto-Renewal', operation: 'Disable', labels: ['Order', 'Options'] },
	{ resource: 'Auto-Renewal', operation: 'Enable', labels: ['Order', 'Time Unit', 'Options'] },
	{
		resource: 'City',
		operation: 'Get Many',
		labels: ['Series', 'Max Bandwidth', 'City', ...LIST, 'Options'],
	},
	{ resource: 'Order', operation: 'Close', labels: [CLOSE_NOTICE, 'Order', 'Options'] },
	{
		resource: 'Order',
		operation: 'Create',
		labels: [
			PURCHASE_NOTICE,
			'Product',
			'Pay Type',
			'IP Changes',
			'Max Requests per Second',
			'Max Bandwidth (Mb/s)',
			'Time Unit',
			'Duration',
			'Auto-Renew',
			'Options',
		],
	},
	{ resource: 'Order', operation: 'Get', labels: ['Order', 'Fields', 'Options'] },
	{
		resource: 'Order',
		operation: 'Get Many',
		labels: ['Status', ...LIST, 'Filters', 'Options'],
	},
	{
		resource: 'Order',
		operation: 'Renew',
		labels: [
			PURCHASE_NOTICE,
			'Order',
			'Renew',
			'Expiring Within',
			'Expiring Within Unit',
			'Renewal Of',
			'Time Unit',
			'Duration',
			'Auto-Renew',
			'Options',
		],
	},
	{
		resource: 'Private Proxy Resource',
		operation: 'Get Many',
		labels: ['Order', 'Area', 'Carrier', 'Only Available', ...LIST, 'Options'],
	},
	{
		resource: 'Proxy',
		operation: 'Extract',
		labels: ['Order', 'Plan', 'Number of Proxies', 'Output', 'Filters', 'Options'],
	},
];

/** What the trigger shows for each event. */
export const EVENTS: ReadonlyArray<{ readonly event: string; readonly labels: readonly string[] }> =
	[
		{ event: 'Account Balance Below', labels: ['Below (Yuan)'] },
		{ event: 'IP Balance Below', labels: ['Order', 'Below (IPs)'] },
		{ event: 'Order Expired', labels: ['Filters'] },
		{
			event: 'Order Expiring',
			labels: ['Expiring Within', 'Expiring Within Unit', 'Remind Every (Hours)', 'Filters'],
		},
	];
