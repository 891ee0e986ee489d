import type { IDataObject } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import { isRecord, ownValue, type UnknownRecord } from '../../shared/guards';
import type { AccountOrder } from '../../shared/queries/account';
import { expiryOf, hasEnded } from '../../shared/orders/orderState';
import { orderItem } from '../../shared/orders/orderItem';
import { trustedTime } from '../../shared/orders/timeLeft';
import { toChinaTime, type EpochMs } from '../../shared/service/chinaTime';
import type { TriggerEvent } from './event';
import { orderFilters, readOrderFilters } from './orderFilters';
import {
	fetchWatchedOrders,
	isNews,
	lastPollOf,
	sortedByExpiry,
	withLastSeen,
} from './watchedOrders';

/** Short, because many of them may be saved with the workflow. */
const KEY_LENGTH = 12;

const HOUR_MS = 3_600_000;

/** A renewed order ends again, at another time. */
function keyOf(order: AccountOrder): string {
	return fingerprintOf(order.orderid, expiryOf(order)).slice(0, KEY_LENGTH);
}

interface Listing {
	/** Of the key pair. */
	readonly secretId: string;
	/** Whether an order is emitted; the others are remembered all the same. */
	readonly isWanted: (order: AccountOrder) => boolean;
	readonly now: EpochMs;
}

/**
 * Picks the orders that were not known to have expired and did so lately. Those are remembered as long as they are
 * news, and those whose end the list does not say for ever.
 *
 * @param ended all orders that have ended
 * @param state undefined at the first poll, which emits nothing: what ended before is no event
 */
export function newEnds(
	ended: readonly AccountOrder[],
	state: UnknownRecord | undefined,
	{ secretId, isWanted, now }: Listing,
): { readonly orders: readonly AccountOrder[]; readonly state: IDataObject } {
	const subject = fingerprintOf(secretId);
	const earlier = ownValue(state, 'ended');
	const known = isRecord(earlier) ? earlier : {};
	const lately = ended.filter((order) => isNews(expiryOf(order) ?? now, now));
	// With another key pair, perhaps of another account, only what ended since the last poll
	const isSame = ownValue(state, 'subject') === subject;
	const polledAt = lastPollOf(state) ?? Infinity;
	const isMissed = (order: AccountOrder) => isSame || (expiryOf(order) ?? -Infinity) > polledAt;
	const news = lately.filter((order) => !Object.hasOwn(known, keyOf(order)) && isMissed(order));
	const ends = lately.map((order): [string, unknown] => [keyOf(order), expiryOf(order) ?? null]);
	const kept = Object.entries({ ...known, ...Object.fromEntries(ends) }).filter(
		([, at]) => typeof at !== 'number' || isNews(at, now),
	);
	return {
		orders: isRecord(earlier) ? news.filter(isWanted) : [],
		state: { subject, polledAt: now, ended: Object.fromEntries(kept) },
	};
}

/** Not one in force, which a workflow behind the trigger could replace. */
function madeUpOrder(now: EpochMs): AccountOrder {
	return {
		orderid: '000000000000000',
		pay_type: 'PRE_PAY',
		product: 'DPS',
		status: 'EXPIRED',
		expire_time: toChinaTime(now - HOUR_MS),
	};
}

export const orderExpired: TriggerEvent = {
	option: {
		name: 'Order Expired',
		value: 'orderExpired',
		action: 'On order expired',
		description: 'When an order expires. If it is renewed, again when it expires the next time.',
	},
	properties: [orderFilters],
	async fetchSnapshot(caller, valueOf, earlier) {
		const isWanted = readOrderFilters(valueOf(orderFilters.name));
		const seen = await fetchWatchedOrders(caller, 'all', earlier);
		const now = trustedTime(seen);
		const { secretId } = caller.credential;
		const ended = seen.orders.filter(hasEnded);
		const item = (order: AccountOrder) => orderItem(order, now);
		return {
			poll(stored) {
				const { orders, state } = newEnds(ended, stored, { secretId, isWanted, now });
				return { records: orders.map(item), state: withLastSeen(state, seen, caller) };
			},
			sample() {
				const last = sortedByExpiry(ended.filter(isWanted)).slice(-1);
				return (last.length > 0 ? last : [madeUpOrder(now)]).map(item);
			},
		};
	},
};
