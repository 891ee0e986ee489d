import type { IDataObject } from 'n8n-workflow';

import { ApiError, DescribedError } from '../../shared/api/errors';
import { clockCorrection, fingerprintOf } from '../../shared/api/sign';
import { FieldReader, readRequiredField } from '../../shared/fields/reader';
import {
	toCollection,
	toProperty,
	type Field,
	type FieldCollection,
	NoTextError,
	type ValueKind,
} from '../../shared/fields/field';
import { namedOptions, severalOf, number } from '../../shared/fields/kinds';
import {
	isCode,
	isList,
	isRecord,
	ownValue,
	toDataObject,
	type UnknownRecord,
} from '../../shared/guards';
import {
	orderItem,
	byExpiry,
	expiryOf,
	hasEnded,
	isInForce,
	payTypeOf,
	productOf,
	unknownStatusInWords,
	unreadableExpiryError,
} from '../../shared/orders/order';
import { expiringWithin, readTimeWindow } from '../../shared/orders/orderField';
import {
	allOrders,
	type AccountOrder,
	type AccountOrders,
	fetchOrderInfo,
	type OrderInfo,
} from '../../shared/orders/queries';
import {
	DAY_MS,
	HOUR_MS,
	MINUTE_MS,
	toChinaTime,
	type EpochMs,
} from '../../shared/service/chinaTime';
import { UNKNOWN_KEY_PAIR } from '../../shared/service/codes';
import { PAY_TYPES, PRODUCT_LABELS } from '../../shared/service/products';
import { type RunQuery, runQuery } from '../../shared/api/call';
import type { NodeApiClient } from '../../shared/api/client';
import type { PollMemory, TriggerEvent } from './event';

/**
 * A list of codes; none chosen means all. A text is no list: an expression that finds nothing must not let all pass.
 */
function codeListKind(names: Readonly<Record<string, string>>): ValueKind {
	const kind = severalOf(namedOptions(names));
	const isGiven = (value: unknown) => value !== undefined && value !== null;
	return {
		...kind,
		toText(value) {
			if (isGiven(value) && !isList(value)) throw new NoTextError();
			return kind.toText(value);
		},
	};
}

/** Pay-as-you-go orders run until they are closed, so no event is about them. */
const { PRE_PAY, PRE_PAY_IP } = PAY_TYPES;

const EVENT_FILTERS: FieldCollection = {
	name: 'filters',
	displayName: 'Filters',
	placeholder: 'Add filter',
	fields: [
		{
			name: 'payTypes',
			displayName: 'Pay Types',
			description: 'Only orders with these pay types. Leave empty for all.',
			kind: codeListKind({ PRE_PAY, PRE_PAY_IP }),
		},
		{
			name: 'products',
			displayName: 'Products',
			description: 'Only orders for these products. Leave empty for all.',
			kind: codeListKind(PRODUCT_LABELS),
		},
	],
};

export const orderFilters = toCollection(EVENT_FILTERS);

export function readOrderFilters(value: unknown): (order: AccountOrder) => boolean {
	const { textOf } = new FieldReader().readCollection(EVENT_FILTERS, value);
	const allows = (name: string, code: string | undefined): boolean => {
		const chosen = (textOf(name) ?? 'all').split(',');
		return chosen.includes('all') || (code !== undefined && chosen.includes(code));
	};
	return (order) => allows('payTypes', payTypeOf(order)) && allows('products', productOf(order));
}

/** None of them is secret, because they are saved with the workflow. */
const REMEMBERED_FIELDS = ['orderid', 'pay_type', 'product', 'status', 'expire_time'];

/** The memory that both events keep of each poll. */
interface Poll {
	readonly polledAt: EpochMs;
	/** The credential whose orders it saw. */
	readonly subject: string;
	/** The order as it was seen last with its own key pair, for the time when that is rejected. */
	readonly lastSeen?: IDataObject;
}

/** @param lastSeen the order at the last poll; undefined where that was never or with another key pair */
async function pollOwnOrder(
	{ credential }: NodeApiClient,
	ask: RunQuery,
	lastSeen: unknown,
): Promise<AccountOrders> {
	// The service rejects the key pair of an expired order, which is how its expiry is noticed
	const asEnded = (error: unknown): OrderInfo => {
		const isRefusal = error instanceof ApiError && error.code === UNKNOWN_KEY_PAIR;
		if (!isRefusal || !isRecord(lastSeen)) throw error;
		const answeredAt = Date.now() + clockCorrection(credential.hosts[error.endpoint.host]);
		// The order may be unavailable for another reason
		if ((expiryOf(lastSeen) ?? Infinity) > answeredAt) throw error;
		return { info: { ...lastSeen, status: 'EXPIRED' }, answeredAt };
	};
	const details = fetchOrderInfo(ask, { field_list: REMEMBERED_FIELDS.join(',') });
	const { info, answeredAt } = await details.catch(asEnded);
	const entries = Object.entries(info).filter(([name]) => REMEMBERED_FIELDS.includes(name));
	const orderid = ownValue(info, 'orderid');
	const order = { ...Object.fromEntries(entries), orderid: isCode(orderid) ? String(orderid) : '' };
	return { orders: [order], answeredAt };
}

