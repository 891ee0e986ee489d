/** What the workflows of these tests let the node do, by the names of the editor's fields. */

const orderOfTheCall = { __rl: true, mode: 'code', value: '={{ $json.body.orderid }}' };

export const GET_BALANCE = { resource: 'account', operation: 'getBalance' };

export const GET_ORDERS = { resource: 'order', operation: 'getAll', returnAll: true };

/** Proxies that the order counts. */
export const EXTRACT_COUNTED = {
	resource: 'proxy',
	operation: 'extract',
	product: 'DPS',
	num: 3,
	// Or an address that still lives may come, and count, twice
	options: { filters: { dedup: true } },
	orderid: orderOfTheCall,
};

export const CREATE = {
	resource: 'order',
	operation: 'create',
	product: 'TPS',
	payType: 'PRE_PAY',
	prepayTimeType: 'DAY',
	prepayTimeNumber: 1,
};

export const RENEW = {
	resource: 'order',
	operation: 'renew',
	orderid: orderOfTheCall,
	renewWhen: 'always',
	renewalOf: 'prepaid',
	timeType: 'MONTH',
	timeNumber: 1,
};

export const RENEW_IF_EXPIRING = {
	...RENEW,
	renewWhen: 'expiring',
	expiringWithin: 3,
	expiringWithinUnit: 'days',
};
