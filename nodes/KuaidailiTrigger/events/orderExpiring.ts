import type { IDataObject } from 'n8n-workflow';

import { readRequiredField, toProperty, type Field } from '../../shared/fields/field';
import { wholeNumber } from '../../shared/fields/valueKinds';
import { isRecord, ownValue, type UnknownRecord } from '../../shared/guards';
import type { AccountOrder } from '../../shared/orders/accountOrders';
import { expiryOf, withExpiry } from '../../shared/orders/expiry';
import { expiringWithin, readTimeWindow } from '../../shared/orders/timeWindow';
import { toRecord } from '../../shared/toRecord';
import type { TriggerEvent } from './event';
import { orderFilters, readOrderFilters } from './orderFilters';
import { fetchWatchedOrders, isRunning, soonest, withLastSeen } from './watchedOrders';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** An order that was emitted. Moments are milliseconds since 1970. */
interface Emitted {
	/** A renewal changes it, and the order is emitted again when the new one comes near. */
	readonly expiry: number;
	readonly at: number;
}

function readEmitted(state: UnknownRecord | undefined): Map<string, Emitted> {
	const emitted = state && ownValue(state, 'emitted');
	const entries = isRecord(emitted) ? Object.entries(emitted) : [];
	return new Map(
		entries.flatMap(([orderid, value]) => {
			const expiry = ownValue(value, 'expiry');
			const at = ownValue(value, 'at');
			return typeof expiry === 'number' && typeof at === 'number'
				? [[orderid, { expiry, at }]]
				: [];
		}),
	);
}

/**
 * n8n polls a little early or late. A daily reminder must not slip to every other day because a poll came
 * a second too soon.
 */
function intervalMs(remindEveryHours: number): number {
	return remindEveryHours * HOUR_MS - Math.min(remindEveryHours * 60_000, 600_000);
}

function isDue(known: Emitted | undefined, expiry: number, now: number, remindEvery: number) {
	if (known?.expiry !== expiry) return true;
	// In either direction: after a wrong Date header, `at` may lie in the future
	return remindEvery > 0 && Math.abs(now - known.at) >= intervalMs(remindEvery);
}

/**
 * Picks the orders to emit: each one right away, and again every `remindEvery` hours while it is among
 * the given orders, so that the workflow can retry what failed.
 *
 * @param expiring the orders about to end
 * @param now milliseconds since 1970, by the clock of the service
 * @param remindEvery hours; 0 for once
 */
export function remind(
	expiring: readonly AccountOrder[],
	state: UnknownRecord | undefined,
	now: number,
	remindEvery: number,
): { readonly orders: readonly AccountOrder[]; readonly state: IDataObject } {
	const emitted = readEmitted(state);
	const orders = expiring.filter((order) => {
		const expiry = expiryOf(order);
		if (expiry === undefined) return false;
		if (!isDue(emitted.get(order.orderid), expiry, now, remindEvery)) return false;
		emitted.set(order.orderid, { expiry, at: now });
		return true;
	});
	// Orders that have ended are no longer emitted, so nothing about them has to be remembered
	const kept = [...emitted].filter(([, { expiry }]) => expiry > now - DAY_MS);
	const remembered: IDataObject = {};
	for (const [orderid, one] of kept) remembered[orderid] = { ...one };
	return { orders, state: { emitted: remembered } };
}

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
