import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import type { LocalTime } from '../../../../shared/service/localTime';
import { withExpiry } from '../../../../shared/orders/expiry';
import type { OrderExpiry } from '../../../../shared/queries/orderExpiry';
import { expiringWithin, type TimeWindow } from '../../../../shared/orders/timeWindow';
import type { Finding } from '../../../purchase/contract';
import { lastsFromTo, latestEnd, shortestMs, type OrderTerm } from '../term';

/**
 * A renewed order must have more time left than the window, or the next run renews it again.
 *
 * @throws InvalidFieldError
 */
export function refuseShortTerm(window: TimeWindow, term: OrderTerm): void {
	const shortest = shortestMs(term);
	// A renewed order that had already ended may count from the renewal, so a term equal to the window is
	// too short
	if (shortest === 0 || shortest > window.ms) return;
	throw new InvalidFieldError(
		expiringWithin.amount.displayName,
		window.inWords,
		"The renewal adds no more than that, so a second run could renew again. Choose a shorter time here or a longer 'Duration', or set 'Renew' to 'Always'.",
	);
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
	term: OrderTerm,
): boolean {
	const isTermAfter = (start: number): boolean => lastsFromTo(start, after, term);
	return after > before && (isTermAfter(before) || (sentAt > before && isTermAfter(sentAt)));
}

/** @returns what the expiry shows of a renewal that was sent between two looks */
export function compareExpiry(
	before: OrderExpiry,
	{ expiresAt, expireTime, answeredAt }: OrderExpiry,
	term: OrderTerm | undefined,
	localTime: LocalTime,
): Finding {
	const checked = 'The node checked again right afterwards:';
	if (before.expiresAt === undefined || expiresAt === undefined) {
		return { shows: 'unclear', text: `${checked} the order has no expiry to compare.` };
	}
	const ends = localTime(expiresAt);
	if (expiresAt === before.expiresAt) {
		return {
			shows: 'notMade',
			text: `${checked} the order still ends at ${ends}, so it was probably not renewed.`,
		};
	}
	const now = `${checked} the order now ends at ${ends},`;
	if (term === undefined || !movedByTerm(before.expiresAt, expiresAt, before.answeredAt, term)) {
		return {
			shows: 'unclear',
			text: `${now} which is not what this renewal would add. Check what else renewed it.`,
		};
	}
	return {
		shows: 'made',
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
export function findSecondRenewal(
	before: OrderExpiry,
	{ expiresAt }: OrderExpiry,
	term: OrderTerm | undefined,
	localTime: LocalTime,
): string | undefined {
	if (before.expiresAt === undefined || expiresAt === undefined) return undefined;
	const start = Math.max(before.expiresAt, before.answeredAt);
	const latest = term && latestEnd(start, term);
	if (latest === undefined || expiresAt <= latest) return undefined;
	return `The order was to end at ${localTime(before.expiresAt)} and now ends at ${localTime(expiresAt)}, later than after one renewal.`;
}
