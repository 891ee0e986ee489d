import { isRecord } from '../harness/outsideData.mts';
import { GET_ORDER_SECRET } from '../nodes/shared/service/endpoints/account.ts';
import { listedProduct } from '../nodes/shared/service/products.ts';
import type { Answered, KeyPair, ServiceReader } from './reader.mts';

/** An order that is asked in place of all of its product and pay type. */
export interface AskedOrder {
	readonly product: string;
	readonly payType: string;
	readonly keys: KeyPair;
	/** The answer to getordersecret; undefined with an order's own key pair. */
	readonly secretAnswer?: Answered;
}

/** More kinds than these the service doesn't sell. */
const MOST_ORDERS = 16;

/** The first active order of each product and pay type, with its key pair. */
export async function ordersToAsk(
	reader: ServiceReader,
	account: KeyPair,
	list: unknown,
): Promise<AskedOrder[]> {
	const records = (Array.isArray(list) ? list : []).filter(isRecord);
	const first = new Map<string, { orderid: string; product: string; payType: string }>();
	for (const { orderid, product: code, pay_type: payType, status } of records) {
		const product = listedProduct(code);
		if (typeof orderid !== 'string' || typeof payType !== 'string' || product === undefined)
			continue;
		if (status !== 'VALID' || first.size >= MOST_ORDERS) continue;
		const kind = `${product} ${payType}`;
		if (!first.has(kind)) first.set(kind, { orderid, product, payType });
	}
	const orders: AskedOrder[] = [];
	for (const { orderid, product, payType } of first.values()) {
		const reply = await reader.call(GET_ORDER_SECRET, account, { orderid });
		if (reply.kind !== 'answered' || !isRecord(reply.data)) continue;
		const { secret_id: secretId, secret_key: secretKey } = reply.data;
		if (typeof secretId !== 'string' || typeof secretKey !== 'string') continue;
		orders.push({ product, payType, keys: { secretId, secretKey }, secretAnswer: reply });
	}
	return orders;
}

/** The order of a key pair, by its details. */
export function orderOfKeys(keys: KeyPair, details: unknown): AskedOrder {
	const { product, pay_type: payType } = isRecord(details) ? details : {};
	return {
		product: listedProduct(product) ?? 'unknown',
		payType: typeof payType === 'string' ? payType : 'unknown',
		keys,
	};
}
