import type { IDataObject } from 'n8n-workflow';

import { ApiError, DescribedError } from '../../shared/errors/callErrors';
import { toProperty } from '../../shared/fields/field';
import { accessOrder } from '../../shared/orders/orderAccess';
import { orderField } from '../../shared/orders/orderField';
import { isInForce, payTypeOf, productOf } from '../../shared/orders/orderState';
import { accountOrders, type AccountOrder } from '../../shared/queries/account';
import { ipBalance, NoTrafficLeftError, trafficLeft } from '../../shared/queries/order';
import { fetchOrderFacts } from '../../shared/queries/orderFacts';
import { UNKNOWN_KEY_PAIR } from '../../shared/service/codes';
import { GET_IP_BALANCE } from '../../shared/service/endpoints/order';
import type { Caller, NodeCaller } from '../../shared/transport/caller';
import { runQuery } from '../../shared/transport/callService';
import { describeFailure, explainUndocumented } from '../../shared/transport/describeFailure';

interface Left {
	readonly left: number;
	/** Of the output: the same by the name of the service, and what it counts. */
	readonly fields: IDataObject;
}

/** What some orders of a product have left, and others of it don't count. */
export interface BalanceKind {
	readonly product: 'DPS' | 'FPS';
	/** Such as "an IP balance". */
	readonly inWords: string;
	/** Whether the list of the account tells that the order has one. */
	readonly isCertain: (order: AccountOrder) => boolean;
	/** @param listed the order as the list has it; undefined where that was not asked for */
	readonly read: (caller: Caller, listed: AccountOrder | undefined) => Promise<Left>;
	/** Whether the failure says that the order has none. */
	readonly isMissing: (error: unknown) => boolean;
}

/** Of an order of another kind, such as one with even extraction. */
const NO_IP_BALANCE = -2;

/** What an IP balance counts, by pay type: what is left of the day, or of all that was bought. */
const COUNTED: ReadonlyMap<string | undefined, 'today' | 'order'> = new Map([
	// Only those with concentrated extraction have an IP balance
	['PRE_PAY', 'today'],
	['PRE_PAY_IP', 'order'],
]);

export const IP_BALANCE: BalanceKind = {
	product: 'DPS',
	inWords: 'an IP balance',
	isCertain: (order) => payTypeOf(order) === 'PRE_PAY_IP',
	async read(caller, listed) {
		const askedFor = async () =>
			(await fetchOrderFacts(async (...query) => await runQuery(caller, ...query))).payType;
		const balanceOf = COUNTED.get(listed === undefined ? await askedFor() : payTypeOf(listed));
		const balance = await runQuery(caller, ipBalance);
		const fields = { balance, ...(balanceOf === undefined ? {} : { balanceOf }) };
		return { left: balance, fields };
	},
	isMissing: (error) =>
		error instanceof ApiError && error.endpoint === GET_IP_BALANCE && error.code === NO_IP_BALANCE,
};

export const TRAFFIC_LEFT: BalanceKind = {
	product: 'FPS',
	inWords: 'traffic left',
	isCertain: () => false,
	async read(caller) {
		const left = await explainUndocumented(
			runQuery(caller, trafficLeft),
			"Check that 'Order' is an overseas dynamic order (FPS): no other has traffic left.",
		);
		return { left, fields: { flow_left: left } };
	},
	isMissing: (error) => error instanceof NoTrafficLeftError,
};

export const watchedOrderProperty = {
	...toProperty(orderField),
	description:
		'The order to watch. Leave empty to watch all such orders of the account, or the order whose key pair the credential holds.',
};

export interface OrderBalance extends Left {
	/** Undefined for the order of the credential. */
	readonly orderid: string | undefined;
}

function candidatesIn(orders: readonly AccountOrder[], { product }: BalanceKind): AccountOrder[] {
	return orders.filter((order) => isInForce(order) && productOf(order) === product);
}

async function balanceOf(
	caller: NodeCaller,
	orderid: string | undefined,
	kind: BalanceKind,
	listed?: AccountOrder,
): Promise<OrderBalance> {
	const access = await accessOrder(caller, orderid);
	return { orderid, ...(await kind.read(access.caller, listed)) };
}

/**
 * What the chosen order has left, or the order of the credential, or else every order of the account that has such
 * a balance.
 */
export async function fetchBalances(
	caller: NodeCaller,
	orderid: string | undefined,
	kind: BalanceKind,
): Promise<{ readonly balances: readonly OrderBalance[]; readonly warnings: readonly string[] }> {
	if (orderid !== undefined || caller.credential.keyType === 'order') {
		return { balances: [await balanceOf(caller, orderid, kind)], warnings: [] };
	}
	const { orders } = await runQuery(caller, accountOrders);
	const balances: OrderBalance[] = [];
	const warnings: string[] = [];
	const unlessWithout = (error: unknown): undefined => {
		if (kind.isMissing(error)) return undefined;
		// It ended a moment ago, or its key pair does not work: no reason to leave out the others
		if (!(error instanceof ApiError) || error.code !== UNKNOWN_KEY_PAIR) throw error;
		const { message, description } = describeFailure(error, { hasTimeoutField: false });
		warnings.push(`Kuaidaili Trigger: ${message}. ${description}`);
		return undefined;
	};
	for (const order of candidatesIn(orders, kind)) {
		const balance = await balanceOf(caller, order.orderid, kind, order).catch(unlessWithout);
		if (balance !== undefined) balances.push(balance);
	}
	return { balances, warnings };
}

export function refuseNoBalances(
	balances: readonly OrderBalance[],
	{ inWords }: BalanceKind,
): void {
	if (balances.length > 0) return;
	throw new DescribedError({
		message: `No active order of the account has ${inWords}`,
		description: "To test this with a certain order, choose it in 'Order'.",
	});
}

/** Each takes about a second: the service hands out one key pair of an order per second. */
const MOST_CHECKED = 20;

/** Those that 'Order' offers: the ones that have such a balance, as far as that can be found out in time. */
export async function ordersWithBalance(
	caller: NodeCaller,
	orders: readonly AccountOrder[],
	kind: BalanceKind,
): Promise<AccountOrder[]> {
	const candidates = candidatesIn(orders, kind);
	const unclear = candidates.filter((order) => !kind.isCertain(order));
	const missing = new Set<AccountOrder>();
	for (const order of unclear.slice(0, MOST_CHECKED)) {
		await balanceOf(caller, order.orderid, kind, order).catch((error: unknown) => {
			if (kind.isMissing(error)) missing.add(order);
		});
	}
	return candidates.filter((order) => !missing.has(order));
}
