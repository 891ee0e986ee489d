import { ownValue, type UnknownRecord } from '../guards';
import { fromChinaTime } from '../service/chinaTime';

/** When an order expires, in milliseconds since 1970; undefined for pay-as-you-go orders, which don't. */
export function expiryOf(record: unknown): number | undefined {
	const iso = fromChinaTime(ownValue(record, 'expire_time'));
	return iso === undefined ? undefined : Date.parse(iso);
}

/** For `sort`: soonest to expire first; orders that don't expire last. */
export function byExpiry(a: UnknownRecord, b: UnknownRecord): number {
	const [first, second] = [expiryOf(a) ?? Infinity, expiryOf(b) ?? Infinity];
	return first === second ? 0 : first - second;
}

/**
 * The record with clear twins of its expiry: `expiresAt` with its zone, and `secondsLeft`, which is
 * negative after the end.
 *
 * @param now milliseconds since 1970, by the clock of the service
 */
export function withExpiry<T extends UnknownRecord>(
	record: T,
	now: number,
): T & { expiresAt?: string; secondsLeft?: number } {
	const expiry = expiryOf(record);
	if (expiry === undefined) return record;
	return {
		...record,
		expiresAt: fromChinaTime(ownValue(record, 'expire_time')),
		secondsLeft: Math.floor((expiry - now) / 1000),
	};
}
