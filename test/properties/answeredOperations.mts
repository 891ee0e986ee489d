import type { IDataObject } from 'n8n-workflow';

/** What the service says when nothing is wrong, without its envelope. */
export interface Said {
	readonly msg?: string;
	readonly data: unknown;
}

/** How the data of an answer become items. */
export type Shape =
	/** Each entry of a list is an item. */
	| 'list'
	/** The object is the item. */
	| 'object'
	/** The items tell nothing of the data. */
	| 'nothing'
	/** `proxy_list` has the items. */
	| 'proxies';

/** An operation, and what the service says when it is asked. */
export interface AnsweredOperation {
	readonly name: string;
	readonly parameters: IDataObject;
	readonly keyType: 'account' | 'order';
	readonly signType?: 'token';
	/** The answer that a case may break. */
	readonly path: string;
	readonly answers: Readonly<Record<string, Said>>;
	readonly shape: Shape;
	/** In what comes out, beside what the answer says. */
	readonly added: readonly string[];
	/** What must not come out although the answer says it. */
	readonly heldBack?: readonly string[];
	/** Of the requests of a case, this one may be sent once at most. */
	readonly purchase?: '/api/createorder' | '/api/reneworder';
	/** Whether the operation does its work also when this answer cannot be used. */
	readonly canDoWithout?: true;
	readonly format?: 'text' | 'xml';
	/** Whether an answer holds a secret, so that nothing of it may be shown. */
	readonly isSecret?: true;
}

const BALANCE = '/api/getaccountbalance';
const AREAS = '/api/querysfpsarea';
const CITIES = '/api/querykpscity';
const AUTO_RENEWAL = '/api/setautorenew';
const CLOSING = '/api/closeorder';
const CREATE = '/api/createorder';
const RENEW = '/api/reneworder';
const ORDERS = '/api/getaccountorders';
const EXPIRY = '/api/getorderexpiretime';
const INFO = '/api/getorderinfo';
const KEY_PAIR = '/api/getordersecret';
const RESOURCES = '/api/dpsresources';
const PROXIES = '/api/getproxy';
const TOKEN = '/api/get_secret_token';

const ORDER_ID = '965102959536478';
const LONG_ORDER_ID = '3991416921923360';
const EXPIRE_TIME = '2032-06-18 12:01:43';

export const SECRET_TOKEN = 'a-token-0n0g59h7wcdyvz2uo68ph2s';
export const ORDER_SECRET_KEY = 'the-key-of-the-order-itself';
export const TUNNEL_PASSWORD = 'beot3nx1-password';

const balance: Said = { data: { balance: '620.80' } };
const areas: Said = {
	data: [
		{ code: 'US', name: '美国' },
		{ code: 'JP', name: '日本' },
	],
};
const cities: Said = {
	data: [
		{ code: '3301', name: '杭州市', count: 12 },
		{ code: '4403', name: '深圳市', count: 3 },
	],
};
const orders: Said = {
	data: [
		{
			orderid: ORDER_ID,
			pay_type: 'PRE_PAY',
			product: 'DPS',
			status: 'VALID',
			expire_time: EXPIRE_TIME,
		},
		{
			orderid: LONG_ORDER_ID,
			pay_type: 'POST_PAY',
			product: 'TPS',
			status: 'VALID',
			expire_time: '',
		},
	],
};
const info: Said = {
	data: {
		orderid: ORDER_ID,
		pay_type: 'PRE_PAY',
		product: 'TPS',
		status: 'VALID',
		freeze_amount: '2.68',
		tunnel_password: TUNNEL_PASSWORD,
		tunnel_username: 't12926732052681',
		tunnel_bandwidth: 10,
		expire_time: EXPIRE_TIME,
	},
};
const infoWithoutExpiry: Said = {
	data: { orderid: ORDER_ID, pay_type: 'PRE_PAY', product: 'DPS', status: 'VALID' },
};
const expiry: Said = { data: { expire_time: EXPIRE_TIME } };
const keyPair: Said = { data: { secret_id: 'the-order-id', secret_key: ORDER_SECRET_KEY } };
const resources: Said = {
	msg: 'success',
	data: [
		{ area_name: '北京', area_code: 11, carrier_name: '电信', carrier_code: 2, available: true },
		{ area_name: '浙江', area_code: 33, carrier_name: '', carrier_code: -1, available: false },
	],
};
const plainProxies = ['113.120.61.166:22989', '122.4.44.132:21808', '10.0.0.1:80'];
const proxies: Said = { data: { count: 3, proxy_list: plainProxies } };
const proxiesWithExtras: Said = {
	data: {
		count: 2,
		proxy_list: ['113.120.61.166:22989,北京市 电信,高匿名', '122.4.44.132:21808,上海市,匿名'],
	},
};
const token: Said = { data: { secret_token: SECRET_TOKEN, expire: 3600 } };
const bought: Said = { msg: 'create order success', data: { orderid: ORDER_ID } };
const renewed: Said = {
	msg: 'renew order success',
	data: { orderid: ORDER_ID, expire_time: EXPIRE_TIME },
};

