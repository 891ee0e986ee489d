import type { IDataObject } from 'n8n-workflow';

import { withExpiry } from '../../../../shared/orders/expiry';
import type { OrderExpiry } from '../../../../shared/orders/orderExpiry';
import type { TimeWindow } from '../../../../shared/orders/timeWindow';
import { ApiError, DescribedError } from '../../../../shared/errors/callErrors';

/** The service no longer knows the key pair: the order has ended, or never was. */
const ORDER_INVALID = -102;

/** What the output says about an order that was not renewed. */
export function shownExpiry({ expireTime, answeredAt }: OrderExpiry): IDataObject {
	return withExpiry({ expire_time: expireTime }, answeredAt);
}

/** Whether an order ends within the window; one without an end does not. */
export function isExpiring({ expiresAt, answeredAt }: OrderExpiry, window: TimeWindow): boolean {
	return expiresAt !== undefined && expiresAt - answeredAt <= window.ms;
}

/**
 * The output for an order that has more time left; undefined for one that is to be renewed.
 *
 * @throws DescribedError for an order that does not end
 */
export function notYetExpiring(expiry: OrderExpiry, window: TimeWindow): IDataObject | undefined {
	if (expiry.expiresAt === undefined) {
		throw new DescribedError({
			message: "The order has no expiry time, so the node can't tell whether it is expiring",
			description:
				"Pay-as-you-go orders run until they are closed. To renew another kind of order, choose it in 'Order Type'. Nothing was bought for this item.",
		});
	}
	if (isExpiring(expiry, window)) return undefined;
	return {
		renewed: false,
		reason: `The order has more than ${window.inWords} left, so nothing was bought`,
		...shownExpiry(expiry),
	};
}

/**
 * Says of an order that the service no longer knows that it has ended, where the list of the account tells.
 *
 * @param listed what that says of the order
 */
export function orderHasEnded(orderid: string | undefined, listed: OrderExpiry | undefined) {
	return (error: unknown): never => {
		const { expireTime, expiresAt = Infinity, answeredAt = 0 } = listed ?? {};
		const isInvalid = error instanceof ApiError && error.code === ORDER_INVALID;
		if (!isInvalid || expiresAt > answeredAt) throw error;
		throw new DescribedError({
			message: `Order ${orderid} ended at ${expireTime} (China time), and can't be renewed anymore`,
			description: `Nothing was bought for this item. Order a new one with 'Order: Create'. ${error.evidence}`,
			code: String(error.code),
		});
	};
}
