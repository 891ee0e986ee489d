import type { AccountOrder } from '../../shared/orders/accountOrders';
import { expiryOf, withExpiry } from '../../shared/orders/expiry';
import { toRecord } from '../../shared/toRecord';
import { fetchWatchedOrders } from '../watchedOrders';
import type { TriggerEvent } from './event';
import { hasEnded, isRunning, latest, soonest, withLastSeen } from './orderStates';
import { orderFilters, readOrderFilters } from './orderFilters';
import { LATE_MS, emitOnce } from './emitOnce';

/** Once the service says so, or some minutes later even if it does not. */
function isOver(order: AccountOrder, now: number): boolean {
	const expiry = expiryOf(order) ?? Infinity;
	return hasEnded(order) || (isRunning(order) && expiry <= now - LATE_MS / 2);
}

export const orderExpired: TriggerEvent = {
	option: {
		name: 'Order Expired',
		value: 'orderExpired',
		description: 'When an order has ended; once for each order, and again after a renewal',
	},
	properties: [orderFilters],
	nothing: 'There is no order to try this out with',
	async fetchSnapshot(caller, valueOf, state) {
		const passes = readOrderFilters(valueOf(orderFilters.name));
		const seen = await fetchWatchedOrders(caller, 'ALL', state);
		const record = (order: AccountOrder) => toRecord(withExpiry(order, seen.answeredAt));
		return {
			poll(stored) {
				const emitted = emitOnce(
					seen,
					stored,
					(since, last, now) => ({ from: Math.max(since, last - LATE_MS), to: now }),
					(order, now) => passes(order) && isOver(order, now),
				);
				return {
					records: emitted.orders.map(record),
					state: withLastSeen(emitted.state, seen, caller),
				};
			},
			sample() {
				const wanted = seen.orders.filter(passes);
				const ended = latest(wanted.filter(hasEnded));
				return (ended.length > 0 ? ended : soonest(wanted.filter(isRunning))).map(record);
			},
		};
	},
};
