import { KeyedMutex } from '../../shared/concurrency/keyedMutex';
import { accessOrder } from '../../shared/orders/orderAccess';
import { orderInfo } from '../../shared/orders/orderInfo';
import { ownValue } from '../../shared/guards';
import type { RunQuery } from '../../shared/service/query';
import type { Caller, NodeCaller } from '../../shared/transport/caller';
import { isCode } from '../../shared/response/parseRecords';
import { runQuery } from '../../shared/transport/callService';
import type { Purchase } from './contract';

/** For each order, by the id of its key pair. */
const orderMutex = new KeyedMutex();

/** Who buys, and for which order. */
export interface Buyer {
	readonly caller: Caller;
	readonly ask: RunQuery;
	/** The order that is renewed, where that is known. */
	readonly orderid: string | undefined;
	/** The same, fetched if it is not known. Undefined if that fails, and for a new order. */
	findOrderid(): Promise<string | undefined>;
	/** Lets the next one in. */
	close(): void;
}

export function askWith(caller: Caller): RunQuery {
	return async (query, parameters) => await runQuery(caller, query, parameters);
}

async function fetchOrderid(ask: RunQuery): Promise<string | undefined> {
	const { info } = await ask(orderInfo, { field_list: 'orderid' });
	const orderid = ownValue(info, 'orderid');
	return isCode(orderid) ? String(orderid) : undefined;
}

/**
 * The buyer with the key pair that the endpoint needs. One buyer at a time per order: otherwise two
 * executions could see the same expiry and both renew, or both take one renewal for theirs.
 *
 * @throws CancelledError, InvalidFieldError and what `callService` throws
 */
export async function openBuyer(
	{ endpoint, orderid }: Purchase,
	credential: NodeCaller,
): Promise<Buyer> {
	if (endpoint.key !== 'order') {
		return {
			caller: credential,
			ask: askWith(credential),
			orderid: undefined,
			findOrderid: async () => await Promise.resolve(undefined),
			close: () => {},
		};
	}
	const { caller } = await accessOrder(credential, orderid);
	const close = await orderMutex.lock(caller.credential.secretId, caller.signal);
	const ask = askWith(caller);
	const findOrderid = async () => orderid ?? (await fetchOrderid(ask).catch(() => undefined));
	return { caller, ask, orderid, findOrderid, close };
}
