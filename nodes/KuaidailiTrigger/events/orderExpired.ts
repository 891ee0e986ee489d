import type { IDataObject } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import { isList, ownValue, type UnknownRecord } from '../../shared/guards';
import type { AccountOrder } from '../../shared/queries/account';
import { expiryOf, hasEnded } from '../../shared/orders/orderState';
import { orderItem } from '../../shared/orders/orderItem';
import { trustedTime } from '../../shared/orders/timeLeft';
import { toChinaTime, type EpochMs } from '../../shared/service/chinaTime';
import type { TriggerEvent } from './event';
import { orderFilters, readOrderFilters } from './orderFilters';
import { fetchWatchedOrders, isNews, lastPollOf, latest, withLastSeen } from './watchedOrders';

/** Of the latest ends. What ended before them is known as well, or each poll would emit it again. */
const MAX_KNOWN_ENDS = 5000;

/** Short, because thousands of them may be saved with the workflow. */
const KEY_LENGTH = 12;

const HOUR_MS = 3_600_000;

/** An order and the moment of its end. */
interface End {
	readonly order: AccountOrder;
	/** Infinity where the list does not say. */
	readonly at: EpochMs;
	/** A renewed order ends again, at another time. */
	readonly key: string;
}

function endOf(order: AccountOrder): End {
	const expiry = expiryOf(order);
	const key = fingerprintOf(order.orderid, expiry).slice(0, KEY_LENGTH);
	return { order, at: expiry ?? Infinity, key };
}

interface Known {
	readonly keys: ReadonlySet<string>;
	/** All ends before this moment are known. */
	readonly before: number;
}

/** @returns undefined before the first poll */
function readKnown(state: UnknownRecord | undefined): Known | undefined {
	const ended = ownValue(state, 'ended');
	if (!isList(ended)) return undefined;
	const before = ownValue(state, 'endedBefore');
	return {
		keys: new Set(ended.filter((key) => typeof key === 'string')),
		before: typeof before === 'number' ? before : -Infinity,
	};
}

/** What is known after a poll, with a limited number of keys. */
function knownAfter(ends: readonly End[], fresh: readonly End[], earlier: Known): Known {
	const keys = new Set([...earlier.keys, ...fresh.map(({ key }) => key)]);
	if (keys.size <= MAX_KNOWN_ENDS) return { keys, before: earlier.before };
	const moments = ends.map(({ at }) => at).sort((a, b) => (a === b ? 0 : b - a));
	const before = Math.max(earlier.before, moments[MAX_KNOWN_ENDS - 1] ?? -Infinity);
	const latest = ends.filter(({ at }) => at >= before);
	return { keys: new Set(latest.map(({ key }) => key)), before };
}

/** Whose orders they are, which of them are wanted, and when they were listed. */
export interface Listing {
	/** Of the key pair. */
	readonly secretId: string;
	/** Whether an order is emitted; the others are remembered all the same. */
	readonly isWanted: (order: AccountOrder) => boolean;
	readonly now: EpochMs;
}

/**
 * Picks the orders that were not known to have expired and did so lately.
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
	const earlier = readKnown(state);
	const { keys, before } = earlier ?? { keys: new Set<string>(), before: -Infinity };
	const ends = ended.map(endOf);
	const unknown = ends.filter(({ key, at }) => at >= before && !keys.has(key));
	const known = knownAfter(ends, unknown, { keys, before });
	// With another key pair, perhaps of another account, only what ended since the last poll
	const isSame = ownValue(state, 'subject') === subject;
	const polledAt = lastPollOf(state) ?? Infinity;
	const isMissed = ({ at }: End) => isSame || (at > polledAt && at !== Infinity);
	const news =
		earlier === undefined ? [] : unknown.filter((end) => isMissed(end) && isNews(end.at, now));
	return {
		orders: news.map(({ order }) => order).filter(isWanted),
		state: {
			subject,
			polledAt: now,
			ended: [...known.keys],
			...(Number.isFinite(known.before) ? { endedBefore: known.before } : {}),
		},
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
				const last = latest(ended.filter(isWanted));
				return (last.length > 0 ? last : [madeUpOrder(now)]).map(item);
			},
		};
	},
};
