import { ResponseCache } from '../api/cache';
import { cleanServiceText, excerptOfData } from '../api/cleanText';
import { ApiError, InvalidResponseError, unlessCancelled } from '../api/errors';
import { dataQuery, parseRecords, type Query, type RunQuery } from '../api/call';
import { InvalidFieldError } from '../fields/field';
import { isCode, isRecord, ownValue, type UnknownRecord } from '../guards';
import { toChinaIso, type EpochMs } from '../service/chinaTime';
import { UNKNOWN_KEY_PAIR } from '../service/codes';
import { GET_ACCOUNT_BALANCE, GET_ACCOUNT_ORDERS } from '../service/endpoints/account';
import {
	GET_FPS_FLOW,
	GET_IP_BALANCE,
	GET_ORDER_EXPIRE_TIME,
	GET_ORDER_INFO,
} from '../service/endpoints/order';
import { isProductCode, orderOf, otherProductAdvice, PRODUCT_LABELS } from '../service/products';
import type { Answered } from '../service/wireTypes';
import { expiryOf, orderText, payTypeOf, productOf, statusOf } from './order';

/** The balance of the account in yuan, exactly as the service sends it, and as a number. */
export const accountBalance = dataQuery(GET_ACCOUNT_BALANCE, 'balance', (data) => {
	const balance = ownValue(data, 'balance');
	const text = typeof balance === 'number' ? String(balance) : balance;
	if (typeof text !== 'string' || !/^-?\d+(\.\d+)?$/.test(text.trim())) return undefined;
	return { balance: text, balanceNumber: Number(text) };
});

/** An order in the list of the account; everything else in it is as the service sends it. */
export type AccountOrder = UnknownRecord & { readonly orderid: string };

export interface AccountOrders extends Answered {
	readonly orders: readonly AccountOrder[];
}

function hasNumber(record: UnknownRecord): record is UnknownRecord & { orderid: string | number } {
	return isCode(ownValue(record, 'orderid'));
}

/**
 * The orders of the account. Optional parameters: `status`, `pay_type`, and `product`. Without `status`,
 * the service lists active orders only. An order that it lists twice is one.
 */
export const accountOrders: Query<AccountOrders> = {
	endpoint: GET_ACCOUNT_ORDERS,
	parse(answer, secrets) {
		const orders = parseRecords(answer, hasNumber, secrets).map((order): [string, AccountOrder] => {
			const orderid = String(order.orderid);
			return [orderid, { ...order, orderid }];
		});
		return { orders: [...new Map(orders).values()], answeredAt: answer.answeredAt };
	},
};

/** All orders of the account, whatever their status. */
export async function allOrders(ask: RunQuery): Promise<AccountOrders> {
	return await ask(accountOrders, { status: 'ALL' });
}

function isAmount(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value);
}

/** How many IPs a private proxy order has left: of all that were bought, or for today. */
export const ipBalance = dataQuery(GET_IP_BALANCE, 'IP balance', (data) => {
	const balance = ownValue(data, 'balance');
	return isAmount(balance) ? balance : undefined;
});

/** The sense of an IP balance by pay type: the rest of the day, or of all IPs that were bought. */
const COUNTED: ReadonlyMap<string | undefined, 'today' | 'order'> = new Map([
	// Only those with concentrated extraction have an IP balance
	['PRE_PAY', 'today'],
	['PRE_PAY_IP', 'order'],
]);

/** Whether an order's IP balance is about today or about the whole order; undefined where nobody knows. */
export function countedBy(payType: string | undefined): 'today' | 'order' | undefined {
	return COUNTED.get(payType);
}

/** Amounts in MB. Orders by the month have no total and none that is left. */
function isTraffic(data: unknown): data is UnknownRecord {
	const optional = ['flow_total', 'flow_left'].map((name) => ownValue(data, name) ?? 0);
	return isRecord(data) && [ownValue(data, 'flow_use'), ...optional].every(isAmount);
}

/**
 * Traffic of an overseas dynamic order. Takes `start_time` and `end_time`, where wanted: days
 * (`YYYY-MM-DD`) of the used traffic, which then comes by day as well.
 */
export const orderTraffic = dataQuery(GET_FPS_FLOW, 'traffic amounts', (data) =>
	isTraffic(data) ? data : undefined,
);

/** Such as that of an overseas order by the month. */
export class NoTrafficLeftError extends InvalidResponseError {}

/** How much traffic is left of an overseas dynamic order that is billed by traffic, in MB. */
export const trafficLeft: Query<number> = {
	endpoint: GET_FPS_FLOW,
	parse(answer, secrets) {
		const left = ownValue(orderTraffic.parse(answer, secrets), 'flow_left');
		if (typeof left === 'number') return left;
		const reason = 'does not say how much traffic this order has left';
		throw new NoTrafficLeftError(reason, excerptOfData(answer.data, secrets)).addNote(
			"Only overseas dynamic orders that are billed by traffic have traffic left; those billed by the month don't. Choose another order in 'Order'.",
		);
	},
};

export interface OrderExpiry extends Answered {
	/** The end as the service sends it, in China time; empty for pay-as-you-go orders. */
	readonly expireTime: string;
	/** Undefined for orders that do not end. */
	readonly expiresAt: EpochMs | undefined;
}

export const orderExpiry: Query<OrderExpiry> = {
	endpoint: GET_ORDER_EXPIRE_TIME,
	parse(answer, secrets) {
		const { data } = answer;
		const expireTime = ownValue(data, 'expire_time');
		const expiresAt = expiryOf(data);
		if (expireTime !== '' && expiresAt === undefined) {
			throw new InvalidResponseError(
				'contains no expiry time that this node can read',
				excerptOfData(data, secrets),
			);
		}
		return { expireTime: String(expireTime), expiresAt, answeredAt: answer.answeredAt };
	},
};

