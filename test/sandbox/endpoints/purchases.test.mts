import {
	newDedicatedProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
} from '../../../sandbox/sandbox.mts';
import type { Reply } from '../client.mts';
import { accountOf, create, ORDERS, orderOf, type OrderName } from '../ordering.mts';
import { at, bought, having, later, own, set, setting, tell, type Step } from '../stories.mts';

/* What is bought and renewed, for how much. Ranges and codes of what is wrong are in the table of refusals. */

const DAY = 'time_type=DAY&time_number=1';

const buying = (parameters: Readonly<Record<string, string>>) =>
	`account createorder?${new URLSearchParams(parameters)}`;

const OPS = buying(ORDERS.ops);

const is =
	(fields: object): Step =>
	({ order }) =>
		expect(order('own')).toMatchObject(fields);

/** Whether the last purchase cost this many fen, and no other was paid since. */
const costs =
	(amountInFen: number): Step =>
	({ sandbox }) => {
		expect(sandbox.ledger.entries()).toMatchObject([{ amountInFen }]);
		sandbox.ledger.clear();
	};

const costsNothing: Step = ({ sandbox }) => expect(sandbox.ledger.count()).toBe(0);

const has =
	(balanceInFen: number): Step =>
	({ sandbox }) => {
		accountOf(sandbox).balanceInFen = balanceInFen;
	};

const prepaid = {
	...{ payType: 'PRE_PAY', status: 'VALID', notify: true, renewal: 'possible' },
	autoRenewal: { enabled: false, unit: 'MONTH' },
};

/** With the defaults. */
const BOUGHT: Record<OrderName, object> = {
	tps: { ...prepaid, product: 'TPS', period: 0, maxRps: 5, maxBandwidth: 5 },
	tpsPayAsUsed: {
		...{ payType: 'POST_PAY', product: 'TPS', period: 60, maxRps: 5, maxBandwidth: 3 },
		expiresAt: undefined,
	},
	dpsEven: {
		...{ ...prepaid, product: 'DPS', fetchType: 1, period: 'M_3_5', ipCount: 2500 },
		...{ ipBalance: undefined, whiteipCount: 50 },
	},
	dpsConcentrated: { ...prepaid, product: 'DPS', fetchType: 2, period: 'M_1_5', ipCount: 1000 },
	dpsPerIp: {
		...{ payType: 'PRE_PAY_IP', product: 'DPS', fetchType: undefined, period: 'M_1_5' },
		...{ ipCount: 1000, ipBalance: 1000 },
	},
	kpsStatic: {
		...{ ...prepaid, product: 'KPS', series: 'shared', model: 'STA', maxBandwidth: 1 },
		...{ city: expect.stringMatching(/^(\d{2}){1,2}$/), ipCount: 1, whiteipCount: 50 },
	},
	kpsDynamic: { ...prepaid, product: 'KPS', series: 'shared', model: 'DYN' },
	kpsExclusive: { ...prepaid, product: 'KPS', series: 'exclusive', model: undefined },
	ops: { ...prepaid, product: 'OPS', plan: 'VIP' },
};

const NAMES = Object.keys(ORDERS).filter((name): name is OrderName => name in ORDERS);

/** A shared dedicated order, by its code. */
const shared = (city: string, count: number, code: number, bandwidth = 1): Step => [
	buying({
		...{ ...ORDERS.kpsStatic, 'kps.city': city, 'kps.ip_count': String(count) },
		'kps.max_bandwidth': String(bandwidth),
	}),
	code,
];

const exclusive = (city: string, code: number): Step => [
	buying({ ...ORDERS.kpsExclusive, 'kps.city': city, 'kps.ip_count': '10' }),
	code,
];

const stocked: Step = ({ sandbox }) =>
	sandbox.stock.splice(
		0,
		Infinity,
		{ code: '3301', name: '杭州市', sharedMegabits: 12, hasExclusive: true },
		{ code: '3302', name: '宁波市', sharedMegabits: 20, hasExclusive: false },
		{ code: '11', name: '北京市', sharedMegabits: 0, hasExclusive: true },
	);

