import type { IDataObject } from 'n8n-workflow';

import { isRecord, ownValue, type UnknownRecord } from '../../shared/guards';
import type { AccountOrder, AccountOrders } from '../../shared/orders/accountOrders';
import { expiryOf } from '../../shared/orders/expiry';
import type { PollResult } from './event';

/** How long the service may take to show that an order has ended. */
export const LATE_MS = 600_000;

/** What is remembered of the orders that were emitted. Moments are milliseconds since 1970. */
interface State {
	/** The first look; what ended before is no news. */
	readonly since: number;
	/** The last look that got an answer. */
	readonly lastPoll: number;
	/** The expiry of each order and expiry that was emitted, by both. */
	readonly emitted: ReadonlyMap<string, number>;
}

function numberIn(state: UnknownRecord, name: string): number | undefined {
	const value = ownValue(state, name);
	return typeof value === 'number' ? value : undefined;
}

function readState(state: UnknownRecord | undefined, now: number): State {
	const emitted = state && ownValue(state, 'emitted');
	const entries = isRecord(emitted) ? Object.entries(emitted) : [];
	return {
		since: (state && numberIn(state, 'since')) ?? now,
		lastPoll: (state && numberIn(state, 'lastPoll')) ?? now,
		emitted: new Map(
			entries.flatMap(([key, expiry]) => (typeof expiry === 'number' ? [[key, expiry]] : [])),
		),
	};
}

/** The last look that got an answer; undefined before the first. */
export function lastPollOf(state: UnknownRecord | undefined): number | undefined {
	return state && numberIn(state, 'lastPoll');
}

/** Which orders are emitted: those whose expiry lies behind `from` and not behind `to`. */
export interface ExpirySpan {
	readonly from: number;
	readonly to: number;
}

/** Each order and expiry time once. A renewal changes the expiry, so that it is emitted again. */
export function emitOnce(
	{ orders, answeredAt }: AccountOrders,
	stored: UnknownRecord | undefined,
	spanOf: (since: number, lastPoll: number, now: number) => ExpirySpan,
	isWanted: (order: AccountOrder, now: number) => boolean,
): { readonly orders: readonly AccountOrder[]; readonly state: PollResult['state'] } {
	const state = readState(stored, answeredAt);
	// The clocks of the service's machines may differ a little
	const now = Math.max(answeredAt, state.lastPoll);
	const { from, to } = spanOf(state.since, state.lastPoll, now);
	const emitted = new Map(state.emitted);
	const fresh = orders.filter((order) => {
		const expiry = expiryOf(order);
		if (expiry === undefined || expiry <= from || expiry > to) return false;
		const key = `${order.orderid} ${expiry}`;
		if (emitted.has(key) || !isWanted(order, now)) return false;
		emitted.set(key, expiry);
		return true;
	});
	// What lies behind the next span cannot come again
	const next = spanOf(state.since, now, now).from;
	const remembered: IDataObject = Object.fromEntries(
		[...emitted].filter(([, expiry]) => expiry > next),
	);
	return { orders: fresh, state: { since: state.since, lastPoll: now, emitted: remembered } };
}
