import type { IDataObject } from 'n8n-workflow';

import { ownValue, type UnknownRecord, toRecord, isCode } from '../guards';
import { productName, payTypeName } from '../service/products';
import { plural } from '../wording';
import { expiryOf, hasEnded, payTypeOf, whyNotInForce, withOrderExpiry } from './orderState';
import type { EpochMs } from '../service/chinaTime';

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
