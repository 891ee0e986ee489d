import type { IDataObject } from 'n8n-workflow';

import { isEmpty, ownValue, type UnknownRecord, toRecord, isCode } from '../guards';
import { cleanServiceText, excerpt } from '../api/cleanText';
import { DescribedError } from '../api/errors';
import { formatNumber, plural } from '../wording';
import {
	listedProduct,
	normalizedCode,
	ORDER_STATUSES,
	payTypeName,
	productName,
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

const LONGEST_SHOWN_EXPIRY = 60;

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
	const expiry = JSON.stringify(ownValue(first, 'expire_time') ?? null).slice(
		0,
		LONGEST_SHOWN_EXPIRY,
	);
	const number = excerpt(String(ownValue(first, 'orderid')), []);
	const more = others.length === 0 ? '' : `, and of ${formatNumber(others.length)} more`;
	return new DescribedError({
		message: `This node can't read the expiry of order ${number}${more}`,
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

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const SECONDS_PER_DAY = 24 * HOUR;

/** Such as "2.1 days", "5 hours", or "1 minute"; never more than there is. */
function timeInWords(seconds: number): string {
	if (seconds >= SECONDS_PER_DAY)
		return plural(Math.floor((seconds / SECONDS_PER_DAY) * 10) / 10, 'day');
	if (seconds >= HOUR) return plural(Math.floor(seconds / HOUR), 'hour');
	if (seconds >= MINUTE) return plural(Math.floor(seconds / MINUTE), 'minute');
	return 'less than a minute';
}

/** Such as "Private Proxy order 965102959536478", or "The Private Proxy order" without a number. */
export function nameOfOrder(order: UnknownRecord): string {
	const { productName: product } = kindOfOrder(order);
	const kind = product === undefined ? 'Order' : `${product} order`;
	const orderid = ownValue(order, 'orderid');
	if (isCode(orderid)) return `${kind} ${orderid}`;
	return product === undefined ? 'The order' : `The ${kind}`;
}

function stateInWords(order: UnknownRecord, now: EpochMs): string {
	const ended = hasEnded(order);
	const outOfForce = ended ? undefined : whyNotInForce(order);
	if (outOfForce !== undefined) return outOfForce;
	const expiry = expiryOf(order);
	if (expiry === undefined) {
		if (ended) return 'has expired';
		return payTypeOf(order) === 'POST_PAY' ? 'runs until it is closed' : 'is active';
	}
	const secondsLeft = Math.floor((expiry - now) / 1000);
	if (secondsLeft > 0) return ended ? 'has expired' : `expires in ${timeInWords(secondsLeft)}`;
	return `expired ${timeInWords(-secondsLeft)} ago`;
}

/** A sentence to send as it is, such as "Private Proxy order 965102959536478 expires in 2.1 days". */
export function orderText(order: UnknownRecord, now: EpochMs): string {
	return `${nameOfOrder(order)} ${stateInWords(order, now)}`;
}

/** An order as lists and the trigger put it out. `now` is by the clock of the service. */
export function orderItem(order: UnknownRecord, now: EpochMs): IDataObject {
	return toRecord({ text: orderText(order, now), ...readableOrder(order, now) });
}

/** The codes of the product and the pay type with their names in plain English, each where it is known. */
export function kindOfOrder(order: unknown) {
	const [product, payType] = [ownValue(order, 'product'), ownValue(order, 'pay_type')];
	const isKnown = (code: unknown): code is string => typeof code === 'string' && code !== '';
	return {
		...(isKnown(product) ? { product, productName: productName(product) } : {}),
		...(isKnown(payType) ? { pay_type: payType, payTypeName: payTypeName(payType) } : {}),
	};
}

/** The record of the service, with names for its codes and with the time that is left by the service's clock. */
export function readableOrder<T extends UnknownRecord>(order: T, now: EpochMs) {
	return withOrderExpiry({ ...order, ...kindOfOrder(order) }, now);
}