/** -5 when one fen is missing, and nothing changes; then with the last fen. */
function toTheLastFen(query: string): Step {
	return async ({ ask, order, sandbox }) => {
		const untouched = { ...order('own') };
		const codeOf = async () => (await ask(`own reneworder?${query}`)).json.code;
		expect(await codeOf()).toBe(0);
		const price = sandbox.ledger.total('renew');
		Object.assign(order('own'), untouched);
		accountOf(sandbox).balanceInFen = price - 1;
		expect(await codeOf()).toBe(-5);
		expect(order('own')).toEqual(untouched);
		expect(accountOf(sandbox).balanceInFen).toBe(price - 1);
		accountOf(sandbox).balanceInFen = price;
		expect(await codeOf()).toBe(0);
		expect(accountOf(sandbox).balanceInFen).toBe(0);
		sandbox.ledger.clear();
		accountOf(sandbox).balanceInFen = 1_000_000_00;
	};
}

/** Until when an order of this time is that is bought at this moment. */
const until = (now: string, unit: string, number: string, end: string): Step[] => [
	at(now),
	bought('ops', { 'prepay.time_type': unit, 'prepay.time_number': number }),
	// The clock goes on, but not by a minute
	['own getorderexpiretime', { expire_time: expect.stringMatching(`^${end}:`) }],
];

