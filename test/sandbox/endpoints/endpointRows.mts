import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { KeyName, Parameters } from '../client.mts';
import { ORDERS } from '../ordering.mts';

type Host = keyof Sandbox['hosts'];

/** What is documented of an endpoint, whatever it is for. */
export interface Row {
	path: string;
	host: Host;
	/** With which it works, and as fast as the pace says. */
	keys: readonly KeyName[];
	callsPerSecond: number;
	/** That work. */
	parameters: Parameters | ((sandbox: Sandbox, key: KeyName) => Parameters);
	/** What else limits its pace. */
	further: ReadonlyArray<{ intervalMs: number; calls: number }>;
}

type More = Partial<Pick<Row, 'parameters' | 'further'>>;

const row = (
	host: Host,
	name: string,
	[keys, callsPerSecond]: readonly [keys: readonly KeyName[], callsPerSecond: number],
	more: More = {},
): Row => ({
	...{ path: `/api/${name}`, host, keys, callsPerSecond },
	...{ parameters: {}, further: [] },
	...more,
});

const handsOut = (host: Host, name: string, keys: readonly KeyName[], more: More = {}): Row =>
	row(host, name, [keys, 10], { parameters: { num: '1' }, ...more });

const EITHER = ['account', 'opsVip', 'tps'] as const;
const WHITELISTED = ['dps', 'kps', 'tps', 'fps', 'sfps'] as const;
const WITH_LOGIN = ['dps', 'dpsPerIp', 'kps', 'tps', 'tpsPro', 'fps', 'sfpsPackage'] as const;
const CITY = { serie: '1', model: 'STA', 'kps.max_bandwidth': '1' };
const IPS = { parameters: { iplist: '1.1.1.1' } };
const PROXY = { parameters: { proxy: '127.0.0.1:9' } };
const PER_MINUTE = { name: 'minute', intervalMs: 60_000, calls: 120, code: -120 };

/** All but getproxy, whose pace and hosts depend on the order, and the one that has no signature. */
export const ROWS: readonly Row[] = [
	row('baseUrl', 'addwhiteip', [WHITELISTED, 1], IPS),
	row('tpsUrl', 'changetpsip', [['tpsMinute', 'tpsChannels'], 1]),
	row('dpsUrl', 'checkdpsvalid', [['dps'], 10], PROXY),
	row('baseUrl', 'checkopsvalid', [['opsVip'], 10], PROXY),
	row('baseUrl', 'closeorder', [['tpsPayAsUsed'], 1]),
	row('baseUrl', 'createorder', [['account'], 1], { parameters: ORDERS.ops }),
	row('baseUrl', 'delwhiteip', [WHITELISTED, 1], IPS),
	row('dpsUrl', 'dpsresources', [['dps', 'dpsPerIp'], 1]),
	row('baseUrl', 'getaccountbalance', [['account'], 1]),
	row('baseUrl', 'getaccountorders', [['account'], 1]),
	row('baseUrl', 'getareacode', [EITHER, 10], { parameters: { area: '北京' } }),
	handsOut('dpsUrl', 'getdps', ['dps', 'dpsEven', 'dpsPerIp'], { further: [PER_MINUTE] }),
	row('dpsUrl', 'getdpsvalidtime', [['dps', 'dpsEven'], 10], PROXY),
	handsOut('fpsUrl', 'getfps', ['fps', 'fpsMonthly'], { parameters: {} }),
	row('baseUrl', 'getfpsareacode', [EITHER, 1], { parameters: { region: 'US' } }),
	row('baseUrl', 'getfpscountrycode', [EITHER, 1]),
	row('fpsUrl', 'getfpsflow', [['fps'], 1]),
	handsOut('fpsUrl', 'getfpsip', ['fps'], { parameters: { num: '1', period: '10' } }),
	row('dpsUrl', 'getipbalance', [['dps', 'dpsPerIp'], 10]),
	row('baseUrl', 'getipwhitelist', [WHITELISTED, 10]),
	handsOut('kpsUrl', 'getkps', ['kps', 'kpsDynamic', 'kpsExclusive']),
	handsOut('kpsUrl', 'getkpsbyid', ['kps', 'kpsDynamic'], { parameters: machineOf }),
	row('baseUrl', 'getmyip', [EITHER, 10]),
	row('baseUrl', 'getorderexpiretime', [['opsVip', 'dps'], 10]),
	row('baseUrl', 'getorderinfo', [['tps', 'kps'], 5]),
	row('baseUrl', 'getordersecret', [['account'], 1], { parameters: numberOf }),
	row('baseUrl', 'getproxyauthorization', [WITH_LOGIN, 10]),
	handsOut('baseUrl', 'getsfps', ['sfpsPackage', 'sfps'], { parameters: {} }),
	handsOut('tpsUrl', 'gettps', ['tps', 'tpsMinute']),
	row('tpsUrl', 'gettpscitycode', [EITHER, 1], { parameters: { prov: '33' } }),
	handsOut('tpsUrl', 'gettpspro', ['tpsPro']),
	row('tpsUrl', 'gettpsprovcode', [EITHER, 1]),
	row('baseUrl', 'getua', [['account', 'opsVip', 'dps'], 5], { parameters: { num: '2' } }),
	row('baseUrl', 'querykpscity', [['account', 'kps', 'kpsExclusive'], 1], { parameters: CITY }),
	row('baseUrl', 'querysfpsarea', [['account', 'sfps'], 1], { parameters: { serie: '1' } }),
	row('baseUrl', 'reneworder', [['opsVip'], 1], {
		parameters: { time_type: 'DAY', time_number: '1' },
	}),
	row('baseUrl', 'setautorenew', [['dps', 'opsVip'], 1], { parameters: { autorenew: '0' } }),
	row('baseUrl', 'setipwhitelist', [WHITELISTED, 1], IPS),
	row('tpsUrl', 'tpscurrentip', [['tpsMinute', 'tpsHour'], 1]),
	row('tpsUrl', 'tpsprocurrentip', [['tpsPro'], 1]),
];

function machineOf(sandbox: Sandbox, key: KeyName): Parameters {
	const order = sandbox.store.order(sandbox.keys[key].secretId);
	return { f_id: 'machineIds' in order ? (order.machineIds[0] ?? '') : 'none' };
}

function numberOf({ store, keys }: Sandbox): Parameters {
	return { orderid: store.order(keys.tps.secretId).orderId };
}
