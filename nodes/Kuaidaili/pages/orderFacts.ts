import { InvalidFieldError } from '../../shared/fields/invalidFieldError';
import { ownValue } from '../../shared/guards';
import { orderInfo } from '../../shared/queries/orderInfo';
import { isCode } from '../../shared/response/parseRecords';
import { ResponseCache, singleFlight } from '../../shared/concurrency/responseCache';
import {
	listedProduct,
	orderOf,
	otherProductAdvice,
	PRODUCT_LABELS,
} from '../../shared/service/products';
import type { RunQuery } from '../../shared/service/query';
import { unlessCancelled } from '../../shared/errors/callErrors';

/** What pages have to know about an order; undefined is what the service does not say. */
export interface OrderFacts {
	readonly orderid?: string;
	readonly product?: string;
	/** How many requests a tunnel takes. */
	readonly requestsPerSecond?: number;
	/** How long a tunnel keeps an IP; 0 for a new one with each request. */
	readonly secondsPerIp?: number;
}

/** They hardly ever change while an order runs. */
const knownOrders = new ResponseCache<OrderFacts>({ longestAgeMs: 600_000, largestSize: 500 });

const FIELDS = 'orderid,product,tunnel_req,tunnel_period';

function amountOf(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

async function fetchFacts(run: RunQuery): Promise<OrderFacts> {
	const { info } = await run(orderInfo, { field_list: FIELDS });
	const requests = amountOf(ownValue(info, 'tunnel_req'));
	const [orderid, product] = ['orderid', 'product'].map((name) => ownValue(info, name));
	return {
		orderid: isCode(orderid) ? String(orderid) : undefined,
		product: isCode(product) ? String(listedProduct(product)) : undefined,
		requestsPerSecond: requests === 0 ? undefined : requests,
		secondsPerIp: amountOf(ownValue(info, 'tunnel_period')),
	};
}

/**
 * Asked for once. Whoever cannot be asked has no say: what is wrong shows when proxies are taken.
 *
 * @param orderKey tells the key pairs of orders apart
 * @throws CancelledError
 */
export async function obtainOrderFacts(
	run: RunQuery,
	orderKey: string,
	signal: AbortSignal | undefined,
): Promise<OrderFacts> {
	const obtain = async () => await knownOrders.obtain(orderKey, async () => await fetchFacts(run));
	return (await singleFlight(obtain, signal).catch(unlessCancelled)) ?? {};
}

/**
 * Refuses an order of another product, before any of its proxies is used up.
 *
 * @param chosen the code in 'Product'
 * @throws InvalidFieldError
 */
export function refuseOtherProduct({ orderid, product }: OrderFacts, chosen: string): void {
	if (product === undefined || product === chosen || !Object.hasOwn(PRODUCT_LABELS, product))
		return;
	const order = orderid === undefined ? 'The order' : `Order ${orderid}`;
	throw new InvalidFieldError(
		'Product',
		PRODUCT_LABELS[chosen] ?? chosen,
		`${order} is ${orderOf(product)}. ${otherProductAdvice([product], chosen)}`,
	);
}
