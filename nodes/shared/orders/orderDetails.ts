import { ResponseCache } from '../api/cache';
import { ApiError, unlessCancelled, withNote } from '../api/errors';
import { cleanServiceText } from '../api/cleanText';
import { InvalidFieldError } from '../fields/field';
import { ownValue, isCode } from '../guards';
import type { RunQuery } from '../api/call';
import { isProductCode, orderOf, otherProductAdvice, PRODUCT_LABELS } from '../service/products';
import { orderText } from './orderItem';
import { expiryOf, payTypeOf, productOf, statusOf } from './orderState';
import { toChinaIso } from '../service/chinaTime';
import { UNKNOWN_KEY_PAIR } from '../service/codes';
import { accountOrders, type AccountOrders } from './account';
import { orderInfo } from './orderQueries';

/** The facts of an order that operations have to know; undefined where the service does not say them. */
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

/** Asks for them each time. Throws what `callService` throws. */
export async function fetchOrderDetails(run: RunQuery): Promise<OrderDetails> {
	const { info } = await run(orderInfo, { field_list: DETAIL_FIELDS.join(',') });
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
	run: RunQuery,
	orderKey: string,
	signal: AbortSignal | undefined,
): Promise<OrderDetails> {
	const fetch = async () => await fetchOrderDetails(run);
	return (await knownOrders.obtain(orderKey, fetch, signal).catch(unlessCancelled)) ?? {};
}

/** The code of the order's product where it is another than the wanted one, and known: its name may be shown then. */
export function otherProduct({ product }: OrderDetails, wanted: string): string | undefined {
	return isProductCode(product) && product !== wanted ? product : undefined;
}

export function refuseOtherProduct(facts: OrderDetails, chosen: string): void {
	const other = otherProduct(facts, chosen);
	if (other === undefined) return;
	const order = facts.orderid === undefined ? 'The order' : `Order ${facts.orderid}`;
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
	run: RunQuery,
	accountKey: string,
	signal: AbortSignal | undefined,
): Promise<unknown> {
	const isOfOrder = error instanceof ApiError && error.endpoint.key === 'order';
	if (!isOfOrder || error.code !== UNKNOWN_KEY_PAIR || error.orderid === undefined) return error;
	const { orderid } = error;
	const list = async () => await run(accountOrders, { status: 'ALL' });
	const known = await orderListCache.obtain(accountKey, list, signal).catch(unlessCancelled);
	const order = known?.orders.find((one) => one.orderid === orderid);
	if (known === undefined || order === undefined) return error;
	const expiry = expiryOf(order);
	const end = expiry === undefined ? '' : ` (${toChinaIso(expiry)})`;
	return withNote(error, cleanServiceText(`${orderText(order, known.answeredAt)}${end}.`, []));
}