/**
 * Reads the orders that the credential sees: those of the account, or the one of its key pair.
 *
 * @param state as the last poll left it
 */
async function pollOrders(
	client: NodeApiClient,
	state: UnknownRecord | undefined,
): Promise<{ readonly orders: readonly AccountOrder[]; readonly poll: Poll }> {
	const ask: RunQuery = async (query, parameters) => await runQuery(client, query, parameters);
	const { keyType, secretId } = client.credential;
	const subject = fingerprintOf(secretId);
	if (keyType === 'order') {
		const known = ownValue(state, 'subject') === subject ? ownValue(state, 'lastSeen') : undefined;
		const seen = await pollOwnOrder(client, ask, known);
		const lastSeen = toDataObject(seen.orders[0]);
		return { orders: seen.orders, poll: { polledAt: seen.answeredAt, subject, lastSeen } };
	}
	const seen = await allOrders(ask);
	return { orders: seen.orders, poll: { polledAt: seen.answeredAt, subject } };
}

/** The state by which is decided what was emitted: what n8n has saved, because it may throw polls away. */
function stateIn({ saved, own }: PollMemory): UnknownRecord | undefined {
	return saved ?? own;
}

/** The time of the last poll, also with another key pair; undefined before the first one. */
function lastPollOf(state: UnknownRecord | undefined): number | undefined {
	const polledAt = ownValue(state, 'polledAt');
	return typeof polledAt === 'number' ? polledAt : undefined;
}

/** An older end is no news: n8n was down, or the workflow was not active. */
const LONGEST_NEWS_MS = 7 * DAY_MS;

function isNews(at: EpochMs, now: EpochMs): boolean {
	return now - at <= LONGEST_NEWS_MS;
}

/** Warnings for the log about statuses of orders, whether a filter lets them pass or not. */
function unknownIn(orders: readonly AccountOrder[], now: EpochMs): string[] {
	const recent = orders.filter((order) => isNews(expiryOf(order) ?? now, now));
	return [...new Set(recent.flatMap((order) => unknownStatusInWords(order) ?? []))];
}

/** The orders that expire, soonest first. */
function sortedByExpiry(orders: readonly AccountOrder[]): AccountOrder[] {
	return orders.filter((order) => expiryOf(order) !== undefined).sort(byExpiry);
}

/** Short, because many of them may be saved with the workflow. */
const KEY_LENGTH = 12;

/** A renewed order ends again, at another time. */
function endKeyOf(order: AccountOrder): string {
	return fingerprintOf(order.orderid, expiryOf(order)).slice(0, KEY_LENGTH);
}

/**
 * Picks the orders that were not known to have expired and did so lately. Those are remembered as long as they are
 * news, and those whose end the list does not say for ever.
 *
 * @param ended all orders that have ended
 * @param state undefined at the first poll, which emits nothing: what ended before is no event
 * @param isWanted whether an order is emitted; the others are remembered all the same
 */
export function newEnds(
	ended: readonly AccountOrder[],
	state: UnknownRecord | undefined,
	poll: Poll,
	isWanted: (order: AccountOrder) => boolean,
): { readonly orders: readonly AccountOrder[]; readonly state: IDataObject } {
	const { polledAt: now, subject } = poll;
	const earlier = ownValue(state, 'ended');
	const known = new Map(isRecord(earlier) ? Object.entries(earlier) : []);
	// With another key pair, perhaps of another account, only what ended since the last poll
	const isSame = ownValue(state, 'subject') === subject;
	const polledAt = lastPollOf(state) ?? Infinity;
	const orders = ended.filter((order) => {
		const [key, expiry] = [endKeyOf(order), expiryOf(order)];
		const isNew = !known.has(key) && (isSame || (expiry ?? -Infinity) > polledAt);
		known.set(key, expiry ?? null);
		return isNew && isNews(expiry ?? now, now) && isWanted(order);
	});
	const kept = [...known].filter(([, at]) => typeof at !== 'number' || isNews(at, now));
	return {
		orders: isRecord(earlier) ? orders : [],
		state: { ...poll, ended: Object.fromEntries(kept) },
	};
}

/** An invented order that is not in force: a workflow behind the trigger could replace one that is. */
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
	async fetchSnapshot(client, valueOf, memory) {
		const isWanted = readOrderFilters(valueOf(orderFilters.name));
		const { orders: all, poll } = await pollOrders(client, stateIn(memory));
		const { polledAt: now } = poll;
		const ended = all.filter(hasEnded);
		const item = (order: AccountOrder) => orderItem(order, now);
		return {
			poll(latest) {
				const { orders, state } = newEnds(ended, stateIn(latest), poll, isWanted);
				return { records: orders.map(item), state, warnings: unknownIn(all, now) };
			},
			sample() {
				const last = sortedByExpiry(ended.filter(isWanted)).slice(-1);
				return (last.length > 0 ? last : [madeUpOrder(now)]).map(item);
			},
		};
	},
};

