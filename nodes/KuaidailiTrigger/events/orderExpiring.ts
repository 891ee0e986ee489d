import { toProperty } from '../../shared/fields/field';
import type { AccountOrder } from '../../shared/orders/accountOrders';
import { expiryOf, withExpiry } from '../../shared/orders/expiry';
import { expiringWithin, readTimeWindow } from '../../shared/orders/timeWindow';
import { toRecord } from '../../shared/toRecord';
import { askWatchedOrders } from '../watchedOrders';
import type { TriggerEvent } from './event';
import { hasEnded, isRunning, soonest, withLastSeen } from './orderStates';
import { orderFilters, readOrderFilters } from './orderFilters';
import { lastLookOf, tellOnce } from './toldOnce';

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
	async look(caller, valueOf, memory) {
		const window = readTimeWindow(expiringWithin, valueOf);
		const passes = readOrderFilters(valueOf(orderFilters.name));
		const inForce = await askWatchedOrders(caller, 'VALID', memory);
		const lastLook = lastLookOf(memory) ?? inForce.answeredAt;
		// After an outage, orders may have come near their end and ended without being seen
		const isLongAgo = inForce.answeredAt - lastLook >= Math.min(window.ms, SHORTEST_TERM_MS);
		const seen = isLongAgo ? await askWatchedOrders(caller, 'ALL', memory) : inForce;
		const { answeredAt } = seen;
		const record = (order: AccountOrder) => toRecord(withExpiry(order, answeredAt));
		return {
			news(stored) {
				const told = tellOnce(
					seen,
					stored,
					(_since, last, now) => ({ from: last, to: now + window.ms }),
					(order) => passes(order) && (isRunning(order) || hasEnded(order)),
				);
				return {
					records: told.orders.map(record),
					memory: withLastSeen(told.memory, seen, caller),
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
