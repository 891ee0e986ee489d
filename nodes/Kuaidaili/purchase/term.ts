import { CHINA_OFFSET_MS, DAY_MS, HOUR_MS, type EpochMs } from '../../shared/service/chinaTime';
import { plural } from '../../shared/wording';

const TOLERANCE_MS = 2 * HOUR_MS;

/** The shortest and the longest that a unit lasts, in days; the service does not say how it counts months. */
const DAYS_OF_UNIT: Readonly<Record<string, readonly [shortest: number, longest: number]>> = {
	DAY: [1, 1],
	WEEK: [7, 7],
	MONTH: [28, 31],
	YEAR: [365, 366],
};

/** How long an order lasts, or is renewed for, as createorder and reneworder take it. */
export interface OrderTerm {
	readonly timeType: string;
	readonly timeNumber: number;
}

/** Undefined where one of them is not sent. */
export function termOf(
	timeType: string | undefined,
	timeNumber: string | undefined,
): OrderTerm | undefined {
	const isKnown = timeType !== undefined && timeNumber !== undefined;
	return isKnown ? { timeType, timeNumber: Number(timeNumber) } : undefined;
}

/** Such as "1 month". */
export function termInWords({ timeType, timeNumber }: OrderTerm): string {
	return plural(timeNumber, timeType.toLowerCase());
}

/** Zeros for a unit that is not known. */
function daysOf({ timeType, timeNumber }: OrderTerm): { shortest: number; longest: number } {
	const [shortest, longest] = Object.hasOwn(DAYS_OF_UNIT, timeType)
		? DAYS_OF_UNIT[timeType]
		: [0, 0];
	return { shortest: shortest * timeNumber, longest: longest * timeNumber };
}

/** The shortest that the term can last, in milliseconds; 0 for a unit that is not known. */
export function shortestMs(term: OrderTerm): number {
	return daysOf(term).shortest * DAY_MS;
}

/** Whether the term may last from one moment to the other. */
export function lastsFromTo(start: EpochMs, end: EpochMs, term: OrderTerm): boolean {
	const { shortest, longest } = daysOf(term);
	if (longest === 0) return false;
	const latest = start + longest * DAY_MS + TOLERANCE_MS;
	return end >= start + shortest * DAY_MS - TOLERANCE_MS && end <= latest;
}

/** The end of a term by the calendar in China; undefined for a unit that is not known. */
export function endOfTerm(start: EpochMs, term: OrderTerm): EpochMs | undefined {
	const { timeType, timeNumber } = term;
	const { shortest } = daysOf(term);
	if (timeType !== 'MONTH' && timeType !== 'YEAR') {
		return shortest === 0 ? undefined : start + shortest * DAY_MS;
	}
	const end = new Date(start + CHINA_OFFSET_MS);
	const day = end.getUTCDate();
	end.setUTCMonth(end.getUTCMonth() + timeNumber * (timeType === 'YEAR' ? 12 : 1));
	// January 31 and a month: the last day of February
	if (end.getUTCDate() !== day) end.setUTCDate(0);
	return end.getTime() - CHINA_OFFSET_MS;
}
