import type { IDataObject } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import { isList, ownValue, type UnknownRecord } from '../../shared/guards';
import type { AccountOrder } from '../../shared/orders/accountOrders';
import { expiryOf } from '../../shared/orders/expiry';

/** With more expired orders than this, the oldest ones would be emitted again. */
const MAX_KNOWN_ENDS = 5000;

/** Short, because thousands of them may be saved with the workflow. */
const KEY_LENGTH = 12;

/** A renewed order ends anew, at another time. */
function keyOf(order: AccountOrder): string {
	return fingerprintOf(order.orderid, expiryOf(order)).slice(0, KEY_LENGTH);
}

/** @returns undefined before the first poll, and when another credential was chosen since */
function readKnown(state: UnknownRecord | undefined, subject: string): Set<string> | undefined {
	if (state === undefined || ownValue(state, 'subject') !== subject) return undefined;
	const known = ownValue(state, 'ended');
	return isList(known) ? new Set(known.filter((key) => typeof key === 'string')) : undefined;
}

/**
 * Picks the orders that were not known to have expired. It uses no clock, so a wrong Date header can
 * neither hide nor repeat an event.
 *
 * @param ended all orders that have ended
 * @param isWanted whether an order is emitted; the others are remembered all the same
 * @param state undefined at the first poll, which emits nothing: what ended before is no event
 * @param secretId whose orders they are
 */
export function newEnds(
	ended: readonly AccountOrder[],
	isWanted: (order: AccountOrder) => boolean,
	state: UnknownRecord | undefined,
	secretId: string,
): { readonly orders: readonly AccountOrder[]; readonly state: IDataObject } {
	const subject = fingerprintOf(secretId);
	const earlier = readKnown(state, subject);
	const fresh = ended.filter((order) => earlier?.has(keyOf(order)) !== true);
	const known = [...(earlier ?? []), ...fresh.map(keyOf)];
	return {
		orders: earlier === undefined ? [] : fresh.filter(isWanted),
		state: { subject, ended: known.slice(-MAX_KNOWN_ENDS) },
	};
}
