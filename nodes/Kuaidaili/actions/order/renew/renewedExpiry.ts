import { withExpiry } from '../../../../shared/orders/expiry';
import type { OrderExpiry } from '../../../../shared/orders/orderExpiry';
import type { Finding } from '../../../purchase/contract';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const TOLERANCE_MS = 2 * HOUR_MS;

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

/** Undefined for a unit that is not known: 'Skip Local Checks' sends whatever was entered. */
function daysOf(unit: string): readonly [shortest: number, longest: number] | undefined {
	return Object.hasOwn(DAYS_OF_UNIT, unit) ? DAYS_OF_UNIT[unit] : undefined;
}

/** The shortest that the term can last, in milliseconds; 0 for a unit that is not known. */
export function shortestMs({ timeType, timeNumber }: RenewalTerm): number {
	const [shortest] = daysOf(timeType) ?? [0, 0];
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
	const [, longest] = daysOf(term.timeType) ?? [0, 0];
	const isTermAfter = (start: number): boolean =>
		after - start >= shortestMs(term) - TOLERANCE_MS &&
		after - start <= longest * term.timeNumber * DAY_MS + TOLERANCE_MS;
	return after > before && (isTermAfter(before) || (sentAt > before && isTermAfter(sentAt)));
}

/** @returns what the expiry shows of a renewal that was sent between two looks */
export function compareExpiry(
	before: OrderExpiry,
	{ expiresAt, expireTime, answeredAt }: OrderExpiry,
	term: RenewalTerm | undefined,
	mayBeAnothers: boolean,
): Finding {
	const looked = 'The node looked again right afterwards:';
	if (before.expiresAt === undefined || expiresAt === undefined) {
		return { state: 'unclear', text: `${looked} the order has no expiry that could tell.` };
	}
	const ends = `${expireTime} (China time)`;
	if (expiresAt === before.expiresAt) {
		return {
			state: 'notMade',
			text: `${looked} the order still ends at ${ends}, so it was probably not renewed.`,
		};
	}
	const now = `${looked} the order now ends at ${ends},`;
	if (term === undefined || !movedByTerm(before.expiresAt, expiresAt, before.answeredAt, term)) {
		return {
			state: 'unclear',
			text: `${now} which is not what this renewal would add. Look what else renewed it.`,
		};
	}
	if (mayBeAnothers) {
		return {
			state: 'unclear',
			text: `${now} as after this renewal, but that may also come from an earlier one whose answer was unclear.`,
		};
	}
	return {
		state: 'made',
		text: `${now} as after this renewal.`,
		bought(orderid) {
			const record = { expire_time: expireTime, renewed: true, verified: true };
			const named = orderid === undefined ? record : { orderid, ...record };
			return {
				record: withExpiry(named, answeredAt),
				label: `renewal of order ${orderid ?? '(the order of the credential)'}`,
			};
		},
	};
}

/** @returns that an expiry moved further than by one such renewal between two looks, as a whole sentence */
export function excessOfExpiry(
	before: OrderExpiry,
	{ expiresAt, expireTime }: OrderExpiry,
	term: RenewalTerm | undefined,
): string | undefined {
	const days = term && daysOf(term.timeType);
	if (term === undefined || days === undefined) return undefined;
	if (before.expiresAt === undefined || expiresAt === undefined) return undefined;
	const start = Math.max(before.expiresAt, before.answeredAt);
	const latest = start + days[1] * term.timeNumber * DAY_MS + TOLERANCE_MS;
	if (expiresAt <= latest) return undefined;
	return `The order ended at ${before.expireTime} before and ends at ${expireTime} now (China time), later than after one renewal.`;
}
