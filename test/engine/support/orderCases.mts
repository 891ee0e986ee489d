import type { IDataObject } from 'n8n-workflow';

/*
 * What may be ordered, written down from the service's specification a second time and on purpose not
 * taken from the node's own table: a slip in one of the two shows.
 */

export interface OrderCase {
	name: string;
	/** Values of the node's fields. */
	fields: IDataObject;
	/** The field that is wrong, by its label; undefined where everything is right. */
	wrong?: string;
	/** What has to arrive at the service, for right cases. */
	sent?: Record<string, string>;
}

const PREPAID_SENT = {
	'prepay.time_type': 'MONTH',
	'prepay.time_number': '1',
	'prepay.is_auto_renew': '0',
};

function right(name: string, fields: IDataObject, sent: Record<string, string>): OrderCase {
	return { name, fields, sent };
}

function wrong(name: string, label: string, fields: IDataObject): OrderCase {
	return { name, fields, wrong: label };
}

/** Both ends of a range and a step inside; just outside, between two steps, and no whole number. */
function corners(min: number, max: number, step: number): { right: number[]; wrong: unknown[] } {
	const inside = min + step <= max ? [min + step] : [];
	return {
		right: [...new Set([min, ...inside, max])],
		wrong: [min - step, max + step, ...(step > 1 ? [min + 1] : []), min + 0.5, 'many', '', -min],
	};
}

const MONTHLY = { prepayTimeType: 'MONTH', prepayTimeNumber: 1 };
const TUNNEL_SENT = {
	product: 'TPS',
	'tps.period': '0',
	'tps.max_rps': '5',
	'tps.max_bandwidth': '5',
};

function durationCases(): OrderCase[] {
	const base = { product: 'TPS', payType: 'PRE_PAY' };
	const sent = { ...TUNNEL_SENT, pay_type: 'PRE_PAY', 'prepay.is_auto_renew': '0' };
	const units: Array<[string, number]> = [
		['DAY', 15],
		['WEEK', 3],
		['MONTH', 9],
		['YEAR', 3],
	];
	const cases = units.flatMap(([unit, max]) => {
		const { right: good, wrong: bad } = corners(1, max, 1);
		return [
			...good.map((count) =>
				right(
					`duration ${count} ${unit}`,
					{ ...base, prepayTimeType: unit, prepayTimeNumber: count },
					{ ...sent, 'prepay.time_type': unit, 'prepay.time_number': String(count) },
				),
			),
			...bad.map((count) =>
				wrong(`duration ${JSON.stringify(count)} ${unit}`, 'Duration', {
					...base,
					prepayTimeType: unit,
					prepayTimeNumber: count as number,
				}),
			),
			right(
				`auto-renewal by ${unit}`,
				{ ...base, ...MONTHLY, prepayIsAutoRenew: true, prepayAutoRenewUnit: unit },
				{
					...sent,
					...PREPAID_SENT,
					'prepay.is_auto_renew': '1',
					'prepay.auto_renew_unit': unit,
				},
			),
		];
	});
	return [
		...cases,
		right(
			'a unit of auto-renewal that is left over while auto-renewal is off',
			{ ...base, ...MONTHLY, prepayIsAutoRenew: false, prepayAutoRenewUnit: 'YEAR' },
			{ ...sent, ...PREPAID_SENT },
		),
		wrong('an unknown unit', 'Time Unit', { ...base, prepayTimeType: 'DECADE' }),
		wrong('an unknown unit of auto-renewal', 'Auto-Renew Unit', {
			...base,
			...MONTHLY,
			prepayIsAutoRenew: true,
			prepayAutoRenewUnit: 'DECADE',
		}),
		wrong('auto-renewal that is neither yes nor no', 'Auto-Renew', {
			...base,
			...MONTHLY,
			prepayIsAutoRenew: 'perhaps',
		}),
	];
}

