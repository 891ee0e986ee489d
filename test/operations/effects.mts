/** What a call does to the account, by the documentation. What is in no list only reads. */

export const SPENDS_MONEY: readonly string[] = ['/api/createorder', '/api/reneworder'];

/** What an order has of something. */
export const USES_QUOTA: readonly string[] = ['/api/changetpsip', '/api/getdps', '/api/getfpsip'];

export const SETS_A_STATE: readonly string[] = [
	'/api/addwhiteip',
	'/api/closeorder',
	'/api/delwhiteip',
	'/api/setautorenew',
	'/api/setipwhitelist',
];

/** Whether a second call changes nothing. */
export function isRepeatable(path: string): boolean {
	return ![...SPENDS_MONEY, ...USES_QUOTA].includes(path);
}
