import type { IDataObject } from 'n8n-workflow';

/*
 * What may be ordered, written down from the service's specification a second time and on purpose not
 * taken from the node's own table: a slip in one of the two shows.
 */

type Sent = Readonly<Record<string, string>>;

export interface OrderCase {
	name: string;
	/** Values of the node's fields. */
	fields: IDataObject;
	/** The field that is wrong, by its label; undefined where everything is right. */
	wrong?: string;
	/** What has to arrive at the service; of a wrong case, what the service would refuse, if that is known. */
	sent?: Sent;
}

function right(name: string, fields: IDataObject, sent: Sent): OrderCase {
	return { name, fields, sent };
}

function wrong(name: string, label: string, fields: IDataObject, sent?: Sent): OrderCase {
	return { name, fields, wrong: label, ...(sent && { sent }) };
}

/** What may be ordered of something, of which a number has a range. */
interface Offer {
	fields: IDataObject;
	sent: Sent;
}

/** Each of some choices, and what is none. */
function chosen(
	{ fields, sent }: Offer,
	[label, field, parameter]: readonly [label: string, field: string, parameter: string],
	choices: ReadonlyArray<string | number>,
	others: ReadonlyArray<string | number>,
): OrderCase[] {
	const name = (value: unknown) => `${Object.values(fields).join(' ')}, ${field} ${String(value)}`;
	return [
		...choices.map((value) =>
			right(name(value), { ...fields, [field]: value }, { ...sent, [parameter]: String(value) }),
		),
		...others.map((value) =>
			wrong(
				name(value),
				label,
				{ ...fields, [field]: value },
				{ ...sent, [parameter]: String(value) },
			),
		),
	];
}

/** Both ends of the range of a number and a step inside; just outside, and between two steps. */
function ranged(
	offer: Offer,
	names: Parameters<typeof chosen>[1],
	[min, max, step = 1]: readonly [min: number, max: number, step?: number],
): OrderCase[] {
	const inside = min + step <= max ? [min + step] : [];
	const off = [min - step, max + step, ...(step > 1 ? [min + 1] : [])];
	return chosen(offer, names, [...new Set([min, ...inside, max])], off);
}

const MONTHLY = { prepayTimeType: 'MONTH', prepayTimeNumber: 1 };
const MONTHLY_SENT = {
	...{ pay_type: 'PRE_PAY', 'prepay.time_type': 'MONTH', 'prepay.time_number': '1' },
	'prepay.is_auto_renew': '0',
};
const TUNNEL_SENT = {
	...{ product: 'TPS', 'tps.period': '0', 'tps.max_rps': '5', 'tps.max_bandwidth': '5' },
};

/** The longest term in each. */
export const UNITS = { DAY: 15, WEEK: 3, MONTH: 9, YEAR: 3 };

/** How long something prepaid may last. */
function durationsOf({ fields, sent }: Offer, units: Partial<typeof UNITS> = UNITS): OrderCase[] {
	return Object.entries(units).flatMap(([unit, max]) =>
		ranged(
			{
				fields: { ...fields, prepayTimeType: unit },
				sent: { ...sent, 'prepay.time_type': unit },
			},
			['Duration', 'prepayTimeNumber', 'prepay.time_number'],
			[1, max],
		),
	);
}

function durationCases(): OrderCase[] {
	const fields = { product: 'TPS', payType: 'PRE_PAY' };
	const sent = { ...TUNNEL_SENT, ...MONTHLY_SENT };
	const monthly = { ...fields, ...MONTHLY };
	const renewed = { ...monthly, prepayIsAutoRenew: true };
	return [
		...durationsOf({ fields, sent }),
		...durationsOf({
			fields: { product: 'OPS', payType: 'PRE_PAY' },
			sent: { product: 'OPS', 'ops.plan': '2', ...MONTHLY_SENT },
		}),
		...chosen(
			{ fields: renewed, sent: { ...sent, 'prepay.is_auto_renew': '1' } },
			['Auto-Renew Unit', 'prepayAutoRenewUnit', 'prepay.auto_renew_unit'],
			Object.keys(UNITS),
			['DECADE'],
		),
		right(
			'a unit of auto-renewal that is left over while auto-renewal is off',
			{ ...renewed, prepayIsAutoRenew: false, prepayAutoRenewUnit: 'YEAR' },
			sent,
		),
		right('as the editor offers it', fields, sent),
		wrong('an unknown unit', 'Time Unit', { ...fields, prepayTimeType: 'DECADE' }),
		wrong('auto-renewal that is neither yes nor no', 'Auto-Renew', {
			...monthly,
			prepayIsAutoRenew: 'perhaps',
		}),
	];
}

