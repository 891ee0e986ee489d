import type { IDataObject } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import { isDataObject, ownValue } from '../../shared/guards';
import type { AccountOrder, AccountOrders } from '../../shared/orders/accountOrders';
import { byExpiry, expiryOf } from '../../shared/orders/expiry';
import type { Caller } from '../../shared/transport/caller';

export function isRunning(order: AccountOrder): boolean {
	return ['VALID', undefined].includes(statusOf(order));
}

export function hasEnded(order: AccountOrder): boolean {
	return statusOf(order) === 'EXPIRED';
}

function statusOf(order: AccountOrder): string | undefined {
	const status = ownValue(order, 'status');
	return typeof status === 'string' ? status : undefined;
}

function sortedByExpiry(orders: readonly AccountOrder[]): AccountOrder[] {
	return orders.filter((order) => expiryOf(order) !== undefined).sort(byExpiry);
}

/** The order that expires first, if any order expires. */
export function soonest(orders: readonly AccountOrder[]): AccountOrder[] {
	return sortedByExpiry(orders).slice(0, 1);
}

/** The order that expired last, if any has. */
export function latest(orders: readonly AccountOrder[]): AccountOrder[] {
	return sortedByExpiry(orders).slice(-1);
}

/** With an order's key pair, remembers the order for the time when the key pair is rejected. */
export function withLastSeen(
	state: IDataObject,
	{ orders }: AccountOrders,
	{ credential }: Caller,
): IDataObject {
	const order: unknown = orders[0];
	return credential.keyType === 'order' && isDataObject(order)
		? { ...state, lastSeen: order, lastSeenWith: fingerprintOf(credential.secretId) }
		: state;
}
