import {
	newDedicatedProxyOrder,
	newOpenProxyOrder,
	newOverseasProxyOrder,
	newOverseasStaticProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
} from '../../../sandbox/sandbox.mts';
import { accountOf, field, ORDERS } from '../ordering.mts';
import {
	at,
	bought,
	fields,
	having,
	later,
	own,
	set,
	setting,
	tell,
	type Step,
	type Story,
} from '../stories.mts';

/* What the endpoints of orders and accounts answer. Codes of what is wrong are in the table of refusals. */

const COMMON = ['orderid', 'pay_type', 'product', 'status'];
const PREPAID = [...COMMON, 'auto_renew_time_type', 'expire_time', 'is_auto_renew'];
const LOGIN = ['proxy_password', 'proxy_username'];
const OVERSEAS = ['fps_host', 'fps_port_http', 'fps_port_socks', 'transfer_area'];
const TUNNEL = [
	...['tunnel_bandwidth', 'tunnel_host', 'tunnel_password', 'tunnel_port_http'],
	...['tunnel_port_socks', 'tunnel_req', 'tunnel_username'],
];

const login = (name: string) => ({
	proxy_username: `sandbox-order-${name}-proxy-username`,
	proxy_password: `sandbox-order-${name}-proxy-password`,
});

const NOW = '2026-05-01T04:00:00Z';
const STATES = ['VALID', 'WAIT_PAY', 'OPENING', 'EXPIRED', 'OWING', 'CLOSED', 'FORBIDDEN'] as const;

