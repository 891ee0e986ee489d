import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { KeyName } from '../extracting.mts';
import { ROWS } from './endpointRows.mts';

/*
 * Refusals of the endpoints that spend money or quota, or change an order: parameters that are missing, out of range, of
 * the wrong kind or without effect, and the code that they get. One test runs them all. What others refuse shows in the
 * tests of the node, which say for each operation what is sent.
 */

export interface Refusals {
	path: string;
	host?: keyof Sandbox['hosts'];
	key: KeyName;
	/** Parameters that work. */
	works: string;
	/**
	 * What each code is for, 0 included: `num=0|x` puts these values in place of one that works, `-num`
	 * leaves it out, `@tps` asks with another key. Several of them stand with a blank between.
	 */
	codes: Readonly<Record<number, readonly string[]>>;
	/** The code for what has no effect, and which these are. A setting has them ignored. */
	withoutEffect?: number;
	ignorable?: readonly string[];
}

/** A whole number of a range: just inside and just outside of it, off its step, and no whole number. */
function range(
	name: string,
	least: number,
	most: number,
	step = 1,
): [right: string, wrong: string] {
	const right = new Set([least, most, ...(least + step <= most ? [least + step] : [])]);
	const off = step > 1 ? [least + 1, most - 1, least + step / 2] : [];
	const wrong = [least - step, most + step, -least, ...off];
	const odd = ['', `${least}.0`, `0${least}`, '1e3'];
	return [`${name}=${[...right].join('|')}`, `${name}=${[...wrong, ...odd].join('|')}`];
}

type Ranges = ReadonlyArray<readonly [of: string, ...range: Parameters<typeof range>]>;

/** The codes of ranges, each in calls with these further parameters. */
function ranges(wrong: number, rows: Ranges): Record<number, string[]> {
	const texts = rows.map(([of, ...each]) => range(...each).map((text) => `${of} ${text}`));
	return { 0: texts.map(([right = '']) => right), [wrong]: texts.map(([, bad = '']) => bad) };
}

const DAY = 'pay_type=PRE_PAY&prepay.time_type=DAY';
const TERMS: Array<[unit: string, most: number]> = [
	['DAY', 15],
	['WEEK', 3],
	['MONTH', 9],
	['YEAR', 3],
];

const buying = (works: string, codes: Refusals['codes'], ...ignorable: string[]): Refusals => ({
	...{ path: 'createorder', key: 'account', works, codes },
	...{ withoutEffect: -2, ignorable },
});

const SHARED = `product=KPS&${DAY}&kps.serie=1&kps.model=STA&kps.max_bandwidth=1&kps.ip_count=1`;
const EXCLUSIVE =
	'product=KPS&pay_type=PRE_PAY&prepay.time_type=MONTH&kps.serie=2&kps.max_bandwidth=1&kps.ip_count=1';

