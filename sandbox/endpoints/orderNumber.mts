import type { Order } from '../accounts/order.mts';
import type { Settings } from '../settings.mts';

/** As it goes into an answer: a bigint becomes a JSON number with all its digits. */
export function writtenOrderNumber(
	{ orderId }: Order,
	{ orderNumbers }: Settings,
): string | bigint {
	return orderNumbers === 'unsafe number' ? BigInt(orderId) : orderId;
}
