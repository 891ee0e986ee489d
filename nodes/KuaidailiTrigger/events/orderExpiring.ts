import type { IDataObject } from 'n8n-workflow';

import { readRequiredField, toProperty, type Field } from '../../shared/fields/field';
import { wholeNumber } from '../../shared/fields/valueKinds';
import { fingerprintOf } from '../../shared/fingerprint';
import { isRecord, ownValue, type UnknownRecord } from '../../shared/guards';
import type { AccountOrder } from '../../shared/queries/account';
import {
	expiryOf,
	hasUnreadableExpiry,
	unreadableInWords,
	hasEnded,
	isInForce,
	unknownCodesInWords,
} from '../../shared/orders/orderState';
import { orderItem } from '../../shared/orders/orderItem';
import { expiringWithin, readTimeWindow, trustedTime } from '../../shared/orders/timeLeft';
import { DescribedError } from '../../shared/errors/callErrors';
import type { TriggerEvent } from './event';
import { orderFilters, readOrderFilters } from './orderFilters';
import {
	fetchWatchedOrders,
	isNews,
	lastPollOf,
	sortedByExpiry,
	withLastSeen,
} from './watchedOrders';
import type { EpochMs } from '../../shared/service/chinaTime';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The shortest window: whatever passes through it unseen takes longer between two polls. */
const MAY_MISS_AFTER_MS = HOUR_MS;

interface Emitted {
	readonly expiry: number;
	readonly at: EpochMs;
	/** Whether the reminder in the middle of a short window was emitted. */
	readonly half: boolean;
}

export interface Reminders {
	/** Milliseconds. */
	readonly windowMs: number;
	/** Hours; 0 for once while an order stays within the window. */
	readonly remindEvery: number;
	readonly now: EpochMs;
	/** Of the last poll, also with another key pair; undefined before the first one. */
	readonly polledAt: EpochMs | undefined;
}