/** Every parameter of an order is required; what each may be is in the table of order cases. */
const PURCHASES: readonly Refusals[] = [
	buying(
		`product=OPS&${DAY}&ops.plan=2`,
		{
			0: [
				'prepay.time_type=DAY|WEEK|MONTH|YEAR',
				'is_notify=0|1',
				'is_coupon=0|1',
				'prepay.is_auto_renew=0|1',
				'prepay.is_auto_renew=1 prepay.auto_renew_unit=DAY|WEEK|MONTH|YEAR',
			],
			[-1]: ['-product', '-pay_type', '-prepay.time_type', '-ops.plan'],
			[-2]: [
				'product=TPS_PRO|FPS|SFPS|ops|OPS%20|X|',
				'pay_type=PREPAY|pre_pay|PRE_PAY_GB|',
				'ops.plan=0|VIP|',
				'prepay.time_type=day|HOUR|DAYS|',
				'is_notify=2|true|',
				'is_coupon=2|true|',
				'prepay.is_auto_renew=2|true|',
				'prepay.is_auto_renew=1 prepay.auto_renew_unit=day|',
			],
			[-5]: ['pay_type=PRE_PAY_IP|POST_PAY'],
			[-123]: [],
		},
		'prepay.auto_renew_unit=MONTH',
		'prepay.is_auto_renew=0 prepay.auto_renew_unit=MONTH',
		...['tps.max_rps=5', 'time_type=DAY', 'format=xml', 'prepay=x'],
	),
	buying(
		`product=TPS&${DAY}&tps.period=0`,
		{
			[-1]: ['-tps.period', '-prepay.time_type'],
			[-2]: ['tps.period=-15|00|15.0|', range('tps.max_rps', 5, 1000)[1]],
			[-5]: ['pay_type=PRE_PAY_IP'],
		},
		...['dps.period=M_1_5', 'kps.city='],
	),
	buying(
		'product=TPS&pay_type=POST_PAY&tps.period=60',
		{ [-1]: ['-tps.period'] },
		...['prepay.time_type=DAY', 'prepay.time_number=1', 'prepay.is_auto_renew=0'],
	),
	buying(
		`product=DPS&${DAY}&dps.fetch_type=1&dps.period=M_3_5&dps.ip_count=2500`,
		{
			[-1]: ['-dps.fetch_type', '-dps.period', '-dps.ip_count', '-prepay.time_type'],
			[-2]: ['dps.fetch_type=0|2|3|', 'dps.period=M_1_5|M_20_30|H_2_4|M_1|m_3_5|3|'],
			[-5]: ['pay_type=POST_PAY'],
		},
		'tps.period=0',
	),
	buying(`product=DPS&${DAY}&dps.fetch_type=2&dps.period=M_1_5&dps.ip_count=1000`, {
		[-2]: ['dps.period=M_3_5|M_10_30|H_3_4|M_1|M_30|', 'dps.fetch_type=1'],
	}),
	buying(
		'product=DPS&pay_type=PRE_PAY_IP&dps.period=M_1_5&dps.ip_count=1000',
		{ [-1]: ['-dps.period', '-dps.ip_count'], [-2]: ['dps.period=M_10_30|H_3_4|M_01|'] },
		...['prepay.time_type=DAY', 'dps.fetch_type=1|9', 'prepay.is_auto_renew=1', 'tps.period=never'],
	),
	buying(
		SHARED,
		{
			0: ['kps.ip_count=1|2', 'kps.city=|33|3301', range('kps.whiteip_count', 50, 200)[0]],
			[-1]: [
				...['-kps.serie', '-kps.model', '-kps.max_bandwidth', '-kps.ip_count'],
				'-prepay.time_type',
			],
			[-2]: [
				'kps.serie=0|3|shared|',
				'kps.model=STD|sta|',
				'kps.model=DYN kps.max_bandwidth=2|4|6|10',
				'kps.ip_count=0|-1|1.5|01|x|',
				'kps.city=3|33010|cn|杭州|330%20|-33',
				range('kps.whiteip_count', 50, 200)[1],
			],
			[-5]: ['pay_type=PRE_PAY_IP|POST_PAY'],
		},
		'ops.plan=2',
	),
	buying(
		EXCLUSIVE,
		{
			[-1]: ['-kps.serie', '-kps.max_bandwidth', '-kps.ip_count', '-prepay.time_type'],
			[-2]: [range('kps.ip_count', 1, 10)[1], range('kps.whiteip_count', 50, 200)[1]],
		},
		'kps.model=STA',
	),
];

const renewing = (
	key: KeyName,
	works: string,
	codes: Refusals['codes'],
	...ignorable: string[]
): Refusals => ({ path: 'reneworder', key, works, codes, withoutEffect: -2, ignorable });

