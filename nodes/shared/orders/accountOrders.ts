import type { FlatParameters } from '../credential/signature';
import { ownValue, type UnknownRecord } from '../guards';
import { GET_ACCOUNT_ORDERS } from '../service/endpoints/account';
import { callService, type Caller } from '../transport/callService';
import { isCode, parseRecords } from '../transport/parseRecords';

/** An order in the list of the account; everything else in it is as the service sends it. */
export type AccountOrder = UnknownRecord & { readonly orderid: string };

/** What the list was like, and when. */
export interface AccountOrders {
	readonly orders: readonly AccountOrder[];
	/** Milliseconds since 1970, by the clock of the service. */
	readonly answeredAt: number;
}

function hasNumber(record: UnknownRecord): record is UnknownRecord & { orderid: string | number } {
	return isCode(ownValue(record, 'orderid'));
}

/**
 * Asks for the orders of the account.
 *
 * @param parameters `status`, `pay_type` and `product`, where wanted; without `status` the service
 * lists the orders in force only
 * @throws what `callService` throws
 */
export async function fetchAccountOrders(
	account: Caller,
	parameters: FlatParameters,
): Promise<AccountOrders> {
	const answer = await callService(account, { endpoint: GET_ACCOUNT_ORDERS, parameters });
	const orders = parseRecords(answer, hasNumber, account.secrets());
	return {
		orders: orders.map((order) => ({ ...order, orderid: String(order.orderid) })),
		answeredAt: answer.answeredAt,
	};
}
