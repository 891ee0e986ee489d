import { toProperty } from '../../shared/fields/field';
import type { AccountOrder } from '../../shared/orders/accountOrders';
import { expiryOf, withExpiry } from '../../shared/orders/expiry';
import { expiringWithin, readTimeWindow } from '../../shared/orders/timeWindow';
import { toRecord } from '../../shared/toRecord';
import { fetchWatchedOrders } from '../watchedOrders';
import type { TriggerEvent } from './event';
import { hasEnded, isRunning, soonest, withLastSeen } from './orderStates';
import { orderFilters, readOrderFilters } from './orderFilters';
import { lastPollOf, emitOnce } from './emitOnce';

/** No order and no renewal is for less, so that within it nothing new can have ended. */
const SHORTEST_TERM_MS = 86_400_000;

export const orderExpiring: TriggerEvent = {
	option: {
		name: 'Order Expiring',
		value: 'orderExpiring',
		description:
			'When an order has little time left; once for each order, and again after a renewal',
	},
	properties: [toProperty(expiringWithin.amount), toProperty(expiringWithin.unit), orderFilters],
	nothing: 'There is no order in force to try this out with',
	async fetchSnapshot(caller, valueOf, state) {
		const window = readTimeWindow(expiringWithin, valueOf);
		const passes = readOrderFilters(valueOf(orderFilters.name));
		const inForce = await fetchWatchedOrders(caller, 'VALID', state);
		const lastPoll = lastPollOf(state) ?? inForce.answeredAt;
		// After an outage, orders may have come near their end and ended without being seen
		const isLongAgo = inForce.answeredAt - lastPoll >= Math.min(window.ms, SHORTEST_TERM_MS);
		const seen = isLongAgo ? await fetchWatchedOrders(caller, 'ALL', state) : inForce;
		const { answeredAt } = seen;
		const record = (order: AccountOrder) => toRecord(withExpiry(order, answeredAt));
		return {
			poll(stored) {
				const emitted = emitOnce(
					seen,
					stored,
					(_since, last, now) => ({ from: last, to: now + window.ms }),
					(order) => passes(order) && (isRunning(order) || hasEnded(order)),
				);
				return {
					records: emitted.orders.map(record),
					state: withLastSeen(emitted.state, seen, caller),
				};
			},
			sample() {
				const running = seen.orders.filter((order) => passes(order) && isRunning(order));
				const within = running.filter(
					(order) => (expiryOf(order) ?? Infinity) - answeredAt <= window.ms,
				);
				return (within.length > 0 ? within : soonest(running)).map(record);
			},
		};
	},
};
