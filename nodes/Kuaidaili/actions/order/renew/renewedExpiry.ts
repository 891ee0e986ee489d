const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The shortest and the longest that a unit lasts, in days; the service does not say how it counts months. */
const DAYS_OF_UNIT: Readonly<Record<string, readonly [shortest: number, longest: number]>> = {
	DAY: [1, 1],
	WEEK: [7, 7],
	MONTH: [28, 31],
	YEAR: [365, 366],
};

/** How long an order was renewed for, as reneworder takes it. */
export interface RenewalTerm {
	readonly timeType: string;
	readonly timeNumber: number;
}

/** The shortest that the term can last, in milliseconds; 0 for a unit that is not known. */
export function shortestMs({ timeType, timeNumber }: RenewalTerm): number {
	const [shortest] = DAYS_OF_UNIT[timeType] ?? [0, 0];
	return shortest * timeNumber * DAY_MS;
}

/**
 * Whether an expiry moved as by this renewal. All moments are milliseconds since 1970.
 *
 * @param before the expiry before the renewal
 * @param sentAt when it was sent, by the clock of the service. Whether a renewal of an order that has
 * ended counts from then or from its end is not documented.
 */
export function movedByTerm(
	before: number,
	after: number,
	sentAt: number,
	term: RenewalTerm,
): boolean {
	const [, longest] = DAYS_OF_UNIT[term.timeType] ?? [0, 0];
	const tolerance = 2 * HOUR_MS;
	const isTermAfter = (start: number): boolean =>
		after - start >= shortestMs(term) - tolerance &&
		after - start <= longest * term.timeNumber * DAY_MS + tolerance;
	return after > before && (isTermAfter(before) || (sentAt > before && isTermAfter(sentAt)));
}
