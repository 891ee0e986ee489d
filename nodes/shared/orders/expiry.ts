import { ownValue, type UnknownRecord } from '../guards';
import { parseServiceTime, toChinaIso } from '../service/chinaTime';
import { payTypeOf, productOf } from './orderState';

/** Of a value that may be anything. */
const MOST_SHOWN = 60;

function expireTimeOf(record: unknown): unknown {
	return ownValue(record, 'expire_time');
}

/**
 * When an order expires, in milliseconds since 1970; undefined where it doesn't, such as pay-as-you-go
 * orders, and where it can't be read.
 */
export function expiryOf(record: unknown): number | undefined {
	return parseServiceTime(expireTimeOf(record));
}

function isEmpty(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'string' && !value.trim());
}

/**
 * Whether an order in force may expire at a time that the record doesn't say, or says in a way that
 * can't be read without doubt.
 *
 * @param order with `pay_type` and `product`
 */
export function hasUnreadableExpiry(order: UnknownRecord): boolean {
	if (expiryOf(order) !== undefined) return false;
	const payType = payTypeOf(order);
	if (payType === 'POST_PAY') return false;
	if (!isEmpty(expireTimeOf(order))) return true;
	// An overseas order may be billed by traffic, which record and details don't say
	return payType === 'PRE_PAY' && productOf(order) !== 'FPS';
}

/** What to tell the user about such an order, in whole sentences. */
export function unreadableInWords(order: UnknownRecord): string {
	const said = JSON.stringify(expireTimeOf(order) ?? null).slice(0, MOST_SHOWN);
	return `Order ${String(ownValue(order, 'orderid'))} expires at a time that this node can't read (the service says ${said}), so it is left out. Look up its expiry in the Kuaidaili member center.`;
}

/** For `sort`: soonest to expire first; orders that don't expire last. */
export function byExpiry(a: UnknownRecord, b: UnknownRecord): number {
	const [first, second] = [expiryOf(a) ?? Infinity, expiryOf(b) ?? Infinity];
	return first === second ? 0 : first - second;
}

const SECONDS_IN_TENTH_OF_DAY = 8640;

/**
 * The record with clear twins of its expiry, where it has one: `expiresAt` with its zone, `secondsLeft`, and
 * `daysLeft` with one decimal. Both are rounded down, and negative after the end.
 *
 * @param now milliseconds since 1970
 */
export function withExpiry<T extends UnknownRecord>(
	record: T,
	now: number,
): T & { expiresAt?: string; secondsLeft?: number; daysLeft?: number } {
	const expiry = expiryOf(record);
	if (expiry === undefined) return record;
	const secondsLeft = Math.floor((expiry - now) / 1000);
	const daysLeft = Math.floor(secondsLeft / SECONDS_IN_TENTH_OF_DAY) / 10;
	return { ...record, expiresAt: toChinaIso(expiry), secondsLeft, daysLeft };
}
