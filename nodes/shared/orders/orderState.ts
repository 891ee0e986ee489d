import { isEmpty, isRecord, ownValue, type UnknownRecord } from '../guards';
import { cleanServiceText } from '../api/cleanText';
import { enumerated } from '../wording';
import {
	listedProduct,
	normalizedCode,
	ORDER_STATUSES,
	PAY_TYPES,
	PRODUCT_LABELS,
} from '../service/products';
import { parseServiceTime, toChinaIso, type EpochMs } from '../service/chinaTime';

/* What the codes of an order mean, for everything that decides by them. */

/** The status of an order in upper case; undefined where the service says none. */
export function statusOf(order: unknown): string | undefined {
	return normalizedCode(ownValue(order, 'status'));
}

/** The pay type of an order in upper case; undefined where the service says none. */
export function payTypeOf(order: unknown): string | undefined {
	return normalizedCode(ownValue(order, 'pay_type'));
}

/** The code that the editor offers; undefined where the service says none. */
export function productOf(order: unknown): string | undefined {
	return listedProduct(ownValue(order, 'product'));
}

/** Marks an order whose status is unknown, and that the service's own list of active orders doesn't have. */
export const UNLISTED = Symbol('unlisted');

/** Why an order is not in force, to go behind "the order"; undefined for one that is. */
export function whyNotInForce(order: unknown): string | undefined {
	if (isRecord(order) && UNLISTED in order) return "isn't active, by Kuaidaili's own list";
	const status = statusOf(order);
	return ORDER_STATUSES.find(({ value }) => value === status)?.outOfForce;
}

/**
 * Whether an order is in force, also with a status that this node doesn't know: it comes in the service's own list of
 * active orders.
 */
export function isInForce(order: unknown): boolean {
	return whyNotInForce(order) === undefined;
}

export function hasEnded(order: unknown): boolean {
	return statusOf(order) === 'EXPIRED';
}

/**
 * Whether this node doesn't know the status. In the list of all orders, such a one doesn't tell whether the order is
 * in force.
 */
export function hasUnknownStatus(order: unknown): boolean {
	const status = statusOf(order);
	return status !== undefined && !ORDER_STATUSES.some(({ value }) => value === status);
}

/** A warning about codes of an order that this node doesn't know, in whole sentences. */
export function unknownCodesInWords(order: unknown): string | undefined {
	if (!isInForce(order) && !hasUnknownStatus(order)) return undefined;
	const payType = payTypeOf(order);
	const product = productOf(order);
	const isUnknown = (code: string | undefined, known: object) =>
		code !== undefined && !Object.hasOwn(known, code);
	const unknown = [
		hasUnknownStatus(order) && `the status '${statusOf(order)}'`,
		isUnknown(payType, PAY_TYPES) && `the pay type '${payType}'`,
		isUnknown(product, PRODUCT_LABELS) && `the product '${product}'`,
	].filter((one) => one !== false);
	if (unknown.length === 0) return undefined;
	const does = isInForce(order)
		? 'active, because Kuaidaili lists'
		: "not active, because Kuaidaili doesn't list";
	const text = `Order ${String(ownValue(order, 'orderid'))} has ${enumerated(unknown, 'and')}, which this node doesn't know. The order is treated as ${does} it so.`;
	return cleanServiceText(text, []);
}

const MOST_SHOWN = 60;

/**
 * The moment at which an order expires; undefined where it doesn't, as if paid as you go, or where it can't be read.
 */
export function expiryOf(record: unknown): EpochMs | undefined {
	return parseServiceTime(ownValue(record, 'expire_time'));
}

/** Whether an order in force may expire at a time that can't be read from it without doubt. */
export function hasUnreadableExpiry(order: UnknownRecord): boolean {
	if (expiryOf(order) !== undefined) return false;
	const payType = payTypeOf(order);
	if (payType === 'POST_PAY') return false;
	if (!isEmpty(ownValue(order, 'expire_time'))) return true;
	// An overseas order may be billed by traffic, which record and details don't say
	return payType === 'PRE_PAY' && productOf(order) !== 'FPS';
}

export function unreadableInWords(order: UnknownRecord): string {
	const said = JSON.stringify(ownValue(order, 'expire_time') ?? null).slice(0, MOST_SHOWN);
	return `Order ${String(ownValue(order, 'orderid'))} expires at a time that this node can't read (Kuaidaili says ${said}), so it is left out. Look up its expiry in the Kuaidaili member center.`;
}

/** Compares orders for `sort`: soonest to expire first; orders that don't expire last. */
export function byExpiry(a: UnknownRecord, b: UnknownRecord): number {
	const [first, second] = [expiryOf(a) ?? Infinity, expiryOf(b) ?? Infinity];
	return first === second ? 0 : first - second;
}

const SECONDS_IN_TENTH_OF_DAY = 8640;

/**
 * The record with clear twins of its expiry, where it has one: `expiresAt` with its zone, `secondsLeft`, and
 * `daysLeft` with one decimal. Both are rounded down, and negative after the end.
 */
export function withOrderExpiry<T extends UnknownRecord>(
	record: T,
	now: EpochMs,
): T & { expiresAt?: string; secondsLeft?: number; daysLeft?: number } {
	const expiry = expiryOf(record);
	if (expiry === undefined) return record;
	const secondsLeft = Math.floor((expiry - now) / 1000);
	const daysLeft = Math.floor(secondsLeft / SECONDS_IN_TENTH_OF_DAY) / 10;
	return { ...record, expiresAt: toChinaIso(expiry), secondsLeft, daysLeft };
}
