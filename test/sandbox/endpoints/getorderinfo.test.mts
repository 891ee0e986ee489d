import { type KeyPair, type Sandbox, newTunnelProxyOrder } from '../../../sandbox/sandbox.mts';
import {
	ask,
	startShop,
	accountOf,
	AUTO_RENEW,
	create,
	field,
	ORDERS,
	orderOf,
	RENEW,
} from '../ordering.mts';
import { call, post, signed } from '../client.mts';

const INFO = '/api/getorderinfo';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

const info = (keys: KeyPair, field_list?: string) =>
	ask(sandbox, INFO, keys, field_list === undefined ? {} : { field_list });

async function fieldsOf(keys: KeyPair): Promise<string[]> {
	const { code, data } = await info(keys);
	expect(code).toBe(0);
	return Object.keys(Object(data)).toSorted();
}

const COMMON = ['orderid', 'pay_type', 'product', 'status'];
const PREPAID = ['auto_renew_time_type', 'expire_time', 'is_auto_renew'];
const LOGIN = ['proxy_password', 'proxy_username'];
const OVERSEAS = ['fps_host', 'fps_port_http', 'fps_port_socks', 'transfer_area'];
const TUNNEL = [
	'tunnel_bandwidth',
	'tunnel_host',
	'tunnel_password',
	'tunnel_port_http',
	'tunnel_port_socks',
	'tunnel_req',
	'tunnel_username',
];

describe('all fields', () => {
	it('of a pay-as-used tunnel: those of the documented sample', async () => {
		const order = orderOf(
			sandbox,
			await create(sandbox, {
				...ORDERS.tpsPayAsUsed,
				'tps.period': '0',
				'tps.max_rps': '20',
				'tps.max_bandwidth': '10',
			}),
		);
		const [payment] = sandbox.ledger.entries('create');
		const frozen = (Number(payment?.amountInFen) / 100).toFixed(2);
		expect(await info(order.keys)).toEqual({
			code: 0,
			msg: '',
			data: {
				orderid: order.orderId,
				pay_type: 'POST_PAY',
				product: 'TPS',
				status: 'VALID',
				freeze_amount: frozen,
				unit_price: frozen,
				tunnel_password: `sandbox-order-${order.orderId}-proxy-password`,
				tunnel_username: `sandbox-order-${order.orderId}-proxy-username`,
				tunnel_host: 'tunnel.sandbox.invalid',
				tunnel_port_http: '15818',
				tunnel_port_socks: '',
				tunnel_bandwidth: 10,
				tunnel_req: 20,
			},
		});
	});

	it.each([
		['tps', [...PREPAID, ...TUNNEL, 'tunnel_period']],
		['tpsPro', [...PREPAID, ...TUNNEL]],
		['opsVip', PREPAID],
		['dps', [...PREPAID, ...LOGIN]],
		['dpsEven', [...PREPAID, ...LOGIN]],
		['kps', [...PREPAID, ...LOGIN, 'proxy_count']],
		['kpsExclusive', [...PREPAID, ...LOGIN, 'proxy_count']],
		['fps', [...PREPAID, ...LOGIN, ...OVERSEAS]],
		['fpsMonthly', [...PREPAID, ...LOGIN, ...OVERSEAS]],
		['sfps', [...PREPAID, 'proxy_count']],
		['sfpsPackage', [...PREPAID, ...LOGIN, 'proxy_count']],
		['dpsPerIp', LOGIN],
		['dpsProfessional', LOGIN],
		['tpsPayAsUsed', [...TUNNEL, 'freeze_amount', 'unit_price']],
	] as const)('of %s', async (name, further) => {
		expect(await fieldsOf(sandbox.keys[name])).toEqual([...COMMON, ...further].toSorted());
	});

	it('with an empty field_list too, and by POST', async () => {
		const { tps } = sandbox.keys;
		const all = await info(tps);
		expect(await info(tps, '')).toEqual(all);
		const form = signed(tps, 'POST', INFO);
		expect((await post(sandbox.hosts.baseUrl + INFO, form)).json).toEqual(all);
	});

	it('with an entrance that a test has set', async () => {
		const order = newTunnelProxyOrder('entrance', accountOf(sandbox), new Date(), {
			entrance: { host: 'h', httpPort: '1', socksPort: '2' },
			login: { username: 'u', password: 'p' },
		});
		expect((await info(sandbox.store.addOrder(order).keys)).data).toMatchObject({
			tunnel_host: 'h',
			tunnel_port_http: '1',
			tunnel_port_socks: '2',
			tunnel_username: 'u',
			tunnel_password: 'p',
		});
	});
});