const RENEWALS: readonly Refusals[] = [
	renewing(
		'tps',
		'time_type=DAY&time_number=1',
		{
			[-1]: ['-time_type -time_number', '-time_type', '-time_number', '@fpsMonthly -time_type'],
			[-2]: [
				'time_type=day|',
				'is_auto_renew=2|',
				'is_auto_renew=1 auto_renew_unit=HOUR',
				'is_notify=yes',
				'@kpsExclusive time_type=DAY|WEEK',
				'@kpsExclusive time_type=MONTH is_auto_renew=1 auto_renew_unit=DAY|WEEK',
			],
			0: [
				'@kpsExclusive time_type=MONTH|YEAR',
				'@kpsExclusive time_type=MONTH is_auto_renew=1 auto_renew_unit=MONTH|YEAR',
				'@fpsMonthly',
			],
			[-3]: ['@tpsPayAsUsed', '@tpsPayAsUsed -time_type -time_number'],
			[-7]: ['@sfps', '@topUp'],
			[-102]: ['@opsExpired'],
			[-123]: ['@account'],
		},
		...['auto_renew_unit=DAY', 'dps.ip_count=1000', 'prepay.time_type=DAY', 'is_coupon=0'],
		'@dpsEven dps.ip_count=2500',
	),
	renewing(
		'tps',
		'time_type=DAY&time_number=1',
		ranges(
			-2,
			TERMS.map(([unit, most]) => [`time_type=${unit}`, 'time_number', 1, most]),
		),
	),
	renewing(
		'dpsPerIp',
		'dps.ip_count=1000',
		{ [-1]: ['-dps.ip_count', '-dps.ip_count is_notify=1'] },
		...['time_type=DAY', 'is_auto_renew=0', 'fps.flow=1'],
	),
	renewing(
		'dpsPerIp',
		'dps.ip_count=1000',
		ranges(-2, [
			['', 'dps.ip_count', 1000, 1_000_000, 1000],
			['@dpsProfessional', 'dps.ip_count', 1000, 1_000_000, 1000],
		]),
	),
	renewing('fps', 'fps.flow=1', {
		0: ['fps.flow=1|6|10|35|110|200|500|1000'],
		[-1]: ['-fps.flow', '@fpsMonthly'],
		[-2]: ['fps.flow=0|2|5|100|1001|-1|1.0|01||x'],
	}),
];

/** At the host that the endpoint's row names, unless another one is given. */
const refusing = (
	[path, key, works, host]: [path: string, key: KeyName, works?: string, host?: Refusals['host']],
	codes: Refusals['codes'],
	withoutEffect?: number,
	...ignorable: string[]
): Refusals => ({
	...{ path, key, works: works ?? '', codes, ignorable },
	host: host ?? ROWS.find((row) => row.path === `/api/${path}`)?.host ?? 'baseUrl',
	...(withoutEffect !== undefined && { withoutEffect }),
});

const OPEN_NUMBER = 'num=|0|-1|1.5|1e2|many';