function tunnelCases(): OrderCase[] {
	const base = { product: 'TPS', payType: 'POST_PAY' };
	const sent = { ...TUNNEL_SENT, pay_type: 'POST_PAY' };
	const periods: Array<[number, number, number]> = [
		[0, 5, 80],
		...[15, 30, 60, 300, 600, 900, 1800, 3600].map((period): [number, number, number] => [
			period,
			3,
			5,
		]),
		...[21_600, 43_200, 86_400].map((period): [number, number, number] => [period, 3, 3]),
	];
	const rps = corners(5, 1000, 1);
	return [
		right(
			'prepaid as the editor offers it',
			{ product: 'TPS', payType: 'PRE_PAY' },
			{ ...TUNNEL_SENT, pay_type: 'PRE_PAY', ...PREPAID_SENT },
		),
		...periods.flatMap(([tpsPeriod, min, max]) => {
			const { right: good, wrong: bad } = corners(min, max, 1);
			return [
				...good.map((tpsMaxBandwidth) =>
					right(
						`period ${tpsPeriod}, ${tpsMaxBandwidth} Mb/s`,
						{ ...base, tpsPeriod, tpsMaxBandwidth },
						{
							...sent,
							'tps.period': String(tpsPeriod),
							'tps.max_bandwidth': String(tpsMaxBandwidth),
						},
					),
				),
				...bad.map((tpsMaxBandwidth) =>
					wrong(`period ${tpsPeriod}, ${JSON.stringify(tpsMaxBandwidth)} Mb/s`, 'Max Bandwidth', {
						...base,
						tpsPeriod,
						tpsMaxBandwidth: tpsMaxBandwidth as number,
					}),
				),
			];
		}),
		...rps.right.map((tpsMaxRps) =>
			right(
				`${tpsMaxRps} requests per second`,
				{ ...base, tpsMaxRps },
				{ ...sent, 'tps.max_rps': String(tpsMaxRps) },
			),
		),
		...rps.wrong.map((tpsMaxRps) =>
			wrong(`${JSON.stringify(tpsMaxRps)} requests per second`, 'Max Requests per Second', {
				...base,
				tpsMaxRps: tpsMaxRps as number,
			}),
		),
		wrong('a period between two', 'IP Change Interval', { ...base, tpsPeriod: 45 }),
	];
}

function privateCases(): OrderCase[] {
	const table: Array<[fetchType: number, period: string, min: number, max: number, step: number]> =
		[
			[1, 'M_3_5', 2500, 150_000, 2500],
			[1, 'M_10_30', 1000, 17_000, 1000],
			[1, 'M_30_60', 1000, 25_000, 1000],
			[1, 'H_3_4', 100, 1000, 100],
			[2, 'M_1_5', 1000, 200_000, 1000],
			[2, 'M_5_10', 1000, 50_000, 1000],
			[2, 'M_10_20', 1000, 30_000, 1000],
			[2, 'M_20_30', 1000, 25_000, 1000],
			[2, 'M_30_60', 1000, 25_000, 1000],
			[2, 'H_2_4', 100, 500, 100],
		];
	const perIp: Array<[period: string, min: number, max: number, step: number]> = [
		...['M_1_5', 'M_5_10', 'M_10_20', 'M_20_30', 'M_30_60'].map(
			(period): [string, number, number, number] => [period, 1000, 1_000_000, 1000],
		),
		['H_2_4', 100, 100_000, 100],
	];
	const prepaid = { product: 'DPS', payType: 'PRE_PAY', ...MONTHLY };
	const bought = { product: 'DPS', payType: 'PRE_PAY_IP' };
	const whitelist = corners(50, 200, 1);
	return [
		...table.flatMap(([dpsFetchType, dpsPeriod, min, max, step]) => {
			const base = { ...prepaid, dpsFetchType, dpsPeriod };
			const { right: good, wrong: bad } = corners(min, max, step);
			return [
				...good.map((dpsIpCount) =>
					right(
						`fetch type ${dpsFetchType}, ${dpsPeriod}, ${dpsIpCount} IPs`,
						{ ...base, dpsIpCount },
						{
							product: 'DPS',
							pay_type: 'PRE_PAY',
							...PREPAID_SENT,
							'dps.fetch_type': String(dpsFetchType),
							'dps.period': dpsPeriod,
							'dps.ip_count': String(dpsIpCount),
							'dps.whiteip_count': '50',
						},
					),
				),
				...bad.map((dpsIpCount) =>
					wrong(
						`fetch type ${dpsFetchType}, ${dpsPeriod}, ${JSON.stringify(dpsIpCount)} IPs`,
						'IPs per Day',
						{ ...base, dpsIpCount: dpsIpCount as number },
					),
				),
			];
		}),
		...perIp.flatMap(([dpsPeriod, min, max, step]) => {
			const { right: good, wrong: bad } = corners(min, max, step);
			return [
				...good.map((dpsIpCount) =>
					right(
						`per IP, ${dpsPeriod}, ${dpsIpCount} IPs`,
						{ ...bought, dpsPeriod, dpsIpCount },
						{
							product: 'DPS',
							pay_type: 'PRE_PAY_IP',
							'dps.period': dpsPeriod,
							'dps.ip_count': String(dpsIpCount),
							'dps.whiteip_count': '50',
						},
					),
				),
				...bad.map((dpsIpCount) =>
					wrong(`per IP, ${dpsPeriod}, ${JSON.stringify(dpsIpCount)} IPs`, 'Number of IPs', {
						...bought,
						dpsPeriod,
						dpsIpCount: dpsIpCount as number,
					}),
				),
			];
		}),
		...Array.from({ length: 30 }, (_none, index) => `M_${index + 1}`).map((dpsPeriod) =>
			right(
				`professional, ${dpsPeriod}`,
				{ ...bought, dpsPeriod, dpsIpCount: 1000 },
				{
					product: 'DPS',
					pay_type: 'PRE_PAY_IP',
					'dps.period': dpsPeriod,
					'dps.ip_count': '1000',
					'dps.whiteip_count': '50',
				},
			),
		),
		wrong('31 professional minutes', 'Lifetime', { ...bought, dpsPeriod: 'M_31' }),
		wrong('a lifetime of the other fetch type', 'Lifetime', {
			...prepaid,
			dpsFetchType: 1,
			dpsPeriod: 'M_1_5',
		}),
		wrong('an unknown fetch type', 'Extraction', { ...prepaid, dpsFetchType: 3 }),
		...whitelist.wrong.map((dpsWhiteipCount) =>
			wrong(`a whitelist of ${JSON.stringify(dpsWhiteipCount)}`, 'Whitelist Size', {
				...bought,
				dpsWhiteipCount: dpsWhiteipCount as number,
			}),
		),
	];
}