interface Emitted {
	readonly expiry: number;
	readonly at: EpochMs;
}

function isEmitted(entry: [string, unknown]): entry is [string, Emitted] {
	const [expiry, at] = ['expiry', 'at'].map((name) => ownValue(entry[1], name));
	return typeof expiry === 'number' && typeof at === 'number';
}

/**
 * The time between two reminders; where the window is over before the second one, half the window. n8n polls a little
 * early or late, and a daily reminder must not slip to every other day because a poll came a second too soon.
 */
function intervalMs(remindEvery: number, windowMs: number): number {
	const every = remindEvery * HOUR_MS;
	const ms = windowMs <= every ? windowMs / 2 : every;
	return ms - Math.min(ms / 60, 10 * MINUTE_MS);
}

/**
 * Picks the orders to emit: each one when it enters the window, or when it has passed through it unseen,
 * and again every `remindEvery` hours while it stays there, so that the workflow can retry what failed.
 *
 * @param orders in force or expired
 * @param windowMs the time before an expiry
 * @param remindEvery hours; 0 for once while an order stays within the window
 */
export function remind(
	orders: readonly AccountOrder[],
	state: UnknownRecord | undefined,
	poll: Poll,
	windowMs: number,
	remindEvery: number,
): { readonly orders: readonly AccountOrder[]; readonly state: IDataObject } {
	const { polledAt: now } = poll;
	const lastPoll = lastPollOf(state) ?? Infinity;

	/** The memory of an order that is to be emitted now; undefined for any other. */
	const emittedNow = (order: AccountOrder, known: Emitted | undefined): Emitted | undefined => {
		const expiry = expiryOf(order);
		if (expiry === undefined) return undefined;
		const first: Emitted = { expiry, at: now };
		const enteredAt = expiry - windowMs;
		// A renewal may have moved it out of the window and time back into it, both unseen
		const isNew = known === undefined || (known.expiry !== expiry && enteredAt > lastPoll);
		if (expiry <= now) {
			const hasPassedUnseen = isNew && expiry > lastPoll && isNews(expiry, now);
			return hasPassedUnseen ? first : undefined;
		}
		if (!isInForce(order) || enteredAt > now) return undefined;
		if (isNew) return first;
		if (remindEvery === 0) return undefined;
		// In either direction: after a change of this machine's clock, `at` may lie in the future
		return Math.abs(now - known.at) >= intervalMs(remindEvery, windowMs) ? first : undefined;
	};

	const saved: Array<[string, unknown]> = Object.entries(toDataObject(ownValue(state, 'emitted')));
	const emitted = new Map(saved.filter(isEmitted));
	const due = orders.filter((order) => {
		const known = emitted.get(order.orderid);
		const again = emittedNow(order, known);
		if (again !== undefined) emitted.set(order.orderid, again);
		else if (known !== undefined && isInForce(order)) {
			emitted.set(order.orderid, { ...known, expiry: expiryOf(order) ?? NaN });
		}
		return again !== undefined;
	});
	// Once an order has ended, or a renewal has moved it out of the window, its next stay there is a new one
	const kept = [...emitted].filter(([, { expiry }]) => expiry > now && expiry - windowMs <= now);
	return { orders: due, state: { ...poll, emitted: toDataObject(Object.fromEntries(kept)) } };
}

const remindEveryField: Field = {
	name: 'remindEvery',
	displayName: 'Remind Every (Hours)',
	description:
		"How often to start the workflow again for an order that wasn't renewed. If 'Expiring Within' isn't longer, half of that time counts. 0 starts it only once.",
	kind: number({ min: 0, max: 8760, preset: 24 }),
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
	async fetchSnapshot(client, valueOf, memory) {
		const window = readTimeWindow(valueOf);
		const remindEvery = Number(readRequiredField(remindEveryField, valueOf(remindEveryField.name)));
		const passes = readOrderFilters(valueOf(orderFilters.name));
		const polled = await pollOrders(client, stateIn(memory));
		const { polledAt: now } = polled.poll;
		const wanted = polled.orders.filter(passes);
		const running = wanted.filter(isInForce);
		const failure = unreadableExpiryError(running);
		const item = (order: AccountOrder) => orderItem(order, now);
		return {
			poll(latest) {
				const watched = wanted.filter((order) => isInForce(order) || hasEnded(order));
				const state = stateIn(latest);
				const due = remind(watched, state, polled.poll, window.ms, remindEvery);
				const warnings = unknownIn(polled.orders, now);
				return { records: due.orders.map(item), state: due.state, warnings, failure };
			},
			sample() {
				const lasting = running.filter((order) => (expiryOf(order) ?? 0) > now);
				const expiring = lasting.filter((order) => (expiryOf(order) ?? 0) <= now + window.ms);
				const shown = expiring.length > 0 ? expiring : sortedByExpiry(lasting).slice(0, 1);
				if (shown.length === 0) {
					throw (
						failure ??
						new DescribedError({
							message: 'The account has no active order to test this with',
							description:
								"Orders that don't expire and those that don't match the 'Filters' are left out.",
						})
					);
				}
				return shown.map(item);
			},
		};
	},
};
