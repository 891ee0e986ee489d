import { readRequiredField, toProperty, type Field } from '../../shared/fields/field';
import { wholeNumber } from '../../shared/fields/valueKinds';
import type { AccountOrder } from '../../shared/orders/accountOrders';
import { expiryOf, withExpiry } from '../../shared/orders/expiry';
import { expiringWithin, readTimeWindow } from '../../shared/orders/timeWindow';
import { toRecord } from '../../shared/toRecord';
import { fetchWatchedOrders } from '../watchedOrders';
import type { TriggerEvent } from './event';
import { orderFilters, readOrderFilters } from './orderFilters';
import { isRunning, soonest, withLastSeen } from './orderStates';
import { remind } from './reminders';

const remindEveryField: Field = {
	name: 'remindEvery',
	displayName: 'Remind Every (Hours)',
	description:
		'How often to start the workflow again for an order that is still about to expire, for example because a renewal failed. With 0, it starts only once per order.',
	kind: wholeNumber(0, 8760, 24),
};

export const orderExpiring: TriggerEvent = {
	option: {
		name: 'Order Expiring',
		value: 'orderExpiring',
		description: 'When an order has little time left, and again every day until it is renewed',
	},
	properties: [
		toProperty(expiringWithin.amount),
		toProperty(expiringWithin.unit),
		toProperty(remindEveryField),
		orderFilters,
	],
	nothing: 'The account has no active order to test this with',
	async fetchSnapshot(caller, valueOf, earlier) {
		const window = readTimeWindow(expiringWithin, valueOf);
		const remindEvery = Number(readRequiredField(remindEveryField, valueOf(remindEveryField.name)));
		const passes = readOrderFilters(valueOf(orderFilters.name));
		const seen = await fetchWatchedOrders(caller, 'VALID', earlier);
		const { answeredAt } = seen;
		const running = seen.orders.filter(
			(order) => passes(order) && isRunning(order) && (expiryOf(order) ?? 0) > answeredAt,
		);
		const expiring = running.filter((order) => (expiryOf(order) ?? 0) <= answeredAt + window.ms);
		const record = (order: AccountOrder) => toRecord(withExpiry(order, answeredAt));
		return {
			poll(stored) {
				const { orders, state } = remind(expiring, stored, answeredAt, remindEvery);
				return { records: orders.map(record), state: withLastSeen(state, seen, caller) };
			},
			sample: () => (expiring.length > 0 ? expiring : soonest(running)).map(record),
		};
	},
};