function dedicatedCases(): OrderCase[] {
	const common = { product: 'KPS', payType: 'PRE_PAY', ...MONTHLY };
	const sent = {
		product: 'KPS',
		pay_type: 'PRE_PAY',
		...PREPAID_SENT,
		'kps.whiteip_count': '50',
		'kps.ip_count': '1',
	};
	const shared = { ...common, kpsSerie: 1 };
	const exclusive = { ...common, kpsSerie: 2 };
	const exclusiveSent = { ...sent, 'kps.serie': '2', 'kps.max_bandwidth': '1' };
	const ips = corners(1, 10, 1);
	return [
		right(
			'shared, dynamic',
			{ ...shared, kpsModel: 'DYN' },
			{
				...sent,
				'kps.serie': '1',
				'kps.model': 'DYN',
				'kps.max_bandwidth': '1',
			},
		),
		...[1, 2, 4, 6, 10].flatMap((kpsMaxBandwidth) => [
			right(
				`shared, static, ${kpsMaxBandwidth} Mb/s`,
				{ ...shared, kpsModel: 'STA', kpsMaxBandwidth },
				{
					...sent,
					'kps.serie': '1',
					'kps.model': 'STA',
					'kps.max_bandwidth': String(kpsMaxBandwidth),
				},
			),
			right(
				`exclusive, ${kpsMaxBandwidth} Mb/s`,
				{ ...exclusive, kpsMaxBandwidth },
				{
					...exclusiveSent,
					'kps.max_bandwidth': String(kpsMaxBandwidth),
				},
			),
		]),
		right('exclusive with a model left over', { ...exclusive, kpsModel: 'STA' }, exclusiveSent),
		right(
			'exclusive by the year',
			{ ...exclusive, prepayTimeType: 'YEAR' },
			{
				...exclusiveSent,
				'prepay.time_type': 'YEAR',
			},
		),
		...ips.right.map((kpsIpCount) =>
			right(
				`exclusive, ${kpsIpCount} IPs`,
				{ ...exclusive, kpsIpCount },
				{
					...exclusiveSent,
					'kps.ip_count': String(kpsIpCount),
				},
			),
		),
		...ips.wrong.map((kpsIpCount) =>
			wrong(`exclusive, ${JSON.stringify(kpsIpCount)} IPs`, 'Number of IPs', {
				...exclusive,
				kpsIpCount: kpsIpCount as number,
			}),
		),
		...[0, -1, 1.5, 'x'].map((kpsIpCount) =>
			wrong(`shared, ${JSON.stringify(kpsIpCount)} IPs`, 'Number of IPs', {
				...shared,
				kpsIpCount,
			}),
		),
		...['DAY', 'WEEK'].flatMap((unit) => [
			wrong(`exclusive by the ${unit}`, 'Time Unit', { ...exclusive, prepayTimeType: unit }),
			wrong(`exclusive, auto-renewed by the ${unit}`, 'Auto-Renew Unit', {
				...exclusive,
				prepayIsAutoRenew: true,
				prepayAutoRenewUnit: unit,
			}),
		]),
		wrong('shared, dynamic, 2 Mb/s', 'Max Bandwidth', {
			...shared,
			kpsModel: 'DYN',
			kpsMaxBandwidth: 2,
		}),
		wrong('shared, static, 3 Mb/s', 'Max Bandwidth', {
			...shared,
			kpsModel: 'STA',
			kpsMaxBandwidth: 3,
		}),
		wrong('the model STD', 'Model', { ...shared, kpsModel: 'STD' }),
		wrong('an unknown series', 'Series', { ...common, kpsSerie: 3 }),
		...['Hangzhou', '杭州', '3301'].map((kpsCity) =>
			right(
				`the city ${kpsCity}`,
				{ ...exclusive, kpsCity },
				{ ...exclusiveSent, 'kps.city': '3301' },
			),
		),
		...['3', '33011', 'Suzhou', 'Atlantis', '33.1'].map((kpsCity) =>
			wrong(`the city ${kpsCity}`, 'City', { ...exclusive, kpsCity }),
		),
	];
}

