import { ResponseCache } from '../concurrency/responseCache';
import { ApiError, unlessCancelled } from '../errors/callErrors';
import { cleanServiceText } from '../errors/cleanText';
import { ownValue, type UnknownRecord, isCode } from '../guards';
import { GET_ACCOUNT_BALANCE, GET_ACCOUNT_ORDERS } from '../service/endpoints/account';
import { orderText } from '../orders/orderItem';
import { expiryOf } from '../orders/orderState';
import { toChinaIso } from '../service/chinaTime';
import { UNKNOWN_KEY_PAIR } from '../service/codes';
import {
	dataQuery,
	answeredOf,
	type Answered,
	type Query,
	parseRecords,
	type RunQuery,
} from '../service/query';

export interface AccountBalance {
	/** In yuan, exactly as the service sends it. */
	readonly balance: string;
	readonly balanceNumber: number;
}

export const accountBalance = dataQuery(
	GET_ACCOUNT_BALANCE,
	'balance',
	(data): AccountBalance | undefined => {
		const balance = ownValue(data, 'balance');
		const text = typeof balance === 'number' ? String(balance) : balance;
		if (typeof text !== 'string' || !/^-?\d+(\.\d+)?$/.test(text.trim())) return undefined;
		return { balance: text, balanceNumber: Number(text) };
	},
);

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
		return { orders: [...new Map(orders).values()], ...answeredOf(answer) };
	},
};

/** Lists of all orders, for those that a run asks about in vain. */
const allOrders = new ResponseCache<AccountOrders>({ longestAgeMs: 60_000, largestSize: 20 });

/**
 * Notes on the refusal of an order's key pair when that order ended, where the account's list has it.
 *
 * @param accountKey tells the key pairs of accounts apart
 */
export async function noteEnd(error: unknown, run: RunQuery, accountKey: string): Promise<void> {
	const isOfOrder = error instanceof ApiError && error.endpoint.key === 'order';
	if (!isOfOrder || error.code !== UNKNOWN_KEY_PAIR || error.orderid === undefined) return;
	const { orderid } = error;
	const list = async () => await run(accountOrders, { status: 'ALL' });
	const known = await allOrders.obtain(accountKey, list).catch(unlessCancelled);
	const order = known?.orders.find((one) => one.orderid === orderid);
	if (known === undefined || order === undefined) return;
	const expiry = expiryOf(order);
	const end = expiry === undefined ? '' : ` (${toChinaIso(expiry)})`;
	error.note = cleanServiceText(`${orderText(order, known.answeredAt)}${end}.`, []);
}