export interface OrderInfo extends Answered {
	/** The details as the service sends them; they may hold the password of a tunnel. */
	readonly info: UnknownRecord;
}

/** The details of the order of the key pair. Takes `field_list`: names with commas; all without. */
export const orderInfo: Query<OrderInfo> = {
	endpoint: GET_ORDER_INFO,
	parse(answer) {
		const { data } = answer;
		if (!isRecord(data)) throw new InvalidResponseError('contains no details of the order', '');
		return { info: data, answeredAt: answer.answeredAt };
	},
};

/** An order's details with its expiry, which is asked for by itself where the details lack it. */
export async function fetchOrderInfo(
	ask: RunQuery,
	parameters: { readonly field_list?: string },
): Promise<OrderInfo> {
	const { field_list: fields } = parameters;
	const answer = await ask(orderInfo, fields === undefined ? {} : { field_list: fields });
	const { info } = answer;
	const wantsExpiry = fields === undefined || fields.split(',').includes('expire_time');
	const mayLackIt = !Object.hasOwn(info, 'expire_time') && payTypeOf(info) !== 'POST_PAY';
	if (!wantsExpiry || !mayLackIt) return answer;
	const { expireTime } = await ask(orderExpiry);
	return { ...answer, info: { ...info, expire_time: expireTime } };
}

/** The details of an order that operations have to know; undefined where the service does not say them. */
export interface OrderDetails {
	readonly orderid?: string;
	/** The code that the editor offers. */
	readonly product?: string;
	/** The pay type in upper case. */
	readonly payType?: string;
	/** The status in upper case. */
	readonly status?: string;
	readonly requestsPerSecond?: number;
	/** How long a tunnel keeps an IP; 0 for a new one with each request. */
	readonly secondsPerIp?: number;
}

/** None of them is secret: some are saved with the workflow. */
const DETAIL_FIELDS = ['orderid', 'product', 'pay_type', 'status', 'tunnel_req', 'tunnel_period'];

function amountOf(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** Asks for them each time. Throws what `runQuery` throws. */
export async function fetchOrderDetails(ask: RunQuery): Promise<OrderDetails> {
	const { info } = await ask(orderInfo, { field_list: DETAIL_FIELDS.join(',') });
	const orderid = ownValue(info, 'orderid');
	const requests = amountOf(ownValue(info, 'tunnel_req'));
	return {
		orderid: isCode(orderid) ? String(orderid) : undefined,
		product: productOf(info),
		payType: payTypeOf(info),
		status: statusOf(info),
		requestsPerSecond: requests === 0 ? undefined : requests,
		secondsPerIp: amountOf(ownValue(info, 'tunnel_period')),
	};
}

/** They hardly ever change while an order runs. */
const knownOrders = new ResponseCache<OrderDetails>({ longestAgeMs: 600_000, largestSize: 500 });

/**
 * Asked for once. Whoever cannot be asked has no say: what is wrong shows when proxies are taken.
 *
 * @param orderKey tells the key pairs of orders apart
 */
export async function obtainOrderDetails(
	ask: RunQuery,
	orderKey: string,
	signal: AbortSignal | undefined,
): Promise<OrderDetails> {
	const fetch = async () => await fetchOrderDetails(ask);
	return (await knownOrders.obtain(orderKey, fetch, signal).catch(unlessCancelled)) ?? {};
}

/** The code of the order's product where it is another than the wanted one, and known: its name may be shown then. */
export function otherProduct({ product }: OrderDetails, wanted: string): string | undefined {
	return isProductCode(product) && product !== wanted ? product : undefined;
}

export function refuseOtherProduct(details: OrderDetails, chosen: string): void {
	const other = otherProduct(details, chosen);
	if (other === undefined) return;
	const order = details.orderid === undefined ? 'The order' : `Order ${details.orderid}`;
	throw new InvalidFieldError(
		'Product',
		isProductCode(chosen) ? PRODUCT_LABELS[chosen] : chosen,
		`${order} is ${orderOf(other)}. ${otherProductAdvice([other], chosen)}`,
	);
}

/** Lists of all orders, for those that a run asks about in vain. */
const orderListCache = new ResponseCache<AccountOrders>({ longestAgeMs: 60_000, largestSize: 20 });

/**
 * The refusal of an order's key pair with a note when that order ended, where the account's list has it; any other
 * error as it is.
 *
 * @param accountKey tells the key pairs of accounts apart
 */
export async function withOrderEnd(
	error: unknown,
	ask: RunQuery,
	accountKey: string,
	signal: AbortSignal | undefined,
): Promise<unknown> {
	const isOfOrder = error instanceof ApiError && error.endpoint.key === 'order';
	if (!isOfOrder || error.code !== UNKNOWN_KEY_PAIR || error.orderid === undefined) return error;
	const { orderid } = error;
	const list = async () => await allOrders(ask);
	const known = await orderListCache.obtain(accountKey, list, signal).catch(unlessCancelled);
	const order = known?.orders.find((one) => one.orderid === orderid);
	if (known === undefined || order === undefined) return error;
	const expiry = expiryOf(order);
	const end = expiry === undefined ? '' : ` (${toChinaIso(expiry)})`;
	return error.addNote(cleanServiceText(`${orderText(order, known.answeredAt)}${end}.`, []));
}