const THE_ORDER = { orderid: { __rl: true, mode: 'code', value: ORDER_ID } };
const TIME = ['expiresAt', 'secondsLeft'];
const PROXY_FIELDS = ['proxyUrl', 'address', 'host', 'port', 'region', 'anonymity', 'raw'];

const extract = (plan: string, more: IDataObject = {}): IDataObject => ({
	resource: 'proxy',
	operation: 'extract',
	plan,
	num: 100,
	...more,
});

/** Every endpoint that the node asks, each as the one whose answer may be broken. */
export const ANSWERED_OPERATIONS: readonly AnsweredOperation[] = [
	{
		name: 'Account: Get Balance',
		parameters: { resource: 'account', operation: 'getBalance' },
		keyType: 'account',
		path: BALANCE,
		answers: { [BALANCE]: balance },
		shape: 'object',
		added: ['balanceNumber'],
	},
	{
		name: 'Account: Get Balance, the token',
		parameters: { resource: 'account', operation: 'getBalance' },
		keyType: 'account',
		signType: 'token',
		path: TOKEN,
		answers: { [TOKEN]: token, [BALANCE]: balance },
		shape: 'nothing',
		added: ['balance', 'balanceNumber'],
		isSecret: true,
	},
	{
		name: 'Area: Get Many',
		parameters: { resource: 'area', operation: 'getAll', serie: 1, returnAll: true },
		keyType: 'account',
		path: AREAS,
		answers: { [AREAS]: areas },
		shape: 'list',
		added: ['country'],
	},
	{
		name: 'Auto-Renewal: Enable',
		parameters: { resource: 'autoRenewal', operation: 'enable', timeType: 'MONTH' },
		keyType: 'order',
		path: AUTO_RENEWAL,
		answers: { [AUTO_RENEWAL]: { msg: 'autorenew by month enabled', data: '' } },
		shape: 'nothing',
		added: ['enabled', 'unit', 'message'],
	},
	{
		name: 'Auto-Renewal: Disable, the key pair of the order',
		parameters: { resource: 'autoRenewal', operation: 'disable', ...THE_ORDER },
		keyType: 'account',
		path: KEY_PAIR,
		answers: { [KEY_PAIR]: keyPair, [AUTO_RENEWAL]: { msg: 'autorenew disabled', data: '' } },
		shape: 'nothing',
		added: ['orderid', 'enabled', 'message'],
		isSecret: true,
	},
	{
		name: 'City: Get Many',
		parameters: {
			resource: 'city',
			operation: 'getAll',
			serie: 1,
			kpsMaxBandwidth: 1,
			returnAll: true,
		},
		keyType: 'account',
		path: CITIES,
		answers: { [CITIES]: cities },
		shape: 'list',
		added: [],
	},
	{
		name: 'Order: Close',
		parameters: { resource: 'order', operation: 'close' },
		keyType: 'order',
		path: CLOSING,
		answers: { [CLOSING]: { msg: 'order closed', data: '' } },
		shape: 'nothing',
		added: ['closed', 'message'],
	},
	{
		name: 'Order: Create',
		parameters: {
			resource: 'order',
			operation: 'create',
			product: 'TPS',
			payType: 'PRE_PAY',
			prepayTimeType: 'MONTH',
			prepayTimeNumber: 1,
		},
		keyType: 'account',
		path: CREATE,
		answers: { [ORDERS]: { data: [] }, [CREATE]: bought },
		shape: 'object',
		added: ['product', 'pay_type'],
		purchase: CREATE,
	},
	{
		name: 'Order: Create, the orders before',
		parameters: {
			resource: 'order',
			operation: 'create',
			product: 'TPS',
			payType: 'PRE_PAY',
			prepayTimeType: 'MONTH',
			prepayTimeNumber: 1,
		},
		keyType: 'account',
		path: ORDERS,
		answers: { [ORDERS]: orders, [CREATE]: bought },
		shape: 'nothing',
		added: ['orderid', 'product', 'pay_type'],
		purchase: CREATE,
		canDoWithout: true,
	},
	{
		name: 'Order: Get',
		parameters: { resource: 'order', operation: 'get' },
		keyType: 'order',
		path: INFO,
		answers: { [INFO]: info, [EXPIRY]: expiry },
		shape: 'object',
		added: [...TIME, 'expire_time'],
		heldBack: ['tunnel_password'],
		isSecret: true,
	},
	{
		name: 'Order: Get, the expiry',
		parameters: { resource: 'order', operation: 'get' },
		keyType: 'order',
		path: EXPIRY,
		answers: { [INFO]: infoWithoutExpiry, [EXPIRY]: expiry },
		shape: 'nothing',
		added: ['orderid', 'pay_type', 'product', 'status', 'expire_time', ...TIME],
	},
	{
		name: 'Order: Get Many',
		parameters: { resource: 'order', operation: 'getAll', status: 'ALL', returnAll: true },
		keyType: 'account',
		path: ORDERS,
		answers: { [ORDERS]: orders },
		shape: 'list',
		added: TIME,
	},
	{
		name: 'Order: Renew',
		parameters: {
			resource: 'order',
			operation: 'renew',
			renewWhen: 'always',
			renewalOf: 'prepaid',
			timeType: 'MONTH',
			timeNumber: 1,
		},
		keyType: 'order',
		path: RENEW,
		// Without an expiry before, nothing is looked for afterwards
		answers: { [RENEW]: renewed },
		shape: 'object',
		added: ['renewed', ...TIME],
		purchase: RENEW,
	},
	{
		name: 'Order: Renew, the expiry before',
		parameters: {
			resource: 'order',
			operation: 'renew',
			renewWhen: 'expiring',
			expiringWithin: 9000,
			expiringWithinUnit: 'days',
			renewalOf: 'prepaid',
			timeType: 'YEAR',
			timeNumber: 3,
			options: { skipLocalChecks: true },
		},
		keyType: 'order',
		path: EXPIRY,
		answers: { [EXPIRY]: expiry, [RENEW]: renewed },
		shape: 'nothing',
		added: ['orderid', 'expire_time', 'renewed', 'reason', ...TIME],
		purchase: RENEW,
	},
	{
		name: 'Private Proxy Resource: Get Many',
		parameters: { resource: 'privateProxyResource', operation: 'getAll', returnAll: true },
		keyType: 'order',
		path: RESOURCES,
		answers: { [RESOURCES]: resources },
		shape: 'list',
		added: ['carrier'],
	},
	{
		name: 'Proxy: Extract, JSON',
		parameters: extract('svip'),
		keyType: 'order',
		path: PROXIES,
		answers: { [PROXIES]: proxies },
		shape: 'proxies',
		added: PROXY_FIELDS,
	},
	{
		name: 'Proxy: Extract, JSON with extra fields',
		parameters: extract('vip', { extraFields: { fLoc: true, fAn: true } }),
		keyType: 'order',
		path: PROXIES,
		answers: { [PROXIES]: proxiesWithExtras },
		shape: 'proxies',
		added: PROXY_FIELDS,
	},
	{
		name: 'Proxy: Extract, XML',
		parameters: extract('vip', {
			extraFields: { fLoc: true, fAn: true },
			options: { format: 'xml' },
		}),
		keyType: 'order',
		path: PROXIES,
		answers: { [PROXIES]: proxiesWithExtras },
		shape: 'proxies',
		added: PROXY_FIELDS,
		format: 'xml',
	},
	{
		name: 'Proxy: Extract, text',
		parameters: extract('regular'),
		keyType: 'order',
		path: PROXIES,
		answers: { [PROXIES]: proxies },
		shape: 'proxies',
		added: PROXY_FIELDS,
		format: 'text',
	},
	{
		name: 'Proxy: Extract, text with extra fields',
		parameters: extract('svip', {
			extraFields: { fLoc: true, fAn: true },
			options: { format: 'text' },
		}),
		keyType: 'order',
		path: PROXIES,
		answers: { [PROXIES]: proxiesWithExtras },
		shape: 'proxies',
		added: PROXY_FIELDS,
		format: 'text',
	},
];