function readEmitted(state: UnknownRecord | undefined): Map<string, Emitted> {
	const emitted = state && ownValue(state, 'emitted');
	const entries = isRecord(emitted) ? Object.entries(emitted) : [];
	return new Map(
		entries.flatMap(([orderid, value]) => {
			const expiry = ownValue(value, 'expiry');
			const at = ownValue(value, 'at');
			const half = ownValue(value, 'half') === true;
			return typeof expiry === 'number' && typeof at === 'number'
				? [[orderid, { expiry, at, half }]]
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

/** A window that is over before the first reminder needs one on the way. */
function isHalfDue({ at, expiry, half }: Emitted, reminders: Reminders): boolean {
	const isShort = reminders.windowMs <= reminders.remindEvery * HOUR_MS;
	return isShort && !half && reminders.now >= (at + expiry) / 2;
}

/** What an order of a poll leads to. */
type PollAction = 'emit' | 'remind' | 'remindAtHalf' | 'forget' | 'nothing';

function outcomeOf(
	order: AccountOrder,
	known: Emitted | undefined,
	reminders: Reminders,
): PollAction {
	const { windowMs, remindEvery, now, polledAt = Infinity } = reminders;
	const expiry = expiryOf(order);
	if (expiry === undefined) return 'nothing';
	const enteredAt = expiry - windowMs;
	// A renewal may have moved it out of the window and time back into it, both unseen
	const isNew = known === undefined || (known.expiry !== expiry && enteredAt > polledAt);
	if (expiry <= now) {
		const hasPassedUnseen = isNew && expiry > polledAt && isNews(expiry, now);
		return hasPassedUnseen ? 'emit' : 'nothing';
	}
	if (!isInForce(order)) return 'nothing';
	if (enteredAt > now) return 'forget';
	if (isNew) return 'emit';
	if (remindEvery === 0) return 'nothing';
	// In either direction: after a change of this machine's clock, `at` may lie in the future
	if (Math.abs(now - known.at) >= intervalMs(remindEvery)) return 'remind';
	return isHalfDue({ ...known, expiry }, reminders) ? 'remindAtHalf' : 'nothing';
}

/**
 * Picks the orders to emit: each one when it enters the window, or when it has passed through it unseen,
 * and again every `remindEvery` hours while it stays there, so that the workflow can retry what failed.
 * Where the window ends before that, once more in the middle of what was left.
 *
 * @param orders in force or expired
 */
export function remind(
	orders: readonly AccountOrder[],
	state: UnknownRecord | undefined,
	reminders: Reminders,
): { readonly orders: readonly AccountOrder[]; readonly state: IDataObject } {
	const { now } = reminders;
	const emitted = readEmitted(state);
	const due = orders.filter((order) => {
		const known = emitted.get(order.orderid);
		const outcome = outcomeOf(order, known, reminders);
		const expiry = expiryOf(order) ?? NaN;
		if (outcome === 'forget') emitted.delete(order.orderid);
		if (outcome === 'nothing' && known !== undefined && isInForce(order)) {
			emitted.set(order.orderid, { ...known, expiry });
		}
		if (outcome === 'forget' || outcome === 'nothing') return false;
		const half = outcome === 'remindAtHalf' || (outcome === 'remind' && known?.half === true);
		emitted.set(order.orderid, { expiry, at: now, half });
		return true;
	});
	// If an order that has ended is renewed, that is a new stay in the window
	const kept = [...emitted].filter(([, { expiry }]) => expiry > now);
	const remembered: IDataObject = {};
	for (const [orderid, { expiry, at, half }] of kept) {
		remembered[orderid] = { expiry, at, ...(half ? { half } : {}) };
	}
	return { orders: due, state: { emitted: remembered, polledAt: now } };
}

/** Once a day for the same texts: each line in the log of n8n should be worth reading. */
function onceADay(
	texts: readonly string[],
	stored: UnknownRecord | undefined,
	now: EpochMs,
): { readonly warnings: readonly string[]; readonly state: IDataObject } {
	if (texts.length === 0) return { warnings: [], state: {} };
	const warned = fingerprintOf(...[...texts].sort());
	const warnedAt = ownValue(stored, 'warnedAt');
	const isKnown = ownValue(stored, 'warned') === warned && typeof warnedAt === 'number';
	if (isKnown && Math.abs(now - warnedAt) < DAY_MS) {
		return { warnings: [], state: { warned, warnedAt } };
	}
	const warnings = texts.map((text) => `Kuaidaili Trigger: ${text}`);
	return { warnings, state: { warned, warnedAt: now } };
}

function nothingToShow(unreadable: AccountOrder | undefined): DescribedError {
	return new DescribedError({
		message: 'The account has no active order to test this with',
		description:
			unreadable === undefined
				? "Orders that don't expire and those that don't match the 'Filters' are left out."
				: unreadableInWords(unreadable),
	});
}

const remindEveryField: Field = {
	name: 'remindEvery',
	displayName: 'Remind Every (Hours)',
	description:
		"How often to start the workflow again for an order that wasn't renewed. If 'Expiring Within' is shorter, also halfway to the expiry. 0 starts it only once.",
	kind: wholeNumber(0, 8760, 24),
};

export const orderExpiring: TriggerEvent = {
	option: {
		name: 'Order Expiring',
		value: 'orderExpiring',
		action: 'On order expiring',
		description: 'When an order has little time left, and again every day until it is renewed',
	},
	properties: [
		toProperty(expiringWithin.amount),
		toProperty(expiringWithin.unit),
		toProperty(remindEveryField),
		orderFilters,
	],
	async fetchSnapshot(caller, valueOf, earlier) {
		const window = readTimeWindow(expiringWithin, valueOf);
		const remindEvery = Number(readRequiredField(remindEveryField, valueOf(remindEveryField.name)));
		const passes = readOrderFilters(valueOf(orderFilters.name));
		const lastPoll = lastPollOf(earlier);
		const mayHaveMissed = lastPoll !== undefined && Date.now() - lastPoll > MAY_MISS_AFTER_MS;
		const seen = await fetchWatchedOrders(caller, mayHaveMissed ? 'all' : 'active', earlier);
		const now = trustedTime(seen);
		const wanted = seen.orders.filter(passes);
		const running = wanted.filter(isInForce);
		const doubts = [
			...running.filter(hasUnreadableExpiry).map(unreadableInWords),
			// Whether a filter lets them pass as well
			...seen.orders.filter(isInForce).flatMap((order) => unknownCodesInWords(order) ?? []),
		];
		const item = (order: AccountOrder) => orderItem(order, now);
		return {
			poll(stored) {
				const polledAt = lastPollOf(stored);
				const reminders = { windowMs: window.ms, remindEvery, now, polledAt };
				const watched = wanted.filter((order) => isInForce(order) || hasEnded(order));
				const { orders, state } = remind(watched, stored, reminders);
				const warned = onceADay(doubts, stored, now);
				return {
					records: orders.map(item),
					state: withLastSeen({ ...state, ...warned.state }, seen, caller),
					warnings: warned.warnings,
				};
			},
			sample() {
				const lasting = running.filter((order) => (expiryOf(order) ?? 0) > now);
				const expiring = lasting.filter((order) => (expiryOf(order) ?? 0) <= now + window.ms);
				const shown = expiring.length > 0 ? expiring : sortedByExpiry(lasting).slice(0, 1);
				if (shown.length === 0) throw nothingToShow(running.find(hasUnreadableExpiry));
				return shown.map(item);
			},
		};
	},
};