tell({
	'getorderinfo: the fields of each product': [
		['tps getorderinfo', fields(...PREPAID, ...TUNNEL, 'tunnel_period')],
		['tps getorderinfo?field_list=', fields(...PREPAID, ...TUNNEL, 'tunnel_period')],
		['tpsPro getorderinfo', fields(...PREPAID, ...TUNNEL)],
		['opsVip getorderinfo', fields(...PREPAID)],
		['dps getorderinfo', fields(...PREPAID, ...LOGIN)],
		['dpsEven getorderinfo', fields(...PREPAID, ...LOGIN)],
		['kps getorderinfo', fields(...PREPAID, ...LOGIN, 'proxy_count')],
		['kpsExclusive getorderinfo', fields(...PREPAID, ...LOGIN, 'proxy_count')],
		['fps getorderinfo', fields(...PREPAID, ...LOGIN, ...OVERSEAS)],
		['fpsMonthly getorderinfo', fields(...PREPAID, ...LOGIN, ...OVERSEAS)],
		['sfps getorderinfo', fields(...PREPAID, 'proxy_count')],
		['sfpsPackage getorderinfo', fields(...PREPAID, ...LOGIN, 'proxy_count')],
		['dpsPerIp getorderinfo', fields(...COMMON, ...LOGIN)],
		['dpsProfessional getorderinfo', fields(...COMMON, ...LOGIN)],
		['tpsPayAsUsed getorderinfo', fields(...COMMON, ...TUNNEL, 'freeze_amount', 'unit_price')],
	],
	'getorderinfo: what they say': [
		bought('tpsPayAsUsed', { 'tps.period': '0', 'tps.max_rps': '20', 'tps.max_bandwidth': '10' }),
		[
			'own getorderinfo',
			having({
				...{ pay_type: 'POST_PAY', product: 'TPS', status: 'VALID' },
				...{ tunnel_host: 'tunnel.sandbox.invalid', tunnel_port_http: '15818' },
				...{ tunnel_port_socks: '', tunnel_bandwidth: 10, tunnel_req: 20 },
			}),
		],
		async ({ ask, sandbox }) => {
			const [payment] = sandbox.ledger.entries('create');
			const frozen = (Number(payment?.amountInFen) / 100).toFixed(2);
			const { json } = await ask('own getorderinfo?field_list=freeze_amount,unit_price');
			expect(json.data).toEqual({ freeze_amount: frozen, unit_price: frozen });
		},
		['dps getorderinfo?field_list=proxy_username,proxy_password', login('dps')],
		[
			'kpsSeveral getorderinfo?field_list=proxy_username,proxy_password,proxy_count',
			{ ...login('kps-several'), proxy_count: 5 },
		],
		['sfps getorderinfo?field_list=proxy_username,proxy_count', { proxy_count: 3 }],
		[
			'fps getorderinfo?field_list=transfer_area,fps_host,fps_port_http,fps_port_socks',
			{
				...{ transfer_area: 'US', fps_host: 'tunnel.sandbox.invalid' },
				...{ fps_port_http: '18866', fps_port_socks: '18867' },
			},
		],
		['tpsHour getorderinfo?field_list=tunnel_period', { tunnel_period: 3600 }],
		['tpsPayAsUsed getorderinfo?field_list=tunnel_period', {}],
	],
	'getorderinfo: field_list chooses': [
		['tps getorderinfo?field_list=status,orderid', fields('orderid', 'status')],
		['tps getorderinfo?field_list=orderid,,nonsense,orderid,', fields('orderid')],
		['tps getorderinfo?field_list=nonsense', {}],
		['tps getorderinfo?field_list=,', {}],
		['tps getorderinfo?field_list=ORDERID', {}],
		['tps getorderinfo?field_list=orderid,%20status', fields('orderid')],
		setting({ orderNumbers: 'unsafe number' }),
		['tps getorderinfo', /"orderid":\d{15}[,}]/],
	],
	'getorderinfo and getorderexpiretime agree about the end, in China time': [
		set('tps', { expiresAt: new Date('2030-12-31T20:00:00Z') }),
		['tps getorderexpiretime', { expire_time: '2031-01-01 04:00:00' }],
		['tps getorderinfo?field_list=expire_time', { expire_time: '2031-01-01 04:00:00' }],
		['tpsPayAsUsed getorderexpiretime', { expire_time: '' }],
	],
	'setautorenew: the unit and the words': [
		...['DAY', 'WEEK', 'MONTH', 'YEAR'].flatMap((unit): Step[] => [
			[
				`tps setautorenew?autorenew=1&time_type=${unit}`,
				({ json }) =>
					expect(json).toEqual({
						...{ code: 0, data: '' },
						msg: `autorenew by ${unit.toLowerCase()} enabled`,
					}),
			],
			[
				'tps getorderinfo?field_list=is_auto_renew,auto_renew_time_type',
				{ is_auto_renew: true, auto_renew_time_type: unit },
			],
		]),
		['tps setautorenew?autorenew=1', /"autorenew by month enabled"/],
		['tps setautorenew?autorenew=1', 0],
		['tps setautorenew?autorenew=0', /"autorenew disabled"/],
		['tps getorderinfo?field_list=is_auto_renew', { is_auto_renew: false }],
		({ sandbox }) => expect(sandbox.ledger.count()).toBe(0),
		own(newTunnelProxyOrder, { renewal: 'wrong type' }),
		['own setautorenew?autorenew=1', -3],
		own(newTunnelProxyOrder, { renewal: 'virtual number' }),
		['own setautorenew?autorenew=1', -3],
	],
	'getproxyauthorization: the login, hidden or plain': [
		...['dps', 'dpsPerIp', 'kps', 'tps', 'tpsPro', 'fps', 'sfpsPackage'].flatMap((key): Step[] => [
			set(key, { login: { username: 'user', password: 'p:ß@%' } }),
			[`${key} getproxyauthorization`, { type: 'Basic', credentials: 'dXNlcjpwOsOfQCU=' }],
			[
				`${key} getproxyauthorization?plaintext=1`,
				{
					...{ type: 'Basic', credentials: 'dXNlcjpwOsOfQCU=' },
					...{ username: 'user', password: 'p:ß@%' },
				},
			],
		]),
	],
	'getordersecret: the keys of every order of the account, in whatever state': [
		async ({ ask, sandbox }) => {
			for (const { orderId, keys } of sandbox.store.ordersOf(accountOf(sandbox))) {
				const { json } = await ask(`account getordersecret?orderid=${orderId}`);
				expect(json.data).toEqual({ secret_id: keys.secretId, secret_key: keys.secretKey });
			}
		},
		setting({ orderNumbers: '16 digits' }),
		bought('ops'),
		async ({ ask, order, sandbox, theirs }) => {
			const { orderId, keys } = order('own');
			for (const status of ['VALID', 'WAIT_PAY', 'EXPIRED', 'CLOSED', 'FORBIDDEN'] as const) {
				order('own').status = status;
				const { json } = await ask(`account getordersecret?orderid=${orderId}`);
				expect(json.data).toEqual({ secret_id: keys.secretId, secret_key: keys.secretKey });
			}
			expect((await ask(`account getordersecret?orderid=${orderId}%20`)).json.code).toBe(-2);
			const other = newTunnelProxyOrder('other', theirs, new Date());
			const { orderId: ofOthers } = sandbox.store.addOrder(other);
			expect((await ask(`account getordersecret?orderid=${ofOthers}`)).json.code).toBe(-2);
		},
		['tps getordersecret', -3],
		setting({ wrongKeyCode: 'common' }),
		['tps getordersecret', -123],
	],
	'getaccountorders: every sort of order, of this account alone': [
		at(NOW),
		listed('', []),
		oneOfEverySort,
		listed('', ['OPS', 'DPS', 'DPS PRE_PAY_IP', 'KPS', 'TPS', 'TPS POST_PAY', 'FPS', 'SFPS']),
		listed('pay_type=PRE_PAY', ['OPS', 'DPS', 'KPS', 'TPS', 'FPS', 'SFPS']),
		listed('pay_type=POST_PAY', ['TPS POST_PAY']),
		listed('product=DPS', ['DPS', 'DPS PRE_PAY_IP']),
		listed('product=TPS&pay_type=PRE_PAY&status=ALL', ['TPS']),
		listed('product=TPS_PRO', []),
		listed('product=SFPS', ['SFPS']),
		setting({ overseasStaticCode: 'FPS_STATIC' }),
		listed('product=FPS_STATIC', ['FPS_STATIC']),
		setting({ newOrderLagSeconds: 5 }),
		listed('', []),
		later(5000),
		listed('product=KPS', ['KPS']),
	],
	'getaccountorders: states, and what time makes of them': [
		at(NOW),
		oneInEachState,
		...STATES.map((status) => statuses(status, status)),
		statuses('ALL', ...STATES),
		later(21 * 24 * 3600_000),
		statuses('VALID'),
		statuses('EXPIRED', 'EXPIRED', 'EXPIRED'),
		statuses('FORBIDDEN', 'FORBIDDEN'),
		set('own', { status: 'REFUNDED' }),
		statuses('CLOSED', 'CLOSED', 'CLOSED'),
		set('own', { written: { product: 'TPS_X', status: 'RENEWING' } }),
		['theirs getaccountorders?status=ALL', /"product":"TPS_X"/],
		['theirs getaccountorders?status=ALL', /"status":"RENEWING"/],
	],
	'getaccountorders: what is bought, its number, and its end': [
		bought('tps'),
		async ({ ask, order }) => {
			const { json } = await ask('own reneworder?time_type=WEEK&time_number=2');
			const expire_time = field(json.data, 'expire_time');
			const entry = { orderid: order('own').orderId, product: 'TPS', pay_type: 'PRE_PAY' };
			const { data } = (await ask('account getaccountorders')).json;
			expect(data).toContainEqual({ ...entry, status: 'VALID', expire_time });
		},
		['account getaccountorders?pay_type=POST_PAY', /"expire_time":""/],
		setting({ payAsUsedExpiry: 'absent' }),
		['account getaccountorders?pay_type=POST_PAY', /^(?!.*expire_time)/],
		...(
			[
				['15 digits', /"orderid":"\d{15}"/],
				['16 digits', /"orderid":"\d{16}"/],
				['unsafe number', /"orderid":\d{16}[,}]/],
			] as const
		).flatMap(([orderNumbers, written]): Step[] => [
			setting({ orderNumbers }),
			[`account createorder?${new URLSearchParams(ORDERS.ops)}`, written],
			['account getaccountorders?product=OPS', written],
		]),
	],
	'closeorder: a pay-as-used order, once': [
		bought('tpsPayAsUsed'),
		({ sandbox }) => sandbox.ledger.clear(),
		['own closeorder', /"msg":"order closed"/],
		['own closeorder', -2],
		({ order, sandbox }) => {
			expect(order('own').status).toBe('CLOSED');
			expect(sandbox.ledger.count()).toBe(0);
		},
		['own getorderinfo', -102],
		...(['WAIT_PAY', 'OPENING', 'OWING', 'CLOSED', 'FORBIDDEN', 'REFUNDED'] as const).flatMap(
			(status): Step[] => [
				set('own', { status }),
				['own closeorder', -2],
				({ order }) => expect(order('own').status).toBe(status),
			],
		),
		set('own', { status: 'EXPIRED' }),
		['own closeorder', -102],
		// The type is looked at before the state
		set('tps', { status: 'CLOSED' }),
		['tps closeorder', -3],
		setting({ wrongKeyCode: 'common' }),
		['account closeorder', -123],
	],
	'getaccountbalance and getmyip': [
		({ sandbox }) => (accountOf(sandbox).balanceInFen = 100_005),
		['account getaccountbalance', { balance: '1000.05' }],
		['account getmyip', { ip: '127.0.0.1' }],
		setting({ clientAddress: '192.0.2.8' }),
		['account getmyip', { ip: '192.0.2.8' }],
		({ sandbox }) => (accountOf(sandbox).apiWhitelist = ['127.0.0.1']),
		['account getmyip', -108],
	],
	'getipbalance: what is left of an order, or of its day': [
		own(newPrivateProxyOrder, { payType: 'PRE_PAY_IP', ipCount: 5000 }),
		['own getipbalance', { balance: 5000 }],
		set('own', { ipBalance: 0 }),
		['own getipbalance', { balance: 0 }],
		own(newPrivateProxyOrder, { fetchType: 2, ipCount: 3000 }),
		['own getipbalance', { balance: 3000 }],
		bought('dpsConcentrated'),
		['own getipbalance', { balance: 1000 }],
		bought('dpsPerIp'),
		['own reneworder?dps.ip_count=2000', 0],
		['own getipbalance', { balance: 3000 }],
		// There is no parameter to miss: only a fault brings it about
		({ sandbox }) => sandbox.faults.add({ kind: 'code', code: -1 }),
		['own getipbalance', /"msg":"缺少参数"/],
	],
	'getfpsflow: what was bought, used, and is left, in MB, by day': [
		['fps getfpsflow', { flow_total: 1024, flow_use: 0, flow_left: 1024 }],
		...['fps', 'fpsMonthly'].map((key) =>
			set(key, { flowUsedInMb: { '2026-05-02': 12.5, '2026-05-01': 100, '2026-05-03': 0.25 } }),
		),
		['fps getfpsflow', { flow_total: 1024, flow_use: 112.75, flow_left: 911.25 }],
		['fpsMonthly getfpsflow', { flow_use: 112.75 }],
		[
			'fps getfpsflow?start_time=2026-05-02',
			{
				...{ flow_total: 1024, flow_use: 12.75, flow_left: 911.25 },
				flow_daily_usage: { '2026-05-02': 12.5, '2026-05-03': 0.25 },
			},
		],
		['fps getfpsflow?end_time=2026-05-01', having({ flow_daily_usage: { '2026-05-01': 100 } })],
		[
			'fps getfpsflow?start_time=2026-05-04&end_time=2026-05-09',
			having({ flow_use: 0, flow_daily_usage: {} }),
		],
		['fps reneworder?fps.flow=6', 0],
		['fps getfpsflow', having({ flow_total: 7168, flow_left: 7055.25 })],
	],
	// What a change does to the list is in test/operations
	'the whitelist: words, wrong addresses, and the own one where none is named': [
		['dps setipwhitelist?iplist=1.1.1.1,2.2.2.2', /"ip whitelist updated to 1.1.1.1,2.2.2.2"/],
		['dps addwhiteip?iplist=3.3.3.3', /"3.3.3.3 add to ip whitelist"/],
		['dps addwhiteip?iplist=3.3.3.3,1.1.1.1', 0],
		['dps delwhiteip?iplist=3.3.3.3,1.1.1.1', /"3.3.3.3,1.1.1.1 deleted from ip whitelist"/],
		['dps delwhiteip?iplist=9.9.9.9,no address', 0],
		['kps getipwhitelist', having({ count: 0 })],
		...['', '1.1.1', '1.1.1.1,', '1.1.1.1,%202.2.2.2', 'example.com', '2001:db8::1'].map(
			(wrong): Step => [`dps addwhiteip?iplist=${wrong}`, -4],
		),
		['dps setipwhitelist?iplist=1.1.1.256', -4],
		...['10.1.2.3', '172.16.0.1', '192.168.1.1', '127.0.0.2', '169.254.1.1', '100.64.0.1'].flatMap(
			(inside): Step[] => [
				[`dps addwhiteip?iplist=1.1.1.1,${inside}`, -6],
				[`dps setipwhitelist?iplist=${inside}`, -6],
			],
		),
		['dps addwhiteip?iplist=172.32.0.1,100.128.0.1', 0],
		['dps delwhiteip?iplist=172.32.0.1,100.128.0.1', 0],
		['dps setipwhitelist?iplist=,', -4],
		['dps delwhiteip', -1],
		['dps delwhiteip?iplist=', -7],
		['dps getipwhitelist', having({ ipwhitelist: ['2.2.2.2'] })],
		setting({ clientAddress: '192.0.2.8' }),
		['dps addwhiteip', 0],
		['dps getipwhitelist', having({ ipwhitelist: ['192.0.2.8', '2.2.2.2'] })],
		['dps setipwhitelist', 0],
		['dps getipwhitelist', having({ ipwhitelist: ['192.0.2.8'] })],
	],
	'the whitelist has a limit, beyond which nothing is changed': [
		[`tps setipwhitelist?iplist=${addresses(51)}`, -5],
		['tps getipwhitelist', having({ count: 0, limit: 50 })],
		[`tps setipwhitelist?iplist=${addresses(50)}`, 0],
		['tps addwhiteip?iplist=1.1.1.1', -5],
		['tps addwhiteip?iplist=8.8.8.0', 0],
		...[newPrivateProxyOrder, newDedicatedProxyOrder].flatMap((make): Step[] => [
			own(make, { whiteipCount: 60 }),
			[`own setipwhitelist?iplist=${addresses(60)}`, 0],
			['own getipwhitelist', having({ count: 60, limit: 60 })],
		]),
	],
	'each change of the whitelist takes effect a minute later': [
		['dps setipwhitelist?iplist=1.1.1.1', 0],
		admitted(),
		later(30_000),
		['dps setipwhitelist?iplist=2.2.2.2', 0],
		later(29_000),
		admitted(),
		later(1000),
		admitted('1.1.1.1'),
		later(30_000),
		admitted('2.2.2.2'),
		['dps delwhiteip?iplist=2.2.2.2', 0],
		admitted('2.2.2.2'),
		later(60_000),
		admitted(),
		setting({ whitelistWhileChanging: 'refuse' }),
		['dps setipwhitelist?iplist=1.1.1.1', 0],
		['dps setipwhitelist?iplist=2.2.2.2', -1],
		later(60_000),
		['dps setipwhitelist?iplist=2.2.2.2', 0],
	],
	'getua: as many as the account has paid for, an order the same': [
		...[
			[0, 3],
			[1_00, 3],
			[1_01, 30],
			[5_000_01, 100],
			[10_000_01, 300],
		].flatMap(([spentInFen = 0, most = 0]): Step[] => [
			({ sandbox }) => (accountOf(sandbox).spentInFen = spentInFen),
			[`account getua?num=${most + 1}`, having({ count: most })],
			[`dps getua?num=${most}`, having({ count: most })],
		]),
	],
	'getua: nobody who has not paid asks more than once a second': [
		async ({ ask, sandbox }) => {
			const measured = jest.spyOn(sandbox.limits, 'refusal');
			accountOf(sandbox).spentInFen = 1_00;
			await ask('account getua?num=1');
			accountOf(sandbox).spentInFen = 1_01;
			await ask('account getua?num=1');
			const rules = measured.mock.calls.map(([, each]) => each);
			expect(rules).toEqual([1000, 200].map((intervalMs) => [{ intervalMs, code: -120 }]));
		},
	],
	'getua: of these devices, platforms, and browsers': [
		({ sandbox }) => (accountOf(sandbox).spentInFen = 1_000_000_00),
		...Object.entries({
			'dt=pc': /Windows|Macintosh|X11/,
			'dt=mobile': /iPhone|Android/,
			'dt=pad': /iPad|Android/,
			'platform=win': /Windows NT/,
			'platform=macos': /Macintosh/,
			'platform=linux': /X11/,
			'platform=ios': /iPhone|iPad/,
			'platform=android': /Android/,
			'browser=chrome': /Chrome\/|CriOS\//,
			'browser=firefox': /Firefox\/|FxiOS\//,
			'browser=ie': /MSIE|Trident/,
			'browser=weixin': /MicroMessenger/,
			'platform=win,ios&browser=ie,weixin': /MSIE|Trident|MicroMessenger/,
		}).map(([query, form]): Step => [`account getua?num=300&${query}`, userAgents(5, form)]),
		['account getua?num=300&dt=all&platform=all&browser=all,all', userAgents(200, /^Mozilla/)],
		['account getua?num=300&browser=ie&platform=macos', { count: 0, ua_list: [] }],
	],
});