export const REFUSALS: readonly Refusals[] = [
	...PURCHASES,
	...RENEWALS,
	refusing(
		['setautorenew', 'tps', 'autorenew=1'],
		{
			0: ['time_type=DAY|WEEK|MONTH|YEAR', '@kpsExclusive time_type=MONTH|YEAR', '@fpsMonthly'],
			[-1]: [
				'-autorenew',
				'-autorenew time_type=DAY',
				'autorenew=|2|true|01',
				'time_type=day|',
				'@kpsExclusive time_type=DAY|WEEK',
			],
			[-3]: [...['@tpsPayAsUsed', '@dpsPerIp', '@fps', '@sfps'], '@sfps -autorenew'],
			[-102]: ['@opsExpired'],
			[-123]: ['@account'],
		},
		-1,
		...['autorenew=0 time_type=DAY', 'auto_renew_unit=DAY'],
	),
	refusing(
		['querykpscity', 'account', 'serie=1&model=STA&kps.max_bandwidth=1'],
		{
			0: ['@kps', '@kps serie=2 -model -kps.max_bandwidth', '@kpsExclusive', 'city=33|3301|'],
			[-1]: ['-serie', '-model', '-kps.max_bandwidth', '-serie -model -kps.max_bandwidth'],
			[-2]: [
				'serie=0|3||01',
				'model=DYN|STD|sta|',
				'kps.max_bandwidth=0|3|20|',
				'city=3|33010|330100|杭州|33,44|%2033',
			],
			[-3]: [
				...['@opsVip', '@dps', '@dpsPerIp', '@tps', '@fps', '@sfps', '@kpsDynamic'],
				'@opsVip -serie',
				'@kpsDynamic serie=2 -model -kps.max_bandwidth',
			],
		},
		-2,
		...['serie=2 -kps.max_bandwidth', 'serie=2 -model', 'max_bandwidth=1'],
		...['kps.serie=1', 'kps.city=3301'],
	),
	refusing(['closeorder', 'tpsPayAsUsed'], {
		[-3]: ['@tps', '@dps', '@dpsPerIp', '@kps', '@kpsExclusive', '@opsVip', '@fps', '@sfps'],
		[-4]: ['@account'],
		[-102]: ['@opsExpired'],
	}),
	refusing(
		['getfpsip', 'fps', 'num=5&period=5'],
		{
			3: ['region=XX'],
			[-1]: ['-num', '-period', 'ut=2'],
			[-3]: [
				'num=0|x',
				'period=0|31|1.5',
				'region=us|US,',
				...['f_auth=0', 'ut=3', 'f_ip=x', 'f_auth=1 gt=5'],
			],
		},
		-3,
		'gt=1',
	),
	refusing(
		['getdps', 'dps', 'num=1'],
		{
			[-1]: ['-num'],
			[-3]: [
				'num=0|-1|1.5||%201|1e2|01|all|10001',
				...['f_loc', 'f_citycode', 'f_et', 'f_carrier', 'f_auth', 'dedup'].map(
					(name) => `${name}=0|2||true`,
				),
				...['generateType=5', 'pt=3', '@dpsPerIp carrier=4||-1|电信'],
			],
		},
		-3,
		...['area=2', 'area_ex=2', 'carrier=2', '@dpsEven area=2', '@dpsEven carrier=2'],
	),
	refusing(['getkps', 'kpsSeveral', 'num=5'], {
		[-1]: ['-num'],
		[-3]: ['num=0', 'sort=2'],
	}),
	refusing(['getproxy', 'opsVip', 'num=1'], {
		2: ['@opsExpired'],
		[-1]: ['-num'],
		[-2]: ['@fps', '@sfps', '@topUp'],
		[-3]: [
			...[
				OPEN_NUMBER,
				'quality=3',
				'port=80,|70000|http',
				'port_ex=0',
				'area=北京,,上海',
				'area_ex=,',
			],
			...[
				'carrier=7|x',
				'protocol=0|3',
				'method=3',
				'ipstart=300.|.127|1.2.3.4.',
				'ipstart_ex=abc',
			],
			...[
				'dedup=0',
				'an_ha=2',
				'an_an=true',
				'an_tr=',
				'sort=3',
				'f_loc=0',
				'f_an=x',
				'f_pr=2',
				'f_sp=',
			],
			...['format=csv', 'sep=5'],
		],
		[-5]: ['@kps'],
		[-6]: ['@dps'],
		[-7]: ['@tps', '@tpsPro'],
		[-23]: ['@opsRegular num=501'],
		[-24]: ['@opsRegular sort=1|2'],
		[-25]: ['f_loc', 'f_an', 'f_pr', 'f_sp'].map((name) => `@opsRegular ${name}=1`),
		[-26]: ['@opsRegular format=json|xml'],
		[-31]: ['@opsRegular quality=1'],
		[-32]: ['@opsRegular quality=2', 'quality=2'],
		[-35]: ['num=1001'],
		[-45]: ['@opsSvip num=2001'],
		0: ['@opsRegular num=500', 'num=1000', '@opsSvip num=2000 quality=2'],
	}),
	refusing(['getproxy', 'opsSvip', 'num=1', 'svipUrl'], {
		0: ['num=2000'],
		[-33]: ['@opsRegular', '@opsVip'],
	}),
	...['addwhiteip', 'setipwhitelist', 'delwhiteip'].map((path) =>
		refusing([path, 'dps', 'iplist=1.1.1.1'], {
			0: ['@kps', '@tps'],
			[-3]: ['@opsVip', '@topUp'],
			[-123]: ['@account'],
		}),
	),
	refusing(['changetpsip', 'tpsMinute'], {
		[-3]: ['@tpsPro', '@dps', '@fps', '@opsVip'],
		[-4]: ['@tps'],
		[-123]: ['@account'],
	}),
];
