import { plural } from '../wording';
import type { AmountRange, Named, PayType } from './products';

/*
 * In which amounts products can be ordered and renewed: the single table behind the editor's fields, the
 * checks before sending, and the tables in the documentation. Source: specification of createorder and
 * reneworder.
 */

export interface TimeUnit {
	readonly value: string;
	readonly name: string;
	readonly range: Required<Omit<AmountRange, 'step'>>;
}

const DAY: TimeUnit = { value: 'DAY', name: 'Day', range: { min: 1, max: 15 } };
const WEEK: TimeUnit = { value: 'WEEK', name: 'Week', range: { min: 1, max: 3 } };
const MONTH: TimeUnit = { value: 'MONTH', name: 'Month', range: { min: 1, max: 9 } };
const YEAR: TimeUnit = { value: 'YEAR', name: 'Year', range: { min: 1, max: 3 } };

const ALL_UNITS: readonly TimeUnit[] = [DAY, WEEK, MONTH, YEAR];

/**
 * How long prepaid orders last, by product. A range that changes for one of them is written into its row, such as
 * `[DAY, WEEK, { ...MONTH, range: { min: 1, max: 12 } }, YEAR]`.
 */
export const DURATIONS = {
	DPS: ALL_UNITS,
	KPS_SHARED: ALL_UNITS,
	KPS_EXCLUSIVE: [MONTH, YEAR],
	OPS: ALL_UNITS,
	TPS: ALL_UNITS,
} satisfies Record<string, readonly TimeUnit[]>;

/** The ranges where the product isn't known: a value that at least one product takes. */
export const TIME_UNITS: readonly TimeUnit[] = ALL_UNITS.map((unit) => {
	const ranges = Object.values(DURATIONS)
		.flat()
		.filter(({ value }) => value === unit.value)
		.map(({ range }) => range);
	const min = Math.min(...ranges.map((range) => range.min));
	return { ...unit, range: { min, max: Math.max(...ranges.map(({ max }) => max)) } };
});

export const DEFAULT_TIME_UNIT = MONTH.value;

/** Seconds between two changes of a tunnel's IP address. */
export const TPS_PERIODS: ReadonlyArray<Named<number>> = [
	{ value: 0, name: 'Every Request' },
	{ value: 15, name: '15 Seconds' },
	{ value: 30, name: '30 Seconds' },
	{ value: 60, name: '1 Minute' },
	{ value: 300, name: '5 Minutes' },
	{ value: 600, name: '10 Minutes' },
	{ value: 900, name: '15 Minutes' },
	{ value: 1800, name: '30 Minutes' },
	{ value: 3600, name: '1 Hour' },
	{ value: 21_600, name: '6 Hours' },
	{ value: 43_200, name: '12 Hours' },
	{ value: 86_400, name: '24 Hours' },
];

/** Requests per second through a tunnel. */
export const TPS_MAX_RPS: AmountRange & { preset: number } = { min: 5, max: 1000, preset: 5 };

function periods(from: number, to: number): number[] {
	return TPS_PERIODS.map(({ value }) => value).filter((value) => value >= from && value <= to);
}

/** Bandwidths in Mb/s, by the IP change intervals that have them. */
export const TPS_BANDWIDTHS = [
	{ periods: periods(0, 0), range: { min: 5, max: 80 }, preset: 5 },
	{ periods: periods(15, 3600), range: { min: 3, max: 5 }, preset: 3 },
	{ periods: periods(21_600, Infinity), range: { min: 3, max: 3 }, preset: 3 },
];

export const DPS_FETCH_TYPES: ReadonlyArray<Named<number>> = [
	{
		value: 1,
		name: 'Even',
		description: 'Spread evenly over the day',
	},
	{
		value: 2,
		name: 'Concentrated',
		description: 'At any time of the day',
	},
];

export interface PrivateProxyLifetime extends Named<string> {
	readonly payType: PayType;
	/** Prepaid orders only have these. */
	readonly fetchType?: number;
	readonly range: AmountRange;
}

const LIFETIME_NAMES: Readonly<Record<string, string>> = {
	M_1_5: '1 to 5 Minutes',
	M_3_5: '3 to 5 Minutes',
	M_5_10: '5 to 10 Minutes',
	M_10_20: '10 to 20 Minutes',
	M_10_30: '10 to 30 Minutes',
	M_20_30: '20 to 30 Minutes',
	M_30_60: '30 to 60 Minutes',
	H_2_4: '2 to 4 Hours',
	H_3_4: '3 to 4 Hours',
};

function prepaidTerms(fetchType: number, value: string, range: AmountRange): PrivateProxyLifetime {
	return { value, name: LIFETIME_NAMES[value], payType: 'PRE_PAY', fetchType, range };
}

