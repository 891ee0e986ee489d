import type { AutoRenewal } from '../accounts/order.mts';
import { type Term, TIME_UNITS, type TimeUnit } from '../time/chinaTime.mts';
import type { OwnParameters } from './ownParameters.mts';

/** The whole numbers from `least` to `most` that are multiples of `step`. */
export interface Range {
	least: number;
	most: number;
	step: number;
}

function range(least: number, most: number, step = 1): Range {
	return { least, most, step };
}

const NUMBER_OF_UNITS: Readonly<Record<TimeUnit, Range>> = {
	DAY: range(1, 15),
	WEEK: range(1, 3),
	MONTH: range(1, 9),
	YEAR: range(1, 3),
};

export const TUNNEL_PERIODS = [
	0, 15, 30, 60, 300, 600, 900, 1800, 3600, 21600, 43200, 86400,
] as const;

export const REQUESTS_PER_SECOND = range(5, 1000);

/** The smallest bandwidth of a tunnel is also the one that is not asked for. */
export function tunnelBandwidth(period: number): Range {
	if (period === 0) return range(5, 80);
	return period <= 3600 ? range(3, 5) : range(3, 3);
}

/** Addresses per day, by the way of fetching and the life of an address. */
export const ADDRESSES_PER_DAY: Readonly<Record<1 | 2, ReadonlyMap<string, Range>>> = {
	1: new Map([
		['M_3_5', range(2500, 150_000, 2500)],
		['M_10_30', range(1000, 17_000, 1000)],
		['M_30_60', range(1000, 25_000, 1000)],
		['H_3_4', range(100, 1000, 100)],
	]),
	2: new Map([
		['M_1_5', range(1000, 200_000, 1000)],
		['M_5_10', range(1000, 50_000, 1000)],
		['M_10_20', range(1000, 30_000, 1000)],
		['M_20_30', range(1000, 25_000, 1000)],
		['M_30_60', range(1000, 25_000, 1000)],
		['H_2_4', range(100, 500, 100)],
	]),
};

const MANY_ADDRESSES = range(1000, 1_000_000, 1000);

const STANDARD_EDITION = new Map([
	...['M_1_5', 'M_5_10', 'M_10_20', 'M_20_30', 'M_30_60'].map(
		(period) => [period, MANY_ADDRESSES] as const,
	),
	['H_2_4', range(100, 100_000, 100)] as const,
]);

// How many addresses the professional edition sells is not stated. Here it is like the standard one.
const PROFESSIONAL_EDITION = new Map(
	Array.from({ length: 30 }, (_, index) => [`M_${index + 1}`, MANY_ADDRESSES] as const),
);

/** Addresses of a pay-per-IP order, by the life of an address. */
export const ADDRESSES_BOUGHT: ReadonlyMap<string, Range> = new Map([
	...STANDARD_EDITION,
	...PROFESSIONAL_EDITION,
]);

export const WHITE_IPS = range(50, 200);

/** A region's code; empty is any region. */
export const REGION_CODE = /^(\d{2,4})?$/;

export const DEDICATED_BANDWIDTHS = [1, 2, 4, 6, 10] as const;

export const EXCLUSIVE_ADDRESSES = range(1, 10);

/** What there is of shared addresses is a matter of stock; more than this nobody has. */
export const SHARED_ADDRESSES = range(1, 999_999_999);

export const FLOWS_IN_GB = [1, 6, 10, 35, 110, 200, 500, 1000] as const;

// Whether addresses and traffic that are paid by quantity expire is not documented, but a renewal of
// both answers with an expire_time. Here they last a year from the last purchase.
export const PAID_QUANTITY_LASTS: Term = { unit: 'YEAR', number: 1 };

/** Exclusive dedicated proxies are not sold by the day or week. */
export function unitsFor(isExclusive: boolean): readonly TimeUnit[] {
	return isExclusive ? ['MONTH', 'YEAR'] : TIME_UNITS;
}

/** `prefix` is what createorder puts in front of the names that reneworder uses bare. */
export function readTerm(
	own: OwnParameters,
	prefix: string,
	units: readonly TimeUnit[],
	defaultNumber?: number,
): Term {
	const unit = own.choice(`${prefix}time_type`, units);
	return { unit, number: own.number(`${prefix}time_number`, NUMBER_OF_UNITS[unit], defaultNumber) };
}

export function readAutoRenewal(
	own: OwnParameters,
	prefix: string,
	units: readonly TimeUnit[],
): AutoRenewal {
	const enabled = own.flag(`${prefix}is_auto_renew`, false);
	const unit = enabled ? own.choice(`${prefix}auto_renew_unit`, units, 'MONTH') : 'MONTH';
	return { enabled, unit };
}
