import type { AccountOrder } from '../../shared/orders/accountOrders';
import { withExpiry } from '../../shared/orders/expiry';
import { toRecord } from '../../shared/toRecord';
import { fetchWatchedOrders } from '../watchedOrders';
import type { TriggerEvent } from './event';
import { newEnds } from './knownEnds';
import { orderFilters, readOrderFilters } from './orderFilters';
import { hasEnded, isRunning, latest, soonest, withLastSeen } from './orderStates';

export const orderExpired: TriggerEvent = {
	option: {
		name: 'Order Expired',
		value: 'orderExpired',
		description: 'When an order expires. If it is renewed, again when it expires the next time.',
	},
	properties: [orderFilters],
	nothing: 'The account has no order to test this with',
	async fetchSnapshot(caller, valueOf, earlier) {
		const passes = readOrderFilters(valueOf(orderFilters.name));
		const seen = await fetchWatchedOrders(caller, 'ALL', earlier);
		const record = (order: AccountOrder) => toRecord(withExpiry(order, seen.answeredAt));
		return {
			poll(stored) {
				const ended = seen.orders.filter(hasEnded);
				const { orders, state } = newEnds(ended, passes, stored, caller.credential.secretId);
				return { records: orders.map(record), state: withLastSeen(state, seen, caller) };
			},
			sample() {
				const wanted = seen.orders.filter(passes);
				const ended = latest(wanted.filter(hasEnded));
				return (ended.length > 0 ? ended : soonest(wanted.filter(isRunning))).map(record);
			},
		};
	},
};
