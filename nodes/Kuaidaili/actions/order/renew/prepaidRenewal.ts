import type { IDataObject } from 'n8n-workflow';

import type { FieldReader } from '../../../../shared/fields/readFields';
import type { UnknownRecord } from '../../../../shared/guards';
import type { LocalTime } from '../../../../shared/service/localTime';
import { expiryOf } from '../../../../shared/orders/expiry';
import { orderExpiry, type OrderExpiry } from '../../../../shared/queries/orderExpiry';
import {
	expiringWithin,
	readTimeWindow,
	type TimeWindow,
} from '../../../../shared/orders/timeWindow';
import { trustedTime } from '../../../../shared/orders/trustedTime';
import { ApiError, DescribedError, unlessCancelled } from '../../../../shared/errors/callErrors';
import type { PurchaseItem, PurchaseWords } from '../../../purchase/contract';
import { LATE_IN_WORDS } from '../../../purchase/words';
import { termOf } from '../term';
import { reasonForEnded } from './orderType';
import { shownExpiry, skippedForTestEvent, type PlanRenewal } from './renewal';
import { compareExpiry, findSecondRenewal, refuseShortTerm } from './renewedExpiry';

/** The service no longer knows the key pair: the order has ended, or never was. */
const ORDER_INVALID = -102;

/** What ended longer ago is not renewed: nobody has missed it. */
const LONG_ENDED_MS = 86_400_000;

/**
 * Whether an order ends within the window; one without an end does not.
 *
 * @throws DescribedError when the clocks of the service and of this machine differ
 */
function isExpiring(expiry: OrderExpiry, window: TimeWindow): boolean {
	const { expiresAt } = expiry;
	return expiresAt !== undefined && expiresAt - trustedTime(expiry) <= window.ms;
}

/**
 * The output for an order that has more time left or ended long ago; undefined for one that is to be
 * renewed.
 *
 * @throws DescribedError for an order that does not end, and when the clocks differ
 */
export function notToBeRenewed(
	expiry: OrderExpiry,
	window: TimeWindow,
	localTime: LocalTime,
): IDataObject | undefined {
	if (expiry.expiresAt === undefined) {
		throw new DescribedError({
			message: "The order has no expiry time, so the node can't tell whether it is expiring",
			description:
				"Pay-as-you-go orders run until they are closed. To renew another kind of order, choose it in 'Order Type'. Nothing was bought for this item.",
		});
	}
	const { expiresAt } = expiry;
	if (trustedTime(expiry) - expiresAt > LONG_ENDED_MS) {
		const reason = reasonForEnded(localTime(expiresAt));
		return { renewed: false, reason, ...shownExpiry(expiry) };
	}
	if (isExpiring(expiry, window)) return undefined;
	return {
		renewed: false,
		reason: `The order has more than ${window.inWords} left, so nothing was bought`,
		...shownExpiry(expiry),
	};
}

/**
 * Says of an order that the service no longer knows that it has ended, where the list of the account says so.
 *
 * @param listed what that says of the order
 */
function orderHasEnded(
	orderid: string | undefined,
	listed: OrderExpiry | undefined,
	localTime: LocalTime,
) {
	return (error: unknown): never => {
		const { expiresAt = Infinity, answeredAt = 0 } = listed ?? {};
		const isInvalid = error instanceof ApiError && error.code === ORDER_INVALID;
		if (!isInvalid || expiresAt > answeredAt) throw error;
		throw new DescribedError({
			message: `Order ${orderid} ended at ${localTime(expiresAt)}, and can't be renewed anymore`,
			description: `Nothing was bought for this item. Order a new one with 'Order: Create'. ${error.evidence}`,
			code: String(error.code),
		});
	};
}

const WORDS: PurchaseWords = {
	unclear: 'The order may have been renewed',
	what: 'prepaid renewal',
	howToFindOut:
		"To find out, look at the expiry time of the order, with 'Order: Get' or in the Kuaidaili member center.",
	otherwise: `If it has not moved ${LATE_IN_WORDS} later, nothing was paid for this item, and a new run of the workflow can renew it. With 'Renew' set to 'Only If Expiring Within', that run checks by itself, and passes the order on if it was renewed.`,
};

function isOldExpiry(answer: UnknownRecord, { expiresAt }: OrderExpiry): boolean {
	const renewed = expiryOf(answer);
	return renewed !== undefined && expiresAt !== undefined && renewed <= expiresAt;
}

/**
 * A renewal by time: the expiry of the order moves.
 *
 * @throws InvalidFieldError
 */
export function planPrepaid(
	reader: FieldReader,
	item: PurchaseItem,
	orderid: string | undefined,
): PlanRenewal<OrderExpiry> {
	const { check, localTime } = item;
	const term = termOf(reader.parameters.time_type, reader.parameters.time_number);
	const isConditional = reader.text('renewWhen') !== 'always';
	const common = {
		words: WORDS,
		compare: (before: OrderExpiry, after: OrderExpiry) =>
			compareExpiry(before, after, term, localTime),
		findDuplicate: (before: OrderExpiry, after: OrderExpiry) =>
			findSecondRenewal(before, after, term, localTime),
		isOldAnswer: isOldExpiry,
		isStale: (now: OrderExpiry, before: OrderExpiry) =>
			now.expiresAt !== undefined &&
			before.expiresAt !== undefined &&
			now.expiresAt <= before.expiresAt,
	};
	if (!isConditional) {
		// Asked for the case that the answer gets lost only
		return () => ({
			...common,
			readState: async (ask) => await ask(orderExpiry).catch(unlessCancelled),
		});
	}
	const window = readTimeWindow(expiringWithin, (name) => reader.text(name));
	if (check && term !== undefined) refuseShortTerm(window, term);
	const insteadOfBuying = (expiry: OrderExpiry) =>
		notToBeRenewed(expiry, window, localTime) ?? skippedForTestEvent(item, shownExpiry(expiry));
	return (listed) => ({
		...common,
		// Never by the input item, which may be old: it must be the reason neither to renew nor not to
		async prepare() {
			const instead = listed?.expiry && insteadOfBuying(listed.expiry);
			return await Promise.resolve(instead && { orderid, ...instead });
		},
		readState: async (ask) =>
			await ask(orderExpiry).catch(orderHasEnded(orderid, listed?.expiry, localTime)),
		insteadOfBuying,
	});
}
