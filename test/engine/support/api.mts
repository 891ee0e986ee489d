import type { Path } from '../../operations/row.mts';

/** Endpoints of the service, by the names that it gives them. */
export const API = {
	addwhiteip: '/api/addwhiteip',
	changetpsip: '/api/changetpsip',
	checkdpsvalid: '/api/checkdpsvalid',
	checkopsvalid: '/api/checkopsvalid',
	closeorder: '/api/closeorder',
	createorder: '/api/createorder',
	delwhiteip: '/api/delwhiteip',
	dpsresources: '/api/dpsresources',
	getaccountbalance: '/api/getaccountbalance',
	getaccountorders: '/api/getaccountorders',
	getdps: '/api/getdps',
	getdpsvalidtime: '/api/getdpsvalidtime',
	getfpsflow: '/api/getfpsflow',
	getipbalance: '/api/getipbalance',
	getipwhitelist: '/api/getipwhitelist',
	getmyip: '/api/getmyip',
	getorderexpiretime: '/api/getorderexpiretime',
	getorderinfo: '/api/getorderinfo',
	getordersecret: '/api/getordersecret',
	getproxy: '/api/getproxy',
	getproxyauthorization: '/api/getproxyauthorization',
	get_secret_token: '/api/get_secret_token',
	getua: '/api/getua',
	querykpscity: '/api/querykpscity',
	querysfpsarea: '/api/querysfpsarea',
	reneworder: '/api/reneworder',
	setautorenew: '/api/setautorenew',
	setipwhitelist: '/api/setipwhitelist',
} satisfies Readonly<Record<string, Path>>;

/** How often a read is sent when each answer is a failure that may pass. */
export const READ_ATTEMPTS = 3;
