import { addWhiteIp } from './addwhiteip.mts';
import { changeTpsIp } from './changetpsip.mts';
import { checkSecretToken } from './check_secret_token.mts';
import { checkDpsValid } from './checkdpsvalid.mts';
import { checkOpsValid } from './checkopsvalid.mts';
import { closeOrder } from './closeorder.mts';
import { createOrder } from './createorder.mts';
import { delWhiteIp } from './delwhiteip.mts';
import { dpsResources } from './dpsresources.mts';
import type { Endpoint } from './endpoint.mts';
import { getSecretToken } from './get_secret_token.mts';
import { getAccountBalance } from './getaccountbalance.mts';
import { getAccountOrders } from './getaccountorders.mts';
import { getAreaCode } from './getareacode.mts';
import { getDps } from './getdps.mts';
import { getDpsValidTime } from './getdpsvalidtime.mts';
import { getFps } from './getfps.mts';
import { getFpsAreaCode } from './getfpsareacode.mts';
import { getFpsCountryCode } from './getfpscountrycode.mts';
import { getFpsFlow } from './getfpsflow.mts';
import { getFpsIp } from './getfpsip.mts';
import { getIpBalance } from './getipbalance.mts';
import { getIpWhitelist } from './getipwhitelist.mts';
import { getKps } from './getkps.mts';
import { getKpsById } from './getkpsbyid.mts';
import { getMyIp } from './getmyip.mts';
import { getOrderExpireTime } from './getorderexpiretime.mts';
import { getOrderInfo } from './getorderinfo.mts';
import { getOrderSecret } from './getordersecret.mts';
import { getProxy } from './getproxy.mts';
import { getProxyAuthorization } from './getproxyauthorization.mts';
import { getSfps } from './getsfps.mts';
import { getTps } from './gettps.mts';
import { getTpsCityCode } from './gettpscitycode.mts';
import { getTpsPro } from './gettpspro.mts';
import { getTpsProvCode } from './gettpsprovcode.mts';
import { getUa } from './getua.mts';
import { queryKpsCity } from './querykpscity.mts';
import { querySfpsArea } from './querysfpsarea.mts';
import { renewOrder } from './reneworder.mts';
import { setAutoRenew } from './setautorenew.mts';
import { setIpWhitelist } from './setipwhitelist.mts';
import { tpsCurrentIp } from './tpscurrentip.mts';
import { tpsProCurrentIp } from './tpsprocurrentip.mts';

/**
 * Every endpoint of the service that exists here. A file per endpoint says where it lives, which
 * key it wants, at which pace it may be called and what it does.
 */
export const ENDPOINTS: readonly Endpoint[] = [
	addWhiteIp,
	changeTpsIp,
	checkDpsValid,
	checkOpsValid,
	checkSecretToken,
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