function tunnelCases(): OrderCase[] {
	const fields = { product: 'TPS', payType: 'POST_PAY' };
	const sent = { ...TUNNEL_SENT, pay_type: 'POST_PAY' };
	const bandwidths: ReadonlyArray<[period: number, min: number, max: number]> = [
		[0, 5, 80],
		...[15, 300, 3600].map((period): [number, number, number] => [period, 3, 5]),
		...[21_600, 86_400].map((period): [number, number, number] => [period, 3, 3]),
	];
	const perSecond = ['Max Requests per Second', 'tpsMaxRps', 'tps.max_rps'] as const;
	const between = [30, 60, 600, 900, 1800, 43_200];
	return [
		...bandwidths.flatMap(([tpsPeriod, min, max]) =>
			ranged(
				{ fields: { ...fields, tpsPeriod }, sent: { ...sent, 'tps.period': String(tpsPeriod) } },
				['Max Bandwidth', 'tpsMaxBandwidth', 'tps.max_bandwidth'],
				[min, max],
			),
		),
		...ranged({ fields, sent }, perSecond, [5, 1000]),
		...chosen({ fields, sent }, perSecond, [], [5.5, 'many', '']),
		...chosen(
			{
				fields: { ...fields, tpsMaxBandwidth: 3 },
				sent: { ...sent, 'tps.max_bandwidth': '3' },
			},
			['IP Change Interval', 'tpsPeriod', 'tps.period'],
			between,
			[45],
		),
	];
}

function privateCases(): OrderCase[] {
	const perDay: ReadonlyArray<[type: number, period: string, ...range: [number, number, number]]> =
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
	const common = { product: 'DPS', 'dps.whiteip_count': '50' };
	const prepaid = { product: 'DPS', payType: 'PRE_PAY', ...MONTHLY };
	const perIp = { product: 'DPS', payType: 'PRE_PAY_IP' };
	const perIpSent = { ...common, pay_type: 'PRE_PAY_IP', 'dps.ip_count': '1000' };
	const professional = [1, 2, 7, 10, 20, 29, 30].map((minutes) => `M_${minutes}`);
	const standard = ['M_5_10', 'M_10_20', 'M_20_30'];
	return [
		...perDay.flatMap(([dpsFetchType, dpsPeriod, ...range]) =>
			ranged(
				{
					fields: { ...prepaid, dpsFetchType, dpsPeriod },
					sent: {
						...{ ...common, ...MONTHLY_SENT },
						...{ 'dps.fetch_type': String(dpsFetchType), 'dps.period': dpsPeriod },
					},
				},
				['IPs per Day', 'dpsIpCount', 'dps.ip_count'],
				range,
			),
		),
		...durationsOf({
			fields: { ...prepaid, dpsFetchType: 1, dpsPeriod: 'M_3_5', dpsIpCount: 2500 },
			sent: {
				...{ ...common, ...MONTHLY_SENT, 'dps.fetch_type': '1' },
				...{ 'dps.period': 'M_3_5', 'dps.ip_count': '2500' },
			},
		}),
		...['M_1_5', 'M_30_60', 'H_2_4'].flatMap((dpsPeriod) =>
			ranged(
				{ fields: { ...perIp, dpsPeriod }, sent: { ...perIpSent, 'dps.period': dpsPeriod } },
				['Number of IPs', 'dpsIpCount', 'dps.ip_count'],
				dpsPeriod === 'H_2_4' ? [100, 100_000, 100] : [1000, 1_000_000, 1000],
			),
		),
		...chosen(
			{ fields: { ...perIp, dpsIpCount: 1000 }, sent: perIpSent },
			['Lifetime', 'dpsPeriod', 'dps.period'],
			[...standard, ...professional],
			['M_0', 'M_31', 'M_3_5'],
		),
		wrong('a lifetime of the other fetch type', 'Lifetime', {
			...{ ...prepaid, dpsFetchType: 1, dpsPeriod: 'M_1_5' },
		}),
		wrong('an unknown fetch type', 'Extraction', { ...prepaid, dpsFetchType: 3 }),
		...ranged(
			{
				fields: { ...perIp, dpsPeriod: 'M_1_5', dpsIpCount: 1000 },
				sent: { ...perIpSent, 'dps.period': 'M_1_5' },
			},
			['Whitelist Size', 'dpsWhiteipCount', 'dps.whiteip_count'],
			[50, 200],
		),
	];
}