function openCases(): OrderCase[] {
	const base = { product: 'OPS', payType: 'PRE_PAY', ...MONTHLY };
	const sent = { product: 'OPS', pay_type: 'PRE_PAY', ...PREPAID_SENT };
	return [
		...[2, 3].map((opsPlan) =>
			right(`plan ${opsPlan}`, { ...base, opsPlan }, { ...sent, 'ops.plan': String(opsPlan) }),
		),
		...[1, 4, 'vip'].map((opsPlan) => wrong(`plan ${opsPlan}`, 'Plan', { ...base, opsPlan })),
	];
}

function combinationCases(): OrderCase[] {
	const allowed: Readonly<Record<string, readonly string[]>> = {
		TPS: ['PRE_PAY', 'POST_PAY'],
		DPS: ['PRE_PAY', 'PRE_PAY_IP'],
		KPS: ['PRE_PAY'],
		OPS: ['PRE_PAY'],
	};
	const payTypes = ['PRE_PAY', 'PRE_PAY_IP', 'POST_PAY', 'FREE', ''];
	return [
		...Object.entries(allowed).flatMap(([product, has]) =>
			payTypes
				.filter((payType) => !has.includes(payType))
				.map((payType) => wrong(`${product} with '${payType}'`, 'Pay Type', { product, payType })),
		),
		wrong('an unknown product', 'Product', { product: 'FPS', payType: 'PRE_PAY' }),
		wrong('no product', 'Product', { product: '', payType: 'PRE_PAY' }),
		right(
			'options',
			{
				product: 'TPS',
				payType: 'POST_PAY',
				options: { isNotify: false, isCoupon: true },
			},
			{ ...TUNNEL_SENT, pay_type: 'POST_PAY', is_notify: '0', is_coupon: '1' },
		),
	];
}

export const ORDER_CASES: readonly OrderCase[] = [
	...combinationCases(),
	...durationCases(),
	...tunnelCases(),
	...privateCases(),
	...dedicatedCases(),
	...openCases(),
];

/**
 * The fields with the editor's own presets for those that a case does not name. Where an expression
 * decides about the product, n8n cannot tell which preset applies.
 */
export function completed(fields: IDataObject): IDataObject {
	return {
		tpsPeriod: 0,
		tpsMaxRps: 5,
		tpsMaxBandwidth: fields.tpsPeriod === undefined || fields.tpsPeriod === 0 ? 5 : 3,
		dpsFetchType: 1,
		dpsPeriod: fields.payType === 'PRE_PAY_IP' ? 'M_1_5' : 'M_3_5',
		dpsIpCount: fields.payType === 'PRE_PAY_IP' ? 1000 : 2500,
		dpsWhiteipCount: 50,
		kpsSerie: 1,
		kpsModel: 'DYN',
		kpsCity: '',
		kpsMaxBandwidth: 1,
		kpsIpCount: 1,
		kpsWhiteipCount: 50,
		opsPlan: 2,
		prepayTimeType: 'MONTH',
		prepayTimeNumber: 1,
		prepayIsAutoRenew: false,
		prepayAutoRenewUnit: 'MONTH',
		...fields,
	};
}
