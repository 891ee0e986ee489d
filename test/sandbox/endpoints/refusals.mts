import { UNITS } from '../../operations/orderCases.mts';
import type { KeyName } from '../client.mts';

/*
 * Refusals of the endpoints that spend money or quota: parameters that are missing, out of range, of the wrong kind or
 * without effect, and the code that they get. One test runs them all. What others refuse shows in the tests of the node,
 * which say for each operation what is sent.
 */

export interface Refusals {
	path: string;
	host: 'baseUrl' | 'dpsUrl' | 'fpsUrl';
	key: KeyName;
	/** Parameters that work. */
	works: string;
	/**
	 * What each code is for, 0 included: `num=0|x` puts these values in place of one that works, `-num`
	 * leaves it out, `@tps` asks with another key. Several of them stand with a blank between.
	 */
	codes: Readonly<Record<number, readonly string[]>>;
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

const buying = (works: string, codes: Refusals['codes']): Refusals => ({
	...{ path: 'createorder', host: 'baseUrl', key: 'account' },
	...{ works, codes },
});

/** Every parameter of an order is required; what each may be is in the table of order cases. */
const PURCHASES: readonly Refusals[] = [
	buying(`product=OPS&${DAY}&ops.plan=2`, {
		[-1]: ['-product', '-pay_type', '-prepay.time_type', '-ops.plan'],
		[-2]: [
			...['product=TPS_PRO|ops|OPS%20|', 'pay_type=PREPAY|pre_pay|', 'ops.plan=0|VIP|'],
			...['prepay.time_type=day|', 'is_notify=2|true|', 'prepay.is_auto_renew=2|true|'],
			'prepay.is_auto_renew=1 prepay.auto_renew_unit=day|',
			// What has no effect
			...['prepay.auto_renew_unit=MONTH', 'tps.max_rps=5', 'time_type=DAY', 'format=xml'],
		],
		[-5]: ['pay_type=PRE_PAY_IP|POST_PAY'],
	}),
	buying(`product=TPS&${DAY}&tps.period=0`, {
		[-1]: ['-tps.period'],
		[-2]: ['tps.period=-15|00|15.0|', range('tps.max_rps', 5, 1000)[1], 'dps.period=M_1_5'],
	}),
];

const renewing = (key: KeyName, works: string, codes: Refusals['codes']): Refusals => ({
	...{ path: 'reneworder', host: 'baseUrl', key },
	...{ works, codes },
});

const RENEWALS: readonly Refusals[] = [
	renewing('tps', 'time_type=DAY&time_number=1', {
		[-1]: ['-time_type', '-time_number', '@fpsMonthly -time_type'],
		[-2]: [
			...['time_type=day|', 'is_auto_renew=2|', 'is_auto_renew=1 auto_renew_unit=HOUR'],
			'is_notify=yes',
			'@kpsExclusive time_type=DAY|WEEK',
			'@kpsExclusive time_type=MONTH is_auto_renew=1 auto_renew_unit=DAY|WEEK',
			// What has no effect
			...['auto_renew_unit=DAY', 'dps.ip_count=1000', '@dpsEven dps.ip_count=2500'],
		],
		0: [
			'@kpsExclusive time_type=MONTH|YEAR',
			'@kpsExclusive time_type=MONTH is_auto_renew=1 auto_renew_unit=MONTH|YEAR',
			'@fpsMonthly',
		],
		[-3]: ['@tpsPayAsUsed'],
		[-7]: ['@sfps', '@topUp'],
		[-102]: ['@opsExpired'],
		[-123]: ['@account'],
	}),
	renewing(
		'tps',
		'time_type=DAY&time_number=1',
		ranges(
			-2,
			Object.entries(UNITS).map(([unit, most]) => [`time_type=${unit}`, 'time_number', 1, most]),
		),
	),
	renewing('dpsPerIp', 'dps.ip_count=1000', {
		...ranges(-2, [
			['', 'dps.ip_count', 1000, 1_000_000, 1000],
			['@dpsProfessional', 'dps.ip_count', 1000, 1_000_000, 1000],
		]),
		[-1]: ['-dps.ip_count'],
	}),
	renewing('fps', 'fps.flow=1', {
		0: ['fps.flow=1|6|10|35|110|200|500|1000'],
		[-1]: ['-fps.flow', '@fpsMonthly'],
		[-2]: ['fps.flow=0|2|1001|-1|1.0|01|', 'time_type=DAY'],
	}),
];

export const REFUSALS: readonly Refusals[] = [
	...PURCHASES,
	...RENEWALS,
	{
		...{ path: 'setautorenew', host: 'baseUrl', key: 'tps', works: 'autorenew=1' },
		codes: {
			0: ['time_type=DAY|WEEK|MONTH|YEAR', '@kpsExclusive time_type=MONTH|YEAR', '@fpsMonthly'],
			[-1]: [
				...['-autorenew', 'autorenew=|2|true|01', 'time_type=day|'],
				'@kpsExclusive time_type=DAY|WEEK',
				'autorenew=0 time_type=DAY',
			],
			[-3]: ['@tpsPayAsUsed', '@dpsPerIp', '@fps', '@sfps'],
			[-102]: ['@opsExpired'],
			[-123]: ['@account'],
		},
	},
	{
		...{ path: 'getfpsip', host: 'fpsUrl', key: 'fps', works: 'num=5&period=5' },
		codes: {
			3: ['region=XX'],
			[-1]: ['-num', '-period', 'ut=2'],
			[-3]: [
				...['num=0|x', 'period=0|31|1.5', 'region=us|US,'],
				...['f_auth=0', 'ut=3', 'f_ip=x', 'f_auth=1 gt=5', 'gt=1'],
			],
		},
	},
	{
		...{ path: 'getdps', host: 'dpsUrl', key: 'dps', works: 'num=1' },
		codes: {
			[-1]: ['-num'],
			[-3]: [
				'num=0|-1|1.5||%201|1e2|01|all',
				...['f_loc', 'f_citycode', 'f_et', 'f_carrier', 'f_auth', 'dedup'].map(
					(name) => `${name}=0|2||true`,
				),
				...['generateType=5', 'pt=3', '@dpsPerIp carrier=4||-1|电信'],
				// Only pay-per-IP orders can choose
				...['area=2', 'area_ex=2', 'carrier=2'],
			],
		},
	},
	{
		...{ path: 'getproxy', host: 'baseUrl', key: 'opsVip', works: 'num=1' },
		codes: {
			[-1]: ['-num'],
			[-3]: [
				...['num=|0|-1|1.5|1e2|many', 'quality=3', 'port=80,|70000|http', 'port_ex=0'],
				...['area=北京,,上海', 'area_ex=,', 'carrier=7|x', 'protocol=0|3', 'method=3'],
				...['ipstart=300.|.127|1.2.3.4.', 'ipstart_ex=abc', 'dedup=0', 'an_ha=2', 'sort=3'],
				...['f_loc=0', 'format=csv', 'sep=5'],
			],
			[-23]: ['@opsRegular num=501'],
			[-24]: ['@opsRegular sort=1|2'],
			[-25]: ['f_loc', 'f_an', 'f_pr', 'f_sp'].map((name) => `@opsRegular ${name}=1`),
			[-26]: ['@opsRegular format=json|xml'],
			[-31]: ['@opsRegular quality=1'],
			[-32]: ['@opsRegular quality=2', 'quality=2'],
			[-35]: ['num=1001'],
			[-45]: ['@opsSvip num=2001'],
			0: ['@opsRegular num=500', 'num=1000', '@opsSvip num=2000 quality=2'],
		},
	},
];
