import {
	newDedicatedProxyOrder,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
} from '../../../sandbox/sandbox.mts';
import type { Reply } from '../client.mts';
import { accountOf, ORDERS, type OrderName } from '../ordering.mts';
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

const NAMES = Object.keys(ORDERS).filter((name): name is OrderName => name in ORDERS);

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
	'createorder: an order of every sort, with keys of its own': [
		...NAMES.map((name) => bought(name)),
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
			...{ 'tps.max_rps': '1000', 'tps.max_bandwidth': '80' },
		}),
		is({ maxRps: 1000, maxBandwidth: 80 }),
		is({ autoRenewal: { enabled: true, unit: 'YEAR' } }),
		bought('tps', { 'prepay.is_auto_renew': '1' }),
		is({ autoRenewal: { enabled: true, unit: 'MONTH' } }),
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
	'reneworder: -6 beyond three years from now': [
		bought('tps', { 'prepay.time_type': 'YEAR', 'prepay.time_number': '2' }),
		['own reneworder?time_type=YEAR&time_number=1', 0],
		['own reneworder?time_type=WEEK&time_number=1', -6],
	],
});
