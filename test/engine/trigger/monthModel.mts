import { statusOf } from '../../../sandbox/accounts/order.mts';
import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY, HOUR, MINUTE } from '../../durations.mts';

export const WINDOW = 3 * DAY;

/** An order as somebody who looks at the sandbox sees it. */
export interface Seen {
	readonly orderId: string;
	/** In whole seconds, as the service writes it. */
	readonly expiry: number;
	readonly hasEnded: boolean;
}

/** What has to be told, from the state of the sandbox alone. */
export interface Model {
	/** At each look that gets an answer: the names of what is told. */
	look(now: number): string[];
	crashed(): void;
}

export function seen(order: Order, now: number): Seen[] {
	const status = statusOf(order, new Date(now));
	if (order.expiresAt === undefined || !['VALID', 'EXPIRED'].includes(status)) return [];
	const expiry = Math.floor(order.expiresAt.getTime() / 1000) * 1000;
	return [{ orderId: order.orderId, expiry, hasEnded: status === 'EXPIRED' }];
}

/** What the key pair of an order shows: nothing of it after its end but what was seen before. */
export function seenWithOwnKeys(order: Order): (now: number) => Seen[] {
	let last: Seen | undefined;
	return (now) => {
		const [state] = seen(order, now);
		last = state.hasEnded ? last && { ...last, hasEnded: true } : state;
		return last === undefined ? [] : [last];
	};
}

export function nameOf(orderId: unknown, expiry: number): string {
	return `${String(orderId)} ${new Date(expiry).toISOString()}`;
}

/** A reminder may come so much earlier, because polls are not exact. */
const REMINDER_TOLERANCE = 10 * MINUTE;

/** Each order about to end, and again after so many hours; once for 0. */
export function expiringModel(look: (now: number) => Seen[], remindEvery: number): Model {
	const told = new Map<string, number>();
	const isDue = (name: string, now: number) => {
		const before = told.get(name);
		if (before === undefined) return true;
		return remindEvery > 0 && now - before >= remindEvery * HOUR - REMINDER_TOLERANCE;
	};
	return {
		look(now) {
			const names = look(now)
				.filter(({ expiry, hasEnded }) => !hasEnded && expiry > now && expiry <= now + WINDOW)
				.map(({ orderId, expiry }) => nameOf(orderId, expiry))
				.filter((name) => isDue(name, now));
			for (const name of names) told.set(name, now);
			return names;
		},
		// What was told was saved, so a crash changes nothing
		crashed: () => undefined,
	};
}

/** Each end once, and none from before the first look. */
export function expiredModel(look: (now: number) => Seen[]): Model {
	let known: Set<string> | undefined;
	return {
		look(now) {
			const names = look(now)
				.filter(({ hasEnded }) => hasEnded)
				.map(({ orderId, expiry }) => nameOf(orderId, expiry));
			const fresh = known === undefined ? [] : names.filter((name) => !known?.has(name));
			known = new Set([...(known ?? []), ...names]);
			return fresh;
		},
		crashed: () => undefined,
	};
}

/** Each time that the value falls below the line. */
export function crossingModel(valueOf: () => number, line: number): Model {
	let isBelow = false;
	return {
		look() {
			const wasBelow = isBelow;
			isBelow = valueOf() < line;
			return isBelow && !wasBelow ? [String(valueOf())] : [];
		},
		// What was not saved is not known, so it is told once more
		crashed() {
			isBelow = false;
		},
	};
}
