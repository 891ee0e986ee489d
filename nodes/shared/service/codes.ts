import {
	GET_ACCOUNT_BALANCE_CODES,
	GET_ACCOUNT_ORDERS_CODES,
	GET_ORDER_SECRET_CODES,
} from './codes/accountCodes';
import { SET_AUTO_RENEW_CODES } from './codes/autoRenewalCodes';
import {
	DPS_RESOURCES_CODES,
	QUERY_KPS_CITY_CODES,
	QUERY_SFPS_AREA_CODES,
} from './codes/availabilityCodes';
import { COMMON_CODES, WRONG_KEY_TYPE, WRONG_KEY_TYPE_MEANINGS } from './codes/commonCodes';
import { GET_PROXY_CODES } from './codes/extractionCodes';
import type { CodeMeaning, CodeTable } from './codes/meaning';
import {
	CLOSE_ORDER_CODES,
	GET_IP_BALANCE_CODES,
	GET_ORDER_EXPIRE_TIME_CODES,
	GET_ORDER_INFO_CODES,
} from './codes/orderCodes';
import { CREATE_ORDER_CODES, RENEW_ORDER_CODES } from './codes/purchaseCodes';
import { GET_SECRET_TOKEN_CODES } from './codes/tokenCodes';
import { ENDPOINTS, type EndpointName } from './endpoints';

/** The same number means different things on different endpoints, so each has a table of its own. */
const ENDPOINT_CODES: Readonly<Record<EndpointName, CodeTable>> = {
	getSecretToken: GET_SECRET_TOKEN_CODES,
	getAccountBalance: GET_ACCOUNT_BALANCE_CODES,
	getAccountOrders: GET_ACCOUNT_ORDERS_CODES,
	getOrderSecret: GET_ORDER_SECRET_CODES,
	getOrderInfo: GET_ORDER_INFO_CODES,
	getOrderExpireTime: GET_ORDER_EXPIRE_TIME_CODES,
	createOrder: CREATE_ORDER_CODES,
	renewOrder: RENEW_ORDER_CODES,
	setAutoRenew: SET_AUTO_RENEW_CODES,
	closeOrder: CLOSE_ORDER_CODES,
	getIpBalance: GET_IP_BALANCE_CODES,
	queryKpsCity: QUERY_KPS_CITY_CODES,
	querySfpsArea: QUERY_SFPS_AREA_CODES,
	dpsResources: DPS_RESOURCES_CODES,
	getProxy: GET_PROXY_CODES,
	getProxySvip: GET_PROXY_CODES,
};

/** All documented codes of an endpoint: its own and the common ones. */
export function documentedCodes(endpoint: EndpointName): CodeTable {
	return new Map([
		...COMMON_CODES,
		[WRONG_KEY_TYPE, WRONG_KEY_TYPE_MEANINGS[ENDPOINTS[endpoint].key]],
		...ENDPOINT_CODES[endpoint],
	]);
}

/** The meaning of a code on an endpoint; undefined for codes that are not documented. */
export function codeMeaning(endpoint: EndpointName, code: number): CodeMeaning | undefined {
	return documentedCodes(endpoint).get(code);
}