function dedicatedCases(): OrderCase[] {
	const common = { product: 'KPS', payType: 'PRE_PAY', ...MONTHLY };
	const sent = {
		...{ product: 'KPS', ...MONTHLY_SENT, 'kps.whiteip_count': '50' },
		...{ 'kps.ip_count': '1', 'kps.max_bandwidth': '1' },
	};
	const shared = { ...common, kpsSerie: 1 };
	const staticOnes = {
		fields: { ...shared, kpsModel: 'STA' },
		sent: { ...sent, 'kps.serie': '1', 'kps.model': 'STA' },
	};
	const exclusive = {
		fields: { ...common, kpsSerie: 2 },
		sent: { ...sent, 'kps.serie': '2' },
	};
	const bandwidth = ['Max Bandwidth', 'kpsMaxBandwidth', 'kps.max_bandwidth'] as const;
	const city = ['City', 'kpsCity', 'kps.city'] as const;
	return [
		...chosen(
			{ fields: shared, sent: { ...sent, 'kps.serie': '1' } },
			['Model', 'kpsModel', 'kps.model'],
			['DYN', 'STA'],
			['STD'],
		),
		...durationsOf(staticOnes),
		...durationsOf(exclusive, { MONTH: UNITS.MONTH, YEAR: UNITS.YEAR }),
		...chosen(staticOnes, bandwidth, [1, 2, 4, 6, 10], [3]),
		...chosen(exclusive, bandwidth, [1, 2, 4, 6, 10], [3]),
		wrong('shared, dynamic, 2 Mb/s', 'Max Bandwidth', {
			...{ ...shared, kpsModel: 'DYN', kpsMaxBandwidth: 2 },
		}),
		right(
			'exclusive with a model left over',
			{ ...exclusive.fields, kpsModel: 'STA' },
			exclusive.sent,
		),
		...ranged(exclusive, ['Number of IPs', 'kpsIpCount', 'kps.ip_count'], [1, 10]),
		...[0, -1, 1.5, 'x'].map((kpsIpCount) =>
			wrong(`shared, ${kpsIpCount} IPs`, 'Number of IPs', { ...shared, kpsIpCount }),
		),
		...chosen(
			exclusive,
			['Time Unit', 'prepayTimeType', 'prepay.time_type'],
			['YEAR'],
			['DAY', 'WEEK'],
		),
		...chosen(
			{
				fields: { ...exclusive.fields, prepayIsAutoRenew: true },
				sent: { ...exclusive.sent, 'prepay.is_auto_renew': '1' },
			},
			['Auto-Renew Unit', 'prepayAutoRenewUnit', 'prepay.auto_renew_unit'],
			['MONTH', 'YEAR'],
			['DAY', 'WEEK'],
		),
		wrong('an unknown series', 'Series', { ...common, kpsSerie: 3 }),
		...['Hangzhou', '杭州', '3301'].map((kpsCity) =>
			right(
				`the city ${kpsCity}`,
				{ ...exclusive.fields, kpsCity },
				{ ...exclusive.sent, 'kps.city': '3301' },
			),
		),
		...chosen(exclusive, city, [], ['3', '33011', 'Suzhou', 'Atlantis', '33.1']),
	];
}

function combinationCases(): OrderCase[] {
	const allowed = {
		...{ TPS: ['PRE_PAY', 'POST_PAY'], DPS: ['PRE_PAY', 'PRE_PAY_IP'] },
		...{ KPS: ['PRE_PAY'], OPS: ['PRE_PAY'] },
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
		...chosen(
			{
				fields: { product: 'OPS', payType: 'PRE_PAY', ...MONTHLY },
				sent: { product: 'OPS', ...MONTHLY_SENT },
			},
			['Plan', 'opsPlan', 'ops.plan'],
			[2, 3],
			[1, 4, 'vip'],
		),
		right(
			'options',
			{ product: 'TPS', payType: 'POST_PAY', options: { isNotify: false, isCoupon: true } },
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