const PER_IP_MINUTES: AmountRange = { min: 1000, max: 1_000_000, step: 1000 };
const PER_IP_HOURS: AmountRange = { min: 100, max: 100_000, step: 100 };

function standardPerIp(value: string, range: AmountRange): PrivateProxyLifetime {
	const name = `Standard: ${LIFETIME_NAMES[value]}`;
	return { value, name, payType: 'PRE_PAY_IP', range };
}

function professionalPerIp(minutes: number): PrivateProxyLifetime {
	const name = `Professional: ${plural(minutes, 'Minute')}`;
	// The service states no range for this edition
	return { value: `M_${minutes}`, name, payType: 'PRE_PAY_IP', range: { min: 1 } };
}

export const DPS_LIFETIMES: readonly PrivateProxyLifetime[] = [
	prepaidTerms(1, 'M_3_5', { min: 2500, max: 150_000, step: 2500 }),
	prepaidTerms(1, 'M_10_30', { min: 1000, max: 17_000, step: 1000 }),
	prepaidTerms(1, 'M_30_60', { min: 1000, max: 25_000, step: 1000 }),
	prepaidTerms(1, 'H_3_4', { min: 100, max: 1000, step: 100 }),
	prepaidTerms(2, 'M_1_5', { min: 1000, max: 200_000, step: 1000 }),
	prepaidTerms(2, 'M_5_10', { min: 1000, max: 50_000, step: 1000 }),
	prepaidTerms(2, 'M_10_20', { min: 1000, max: 30_000, step: 1000 }),
	prepaidTerms(2, 'M_20_30', { min: 1000, max: 25_000, step: 1000 }),
	prepaidTerms(2, 'M_30_60', { min: 1000, max: 25_000, step: 1000 }),
	prepaidTerms(2, 'H_2_4', { min: 100, max: 500, step: 100 }),
	standardPerIp('M_1_5', PER_IP_MINUTES),
	standardPerIp('M_5_10', PER_IP_MINUTES),
	standardPerIp('M_10_20', PER_IP_MINUTES),
	standardPerIp('M_20_30', PER_IP_MINUTES),
	standardPerIp('M_30_60', PER_IP_MINUTES),
	standardPerIp('H_2_4', PER_IP_HOURS),
	...Array.from({ length: 30 }, (_none, index) => professionalPerIp(index + 1)),
];

/** How many IPs a renewal of a pay-per-IP order may add, by the lifetime of its proxies. */
export const PER_IP_RENEWALS = {
	minutes: { name: 'Up to 1 Hour', range: PER_IP_MINUTES },
	hours: { name: '2 to 4 Hours', range: PER_IP_HOURS },
} as const;

export const WHITELIST_SIZE: AmountRange & { preset: number } = { min: 50, max: 200, preset: 50 };

export const KPS_SERIES: ReadonlyArray<Named<number>> = [
	{
		value: 1,
		name: 'Shared IP',
		description: 'Other customers use the same IPs. Sold by the day, week, month, or year.',
	},
	{
		value: 2,
		name: 'Exclusive IP',
		description:
			'Only you use the IPs: for sites that block shared ones. Sold by the month or year.',
	},
];

export const KPS_SHARED = 1;
export const KPS_EXCLUSIVE = 2;

/** The models, which only the shared type has. */
export const KPS_MODELS: ReadonlyArray<Named<string>> = [
	{
		value: 'DYN',
		name: 'Dynamic',
		description: 'The IPs change from time to time. For pages that any IP can open; 1 Mb/s only.',
	},
	{
		value: 'STA',
		name: 'Static',
		description: 'The IPs stay the same. For sites with a login, or that allow certain IPs only.',
	},
];

export const KPS_DYNAMIC = 'DYN';
export const KPS_STATIC = 'STA';

/** Mb/s */
export const KPS_BANDWIDTHS: readonly number[] = [1, 2, 4, 6, 10];

/** The dynamic model is sold with this one only. */
export const KPS_DYNAMIC_BANDWIDTHS: readonly number[] = [1];

/** The maximum of the shared type depends on how many IPs the city has left. */
export const KPS_SHARED_IPS: AmountRange = { min: 1 };
export const KPS_EXCLUSIVE_IPS: AmountRange = { min: 1, max: 10 };

export const OPS_PLANS: ReadonlyArray<Named<number>> = [
	{ value: 2, name: 'VIP' },
	{ value: 3, name: 'SVIP' },
];

/** Gigabytes that a renewal of an overseas order may add. */
export const FPS_FLOWS: readonly number[] = [1, 6, 10, 35, 110, 200, 500, 1000];
