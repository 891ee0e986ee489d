import { isEmpty, ownValue, type UnknownRecord } from '../guards';
import { cleanServiceText } from '../api/cleanText';
import { DescribedError } from '../api/errors';
import { formatNumber } from '../wording';
import { listedProduct, normalizedCode, ORDER_STATUSES } from '../service/products';
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

/** Why an order is not in force, to go behind "the order"; undefined for one that is. */
export function whyNotInForce(order: unknown): string | undefined {
	const status = statusOf(order);
	return ORDER_STATUSES.find(({ value }) => value === status)?.outOfForce;
}

/** Whether an order is in force; one with a status that this node doesn't know is. */
export function isInForce(order: unknown): boolean {
	return whyNotInForce(order) === undefined;
}

export function hasEnded(order: unknown): boolean {
	return statusOf(order) === 'EXPIRED';
}

/** A warning about a status that this node doesn't know, the same for all orders that have it, in whole sentences. */
export function unknownStatusInWords(order: unknown): string | undefined {
	const status = statusOf(order);
	if (status === undefined || ORDER_STATUSES.some(({ value }) => value === status)) {
		return undefined;
	}
	const text = `Kuaidaili gives orders the status '${status}', which this node doesn't know. They are treated as active.`;
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
function hasUnreadableExpiry(order: UnknownRecord): boolean {
	if (!isInForce(order) || expiryOf(order) !== undefined) return false;
	const payType = payTypeOf(order);
	if (payType === 'POST_PAY') return false;
	if (!isEmpty(ownValue(order, 'expire_time'))) return true;
	// An overseas order may be billed by traffic, which record and details don't say
	return payType === 'PRE_PAY' && productOf(order) !== 'FPS';
}

/** The error of the orders whose expiry can't be read; undefined where there are none. */
export function unreadableExpiryError(
	orders: readonly UnknownRecord[],
): DescribedError | undefined {
	const [first, ...others] = orders.filter(hasUnreadableExpiry);
	if (first === undefined) return undefined;
	const expiry = JSON.stringify(ownValue(first, 'expire_time') ?? null).slice(0, MOST_SHOWN);
	const more = others.length === 0 ? '' : `, and of ${formatNumber(others.length)} more`;
	return new DescribedError({
		message: `This node can't read the expiry of order ${String(ownValue(first, 'orderid'))}${more}`,
		description: cleanServiceText(
			`Kuaidaili gives it as ${expiry}. Look it up in the Kuaidaili member center.`,
			[],
		),
	});
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
