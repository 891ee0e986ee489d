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
	/** n8n saves what the trigger remembers whenever it tells something, and when this is called. */
	saved?(): void;
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

/** What ended longer ago is told no more. */
const NEWS = 7 * DAY;

/** What is known of an order from its entry into the window on. */
interface Stay {
	readonly expiry: number;
	readonly toldAt: number;
}

/**
 * Each order that enters the window, and again after so many hours while it stays there; once for 0. What
 * entered and ended between two looks is told as well.
 */
export function expiringModel(look: (now: number) => Seen[], remindEvery: number): Model {
	let stays = new Map<string, Stay>();
	let lastLook: number | undefined;
	let saved = { stays, lastLook };
	const save = () => {
		saved = { stays: new Map(stays), lastLook };
	};

	function isTold({ orderId, expiry, hasEnded }: Seen, now: number): boolean {
		const stay = stays.get(orderId);
		const since = lastLook ?? Infinity;
		const isFirst = stay === undefined || (stay.expiry !== expiry && expiry - WINDOW > since);
		if (hasEnded || expiry <= now) return isFirst && expiry > since && now - expiry <= NEWS;
		if (expiry - WINDOW > now) {
			stays.delete(orderId);
			return false;
		}
		const isDue =
			stay !== undefined &&
			remindEvery > 0 &&
			now - stay.toldAt >= remindEvery * HOUR - REMINDER_TOLERANCE;
		if (stay !== undefined && !isFirst && !isDue) stays.set(orderId, { ...stay, expiry });
		return isFirst || isDue;
	}

	return {
		look(now) {
			const told = look(now).filter((order) => isTold(order, now));
			for (const { orderId, expiry } of told) stays.set(orderId, { expiry, toldAt: now });
			lastLook = now;
			for (const [orderId, { expiry }] of stays) if (expiry <= now) stays.delete(orderId);
			if (told.length > 0) save();
			return told.map(({ orderId, expiry }) => nameOf(orderId, expiry));
		},
		crashed() {
			stays = new Map(saved.stays);
			lastLook = saved.lastLook;
		},
		saved: save,
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
