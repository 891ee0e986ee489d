import type { PrivateProxyOrder } from '../accounts/order.mts';
import { chinaDay } from '../time/chinaTime.mts';

/** How many private proxies the order may still have: of all, or of today. */
export function leftOf(order: PrivateProxyOrder, now: Date): number {
	startDay(order, now);
	return order.ipBalance ?? Math.max(0, order.ipCount - order.extractedToday);
}

/**
 * One that is handed out again while it lives is counted again. What the service counts is not
 * documented.
 */
export function useUp(order: PrivateProxyOrder, count: number): void {
	if (order.ipBalance === undefined) order.extractedToday += count;
	else order.ipBalance -= count;
}

/** A new day brings prepaid orders their addresses again. What a test set is about the day of the first call. */
function startDay(order: PrivateProxyOrder, now: Date): void {
	if (order.fetchType === undefined) return;
	const today = chinaDay(now);
	if (order.quotaDay !== undefined && order.quotaDay !== today) {
		order.extractedToday = 0;
		if (order.ipBalance !== undefined) order.ipBalance = order.ipCount;
	}
	order.quotaDay = today;
}
