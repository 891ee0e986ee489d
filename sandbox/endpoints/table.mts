import {
	addWhiteIp,
	delWhiteIp,
	getIpWhitelist,
	getProxyAuthorization,
	setIpWhitelist,
} from './whitelist.mts';
import { changeTpsIp, tpsCurrentIp, tpsProCurrentIp } from './tunnels.mts';
import { getSecretToken, getMyIp, getUa } from './tools.mts';
import {
	checkDpsValid,
	checkOpsValid,
	getDpsValidTime,
	getFpsFlow,
	getIpBalance,
} from './checks.mts';
import { closeOrder, createOrder, renewOrder, setAutoRenew } from './purchases.mts';
import {
	dpsResources,
	getAreaCode,
	getFpsAreaCode,
	getFpsCountryCode,
	getTpsCityCode,
	getTpsProvCode,
	queryKpsCity,
	querySfpsArea,
} from './areas.mts';
import type { Endpoint } from './endpoint.mts';
import {
	getAccountBalance,
	getAccountOrders,
	getOrderExpireTime,
	getOrderInfo,
	getOrderSecret,
} from './orders.mts';
import {
	getDps,
	getFps,
	getFpsIp,
	getKps,
	getKpsById,
	getSfps,
	getTps,
	getTpsPro,
} from './extraction.mts';
import { getProxy } from './getproxy.mts';

/**
 * Every endpoint of the service that exists here. Each says where it lives, which key it wants, at which
 * pace it may be called and what it does.
 */
export const ENDPOINTS: readonly Endpoint[] = [
	addWhiteIp,
	changeTpsIp,
	checkDpsValid,
	checkOpsValid,
	closeOrder,
	createOrder,
	delWhiteIp,
	dpsResources,
	getAccountBalance,
	getAccountOrders,
	getAreaCode,
	getDps,
	getDpsValidTime,
	getFps,
	getFpsAreaCode,
	getFpsCountryCode,
	getFpsFlow,
	getFpsIp,
	getIpBalance,
	getIpWhitelist,
	getKps,
	getKpsById,
	getMyIp,
	getOrderExpireTime,
	getOrderInfo,
	getOrderSecret,
	getProxy,
	getProxyAuthorization,
	getSecretToken,
	getSfps,
	getTps,
	getTpsCityCode,
	getTpsPro,
	getTpsProvCode,
	getUa,
	queryKpsCity,
	querySfpsArea,
	renewOrder,
	setAutoRenew,
	setIpWhitelist,
	tpsCurrentIp,
	tpsProCurrentIp,
];