tell({
	'createorder: an order of every sort, with keys of its own and the defaults': [
		...NAMES.flatMap((name): Step[] => [bought(name), is(BOUGHT[name])]),
		({ sandbox }) => {
			const made = sandbox.store.orders.slice(-NAMES.length);
			expect(new Set(made.map(({ orderId }) => orderId)).size).toBe(NAMES.length);
			expect(new Set(made.map(({ keys }) => keys.secretId)).size).toBe(NAMES.length);
			expect(new Set(made.map(({ keys }) => keys.secretKey)).size).toBe(NAMES.length);
			expect(new Set(made.map(({ account }) => account))).toEqual(new Set([accountOf(sandbox)]));
			for (const { amountInFen } of sandbox.ledger.entries()) {
				expect(Number.isSafeInteger(amountInFen) && amountInFen > 0).toBe(true);
			}
		},
		bought('tps', {
			...{ 'prepay.is_auto_renew': '1', 'prepay.auto_renew_unit': 'YEAR' },
			...{ 'tps.max_rps': '1000', 'tps.max_bandwidth': '80', is_notify: '0' },
		}),
		is({ maxRps: 1000, maxBandwidth: 80, notify: false }),
		is({ autoRenewal: { enabled: true, unit: 'YEAR' } }),
		bought('tps', { 'prepay.is_auto_renew': '1' }),
		is({ autoRenewal: { enabled: true, unit: 'MONTH' } }),
		bought('kpsStatic', {
			// Orders without a city may have some of it
			...{ 'kps.city': '3301', 'kps.max_bandwidth': '6', 'kps.ip_count': '3' },
			'kps.whiteip_count': '200',
		}),
		is({ city: '3301', maxBandwidth: 6, ipCount: 3, whiteipCount: 200 }),
		setting({ inapplicableParameters: 'ignore' }),
		bought('dpsPerIp', { 'dps.fetch_type': '9', 'prepay.is_auto_renew': '1', format: 'xml' }),
		is({ fetchType: undefined, autoRenewal: { enabled: false, unit: 'MONTH' } }),
	],
	'createorder: what is bought can be used at once, until its end': [
		bought('ops'),
		['own getproxy?num=3&format=json&quality=1', having({ count: 3 })],
		...until('2026-03-10T20:00:00Z', 'DAY', '15', '2026-03-26 04:00'),
		...until('2026-03-10T20:00:00Z', 'WEEK', '3', '2026-04-01 04:00'),
		...until('2026-03-10T20:00:00Z', 'MONTH', '9', '2026-12-11 04:00'),
		// In China it is the 31st already, and the 1st already
		...until('2026-01-30T18:00:00Z', 'MONTH', '1', '2026-02-28 02:00'),
		...until('2026-01-31T18:00:00Z', 'MONTH', '1', '2026-03-01 02:00'),
		...until('2028-02-28T18:00:00Z', 'YEAR', '1', '2029-02-28 02:00'),
		bought('tps'),
		later(24 * 3600_000 - 60_000),
		['own getorderexpiretime', 0],
		later(60_001),
		['own getorderexpiretime', -102],
	],
	'createorder: what is wrong is named': [
		[buying({ ...ORDERS.tps, 'tps.max_rps': '4' }), /tps\.max_rps/],
		['account createorder?product=OPS', /pay_type/],
		[OPS.replace('account', 'tps'), -3],
		setting({ wrongKeyCode: 'common' }),
		[OPS.replace('account', 'tps'), -123],
		setting({ wrongKeyCode: 'endpoint' }),
		['tps getaccountbalance', -3],
		costsNothing,
	],
	'createorder: money is taken once, and -4 comes when one fen is missing': [
		has(300),
		[OPS, 0],
		costs(300),
		has(299),
		[OPS, -4],
		costsNothing,
		['account getaccountbalance', { balance: '2.99' }],
		has(300),
		[OPS, 0],
		['account getaccountbalance', { balance: '0.00' }],
	],
	'createorder: -71 and -72 for orders paid as used': [
		({ sandbox }) => (accountOf(sandbox).payAsUsed = 'conditions not met'),
		[buying(ORDERS.tpsPayAsUsed), -71],
		[buying(ORDERS.tps), 0],
		({ sandbox }) => (accountOf(sandbox).payAsUsed = 'fails'),
		[buying(ORDERS.tpsPayAsUsed), -72],
		({ sandbox }) => expect(sandbox.ledger.count()).toBe(1),
	],
	'createorder: -61 and -62, no more dedicated proxies than a region has': [
		stocked,
		shared('3301', 13, -62),
		shared('3301', 3, -62, 6),
		shared('3301', 2, -62, 10),
		shared('3301', 2, 0, 6),
		shared('3301', 1, -61),
		stocked,
		shared('33', 21, -62),
		shared('33', 15, 0),
		shared('33', 13, -62),
		shared('', 12, 0),
		shared('', 5, 0),
		...['11', '1101', '9999', '33', ''].map((region) => shared(region, 1, -61)),
		stocked,
		exclusive('11', 0),
		exclusive('3301', 0),
		exclusive('3302', -61),
		// Which takes nothing from the shared ones; nor does what is refused
		has(0),
		shared('3301', 12, -4),
		has(100_000_00),
		shared('3301', 12, 0),
	],
	'reneworder: a prepaid order goes on from its end': [
		at('2026-05-01T00:00:00Z'),
		...(['tps', 'dpsEven', 'dpsConcentrated', 'kpsStatic', 'kpsDynamic', 'ops'] as const).flatMap(
			(name): Step[] => [
				bought(name),
				[
					'own reneworder?time_type=WEEK&time_number=2',
					({ json }: Reply) =>
						expect(json).toEqual({
							...{ code: 0, msg: 'renew order success' },
							data: {
								orderid: expect.stringMatching(/^\d{15}$/),
								expire_time: expect.stringMatching(/^2026-05-16 08:00:\d\d$/),
							},
						}),
				],
				['own getorderexpiretime', { expire_time: expect.stringMatching(/^2026-05-16 08:00/) }],
			],
		),
		later(3600_000),
		['own reneworder?time_type=WEEK&time_number=1', /"2026-05-23 08:00/],
		['fpsMonthly reneworder?fps.flow=1', -1],
		[`fpsMonthly reneworder?${DAY}`, 0],
		set('own', { expiresAt: new Date('2026-05-01T00:59:00Z') }),
		[`own reneworder?${DAY}`, -102],
		bought('tps'),
		set('own', { status: 'WAIT_PAY' }),
		[`own reneworder?${DAY}`, -102],
		own(newTunnelProxyOrder, { renewal: 'virtual number' }),
		[`own reneworder?${DAY}`, -4],
		own(newTunnelProxyOrder, { renewal: 'wrong type' }),
		[`own reneworder?${DAY}`, -7],
	],
	'reneworder: auto-renewal is set with it, and off when it is not sent': [
		bought('tps'),
		...(
			[
				['&is_auto_renew=1', { enabled: true, unit: 'MONTH' }],
				['&is_auto_renew=1&auto_renew_unit=YEAR', { enabled: true, unit: 'YEAR' }],
				['&is_auto_renew=0', { enabled: false, unit: 'MONTH' }],
				['', { enabled: false, unit: 'MONTH' }],
			] as const
		).flatMap(([further, autoRenewal]): Step[] => [
			[`own reneworder?${DAY}${further}`, 0],
			is({ autoRenewal }),
		]),
		[`own reneworder?${DAY}&is_notify=0`, 0],
		is({ notify: false }),
	],
	'reneworder: a pay-per-IP order gets more addresses, an overseas one more traffic': [
		own(newPrivateProxyOrder, { payType: 'PRE_PAY_IP', ipCount: 1000, ipBalance: 400 }),
		[
			'own reneworder?dps.ip_count=2000',
			{ orderid: expect.any(String), expire_time: expect.any(String), ip_balance: 2400 },
		],
		is({ ipCount: 3000, ipBalance: 2400 }),
		// Its end never comes nearer
		async ({ ask, order, sandbox }) => {
			const expiresAt = new Date(sandbox.clock.milliseconds() + 2 * 365 * 24 * 3600_000);
			order('own').expiresAt = expiresAt;
			expect((await ask('own reneworder?dps.ip_count=1000')).json.code).toBe(0);
			expect(order('own').expiresAt).toEqual(expiresAt);
		},
		['fps reneworder?fps.flow=6', { orderid: expect.any(String), expire_time: expect.any(String) }],
		({ order }) => expect(order('fps')).toMatchObject({ flowInGb: 7 }),
		own(newPrivateProxyOrder, { payType: 'PRE_PAY_IP', period: 'H_2_4' }),
		['own reneworder?dps.ip_count=100', 0],
		['own reneworder?dps.ip_count=100100', -2],
	],
	'reneworder: -5 when one fen is missing, and nothing changes': [
		own(newTunnelProxyOrder, {}),
		toTheLastFen(DAY),
		own(newPrivateProxyOrder, { payType: 'PRE_PAY_IP' }),
		toTheLastFen('dps.ip_count=1000'),
		own(newDedicatedProxyOrder, { series: 'exclusive' }),
		toTheLastFen('time_type=MONTH&time_number=1'),
	],
	'reneworder: -6 beyond three years from now, or another bound': [
		bought('tps', { 'prepay.time_type': 'YEAR', 'prepay.time_number': '2' }),
		['own reneworder?time_type=YEAR&time_number=1', 0],
		['own reneworder?time_type=WEEK&time_number=1', -6],
		setting({ longestTerm: { unit: 'DAY', number: 2 } }),
		async ({ add, ask, sandbox }) => {
			jest.spyOn(Date, 'now').mockReturnValue(Date.now());
			const order = orderOf(sandbox, await create(sandbox, ORDERS.tps));
			add(order);
			const end = order.expiresAt?.getTime() ?? 0;
			expect((await ask(`own reneworder?${DAY}`)).json.code).toBe(0);
			order.expiresAt = new Date(end + 1);
			expect((await ask(`own reneworder?${DAY}`)).json.code).toBe(-6);
			jest.restoreAllMocks();
		},
	],
});
