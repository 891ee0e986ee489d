import type { IDataObject } from 'n8n-workflow';

import { isRecord, ownValue, type UnknownRecord } from '../../shared/guards';
import type { AccountOrder, AccountOrders } from '../../shared/orders/accountOrders';
import { expiryOf } from '../../shared/orders/expiry';
import type { News } from './event';

/** How long the service may take to show that an order has ended. */
export const LATE_MS = 600_000;

/** What is remembered of the orders that were told. Moments are milliseconds since 1970. */
interface Memory {
	/** The first look; what ended before is no news. */
	readonly since: number;
	/** The last look that got an answer. */
	readonly lastLook: number;
	/** The expiry of each order and expiry that was told, by both. */
	readonly told: ReadonlyMap<string, number>;
}

function numberIn(memory: UnknownRecord, name: string): number | undefined {
	const value = ownValue(memory, name);
	return typeof value === 'number' ? value : undefined;
}

function readMemory(memory: UnknownRecord | undefined, now: number): Memory {
	const told = memory && ownValue(memory, 'told');
	const entries = isRecord(told) ? Object.entries(told) : [];
	return {
		since: (memory && numberIn(memory, 'since')) ?? now,
		lastLook: (memory && numberIn(memory, 'lastLook')) ?? now,
		told: new Map(
			entries.flatMap(([key, expiry]) => (typeof expiry === 'number' ? [[key, expiry]] : [])),
		),
	};
}

/** The last look that got an answer; undefined before the first. */
export function lastLookOf(memory: UnknownRecord | undefined): number | undefined {
	return memory && numberIn(memory, 'lastLook');
}

/** Which orders are told: those whose expiry lies behind `from` and not behind `to`. */
export interface ExpirySpan {
	readonly from: number;
	readonly to: number;
}

/** Each order and expiry time once. A renewal changes the expiry, so that it is told again. */
export function tellOnce(
	{ orders, answeredAt }: AccountOrders,
	stored: UnknownRecord | undefined,
	spanOf: (since: number, lastLook: number, now: number) => ExpirySpan,
	isWanted: (order: AccountOrder, now: number) => boolean,
): { readonly orders: readonly AccountOrder[]; readonly memory: News['memory'] } {
	const memory = readMemory(stored, answeredAt);
	// The clocks of the service's machines may differ a little
	const now = Math.max(answeredAt, memory.lastLook);
	const { from, to } = spanOf(memory.since, memory.lastLook, now);
	const told = new Map(memory.told);
	const fresh = orders.filter((order) => {
		const expiry = expiryOf(order);
		if (expiry === undefined || expiry <= from || expiry > to) return false;
		const key = `${order.orderid} ${expiry}`;
		if (told.has(key) || !isWanted(order, now)) return false;
		told.set(key, expiry);
		return true;
	});
	// What lies behind the next span cannot come again
	const next = spanOf(memory.since, now, now).from;
	const remembered: IDataObject = Object.fromEntries(
		[...told].filter(([, expiry]) => expiry > next),
	);
	return { orders: fresh, memory: { since: memory.since, lastLook: now, told: remembered } };
}
