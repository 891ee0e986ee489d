import type { IDataObject } from 'n8n-workflow';

import { ownValue } from '../../shared/guards';
import type { AccountOrder } from '../../shared/queries/accountOrders';
import { readableOrder } from '../../shared/orders/readableOrder';
import { toRecord } from '../../shared/toRecord';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function plural(count: number, unit: string): string {
	return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Such as "2.1 days", "5 hours", or "1 minute"; never more than there is. */
function timeInWords(seconds: number): string {
	if (seconds >= DAY) return plural(Math.floor((seconds / DAY) * 10) / 10, 'day');
	if (seconds >= HOUR) return plural(Math.floor(seconds / HOUR), 'hour');
	if (seconds >= MINUTE) return plural(Math.floor(seconds / MINUTE), 'minute');
	return 'less than a minute';
}

function whatHappens(secondsLeft: number | undefined): string {
	if (secondsLeft === undefined) return 'has expired';
	return secondsLeft > 0
		? `expires in ${timeInWords(secondsLeft)}`
		: `expired ${timeInWords(-secondsLeft)} ago`;
}

/** Such as "Private Proxy order 965102959536478". */
export function nameOfOrder(order: AccountOrder): string {
	const product = ownValue(order, 'productName');
	return `${typeof product === 'string' ? `${product} order` : 'Order'} ${order.orderid}`;
}

/**
 * What the trigger puts out for an order.
 *
 * @param now milliseconds since 1970
 */
export function orderItem(order: AccountOrder, now: number): IDataObject {
	const readable = readableOrder(order, now);
	const text = `${nameOfOrder(readable)} ${whatHappens(readable.secondsLeft)}`;
	return toRecord({ text, ...readable });
}
