import { ownValue, type UnknownRecord, isCode } from '../guards';
import { GET_ACCOUNT_BALANCE, GET_ACCOUNT_ORDERS } from '../service/endpoints/account';
import { dataQuery, type Query, type RunQuery, parseRecords } from '../api/call';
import type { Answered } from '../service/wireTypes';

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
export async function allOrders(run: RunQuery): Promise<AccountOrders> {
	return await run(accountOrders, { status: 'ALL' });
}