/** Of another account. */
function oneOfEverySort({ theirs, add }: Story): void {
	const now = new Date(NOW);
	for (const order of [
		newOpenProxyOrder('list-ops', theirs, now, { plan: 'VIP' }),
		newPrivateProxyOrder('list-dps', theirs, now),
		newPrivateProxyOrder('list-dps-per-ip', theirs, now, { payType: 'PRE_PAY_IP' }),
		newDedicatedProxyOrder('list-kps', theirs, now),
		newTunnelProxyOrder('list-tps', theirs, now),
		newTunnelProxyOrder('list-tps-pay-as-used', theirs, now, { payType: 'POST_PAY' }),
		newOverseasProxyOrder('list-fps', theirs, now),
		newOverseasStaticProxyOrder('list-sfps', theirs, now),
	]) {
		add(order);
	}
}

function oneInEachState({ theirs, add }: Story): void {
	const expiresAt = new Date('2026-05-22T04:00:00Z');
	for (const status of STATES) {
		add(newTunnelProxyOrder(`state-${status}`, theirs, new Date(NOW), { status, expiresAt }));
	}
}

/** The products of what is listed, each with its way of paying if that is not by time. */
function listed(query: string, products: readonly string[]): Step {
	return async ({ ask, sandbox }) => {
		const { code, data } = (await ask(`theirs getaccountorders?${query}`)).json;
		expect({ query, code, data }).toEqual({
			...{ query, code: 0 },
			data: products.map((each) => {
				const [product, pay_type = 'PRE_PAY'] = each.split(' ');
				const expire_time = pay_type === 'POST_PAY' ? '' : '2026-05-31 12:00:00';
				const orderid = expect.stringMatching(/^9\d{14}$/);
				return { orderid, pay_type, product, status: 'VALID', expire_time };
			}),
		});
		expect(sandbox.log.last()?.workDone).toBe(true);
	};
}

function statuses(asked: string, ...expected: readonly string[]): Step {
	return [
		`theirs getaccountorders?status=${asked}`,
		expected.map((status) => expect.objectContaining({ status })),
	];
}

function addresses(count: number): string {
	return Array.from({ length: count }, (_, index) => `8.8.8.${index}`).join(',');
}

function admitted(...expected: string[]): Step {
	return ({ order, sandbox }) =>
		expect(
			['1.1.1.1', '2.2.2.2'].filter((each) => sandbox.whitelists.admits(order('dps'), each)),
		).toEqual(expected);
}

/** At least so many, all different, each of this form. */
function userAgents(least: number, form: RegExp) {
	return ({ json }: { json: { data: unknown } }) => {
		const { count, ua_list: list } = Object(json.data);
		expect(list).toEqual(Array(count).fill(expect.stringMatching(form)));
		expect(new Set(list).size).toBe(count);
		expect(count).toBeGreaterThan(least);
	};
}