describe('what belongs to the product', () => {
	it('the login and the number of proxies', async () => {
		const fields = 'proxy_username,proxy_password,proxy_count';
		const login = (name: string) => ({
			proxy_username: `sandbox-order-${name}-proxy-username`,
			proxy_password: `sandbox-order-${name}-proxy-password`,
		});
		const { kpsSeveral, sfpsPackage, sfps, dps } = sandbox.keys;
		expect((await info(dps, fields)).data).toEqual(login('dps'));
		expect((await info(kpsSeveral, fields)).data).toEqual({
			...login('kps-several'),
			proxy_count: 5,
		});
		expect((await info(sfpsPackage, fields)).data).toEqual({
			...login('sfps-package'),
			proxy_count: 3,
		});
		expect((await info(sfps, fields)).data).toEqual({ proxy_count: 3 });
	});

	it('the country and the entrance of overseas proxies', async () => {
		const fields = 'transfer_area,fps_host,fps_port_http,fps_port_socks';
		expect((await info(sandbox.keys.fps, fields)).data).toEqual({
			transfer_area: 'US',
			fps_host: 'tunnel.sandbox.invalid',
			fps_port_http: '18866',
			fps_port_socks: '18867',
		});
	});

	it('the period of a prepaid tunnel', async () => {
		const { tpsHour, tpsPayAsUsed } = sandbox.keys;
		expect((await info(tpsHour, 'tunnel_period')).data).toEqual({ tunnel_period: 3600 });
		expect((await info(tpsPayAsUsed, 'tunnel_period')).data).toEqual({});
	});
});

describe('a prepaid order', () => {
	it('tells how it renews itself', async () => {
		const { tps } = sandbox.keys;
		const fields = 'is_auto_renew,auto_renew_time_type';
		expect((await info(tps, fields)).data).toEqual({
			is_auto_renew: false,
			auto_renew_time_type: '',
		});
		await ask(sandbox, AUTO_RENEW, tps, { autorenew: '1', time_type: 'WEEK' });
		expect((await info(tps, fields)).data).toEqual({
			is_auto_renew: true,
			auto_renew_time_type: 'WEEK',
		});
		sandbox.store.order(tps.secretId).autoRenewal = { enabled: false, unit: 'YEAR' };
		expect((await info(tps, fields)).data).toMatchObject({ is_auto_renew: false });
	});

	it('ends when getorderexpiretime says so, also after a renewal', async () => {
		const { keys } = orderOf(sandbox, await create(sandbox, ORDERS.tps));
		const sameAsElsewhere = async () => {
			const { data } = await info(keys, 'expire_time');
			expect(data).toEqual((await ask(sandbox, '/api/getorderexpiretime', keys, {})).data);
			return field(data, 'expire_time');
		};
		const before = await sameAsElsewhere();
		const renewal = await ask(sandbox, RENEW, keys, { time_type: 'WEEK', time_number: '1' });
		const after = await sameAsElsewhere();
		expect(after).toBe(field(renewal.data, 'expire_time'));
		expect(after > before).toBe(true);
	});
});

describe('field_list', () => {
	it.each<[wanted: string, names: string[]]>([
		['status', ['status']],
		['status,orderid', ['orderid', 'status']],
		['orderid,orderid', ['orderid']],
		['orderid,nonsense', ['orderid']],
		['nonsense', []],
		['expire_time,freeze_amount', ['expire_time']],
		['tunnel_password', ['tunnel_password']],
		['orderid,,status,', ['orderid', 'status']],
		[',', []],
		['ORDERID', []],
		['orderid, status', ['orderid']],
	])('"%s"', async (wanted, names) => {
		const { data } = await info(sandbox.keys.tps, wanted);
		expect(Object.keys(Object(data))).toEqual(names);
	});
});

it('writes the order number like the other endpoints', async () => {
	sandbox.settings.orderNumbers = 'unsafe number';
	const { text } = await call(sandbox.hosts.baseUrl, INFO, sandbox.keys.tps);
	expect(text).toMatch(/"orderid":\d{15}[,}]/);
});
