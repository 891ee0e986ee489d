import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { ApiError, DescribedError, explaining } from '../../shared/errors/callErrors';
import { readRequiredField, toProperty, type Field } from '../../shared/fields/field';
import { wholeNumber } from '../../shared/fields/valueKinds';
import { fingerprintOf } from '../../shared/fingerprint';
import { isList, ownValue, type UnknownRecord } from '../../shared/guards';
import { accessOrder } from '../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { nameOfOrder } from '../../shared/orders/orderItem';
import { isInForce, payTypeOf, productOf } from '../../shared/orders/orderState';
import { accountBalance, accountOrders, type AccountOrder } from '../../shared/queries/account';
import { ipBalance, NoTrafficLeftError, trafficLeft } from '../../shared/queries/order';
import { fetchOrderFacts } from '../../shared/queries/orderFacts';
import { UNKNOWN_KEY_PAIR } from '../../shared/service/codes';
import { GET_IP_BALANCE } from '../../shared/service/endpoints/order';
import type { Caller, NodeCaller } from '../../shared/transport/caller';
import { runQuery } from '../../shared/transport/callService';
import { formatNumber } from '../../shared/wording';
import type { PollResult, TriggerEvent } from './event';

/**
 * n8n saves the state only when something is emitted. After a restart, it is unknown whether the value
 * has been back above the threshold, so the state of an earlier process proves nothing.
 */
const PROCESS_ID = randomUUID();

interface Watched {
	/** Identifies what is watched. */
	readonly subject: readonly string[];
	readonly value: number;
	readonly threshold: number;
	readonly record: IDataObject;
}

/** Emits each value that falls below its threshold, again after it was above, and again after a restart of n8n. */
function emitCrossings(all: readonly Watched[], state: UnknownRecord | undefined): PollResult {
	const known = ownValue(state, 'process') === PROCESS_ID ? ownValue(state, 'below') : undefined;
	const wasBelow = new Set(isList(known) ? known : []);
	const below = all
		.filter(({ value, threshold }) => value < threshold)
		.map((watched) => ({ ...watched, key: fingerprintOf(...watched.subject, watched.threshold) }));
	return {
		records: below.filter(({ key }) => !wasBelow.has(key)).map(({ record }) => record),
		state: { process: PROCESS_ID, below: below.map(({ key }) => key) },
	};
}

/** Also for a test, in which the value may be above the threshold. */
function textOf(left: string, value: number, threshold: number, unit: string): string {
	const limit = `below the limit of ${formatNumber(threshold)} ${unit}`;
	return `${left}, ${value < threshold ? limit : `not ${limit}`}`;
}

const yuanField: Field = {
	name: 'balanceBelow',
	displayName: 'Below (Yuan)',
	description: 'The workflow starts when the account balance drops below this amount, in yuan',
	kind: wholeNumber(1, 100_000_000, 100),
};

export const accountBalanceBelow: TriggerEvent = {
	option: {
		name: 'Account Balance Below',
		value: 'accountBalanceBelow',
		action: 'On account balance below a limit',
		description: 'When the account balance drops below a limit, and again after you top up',
	},
	properties: [toProperty(yuanField)],
	async fetchSnapshot(caller, valueOf) {
		const threshold = Number(readRequiredField(yuanField, valueOf(yuanField.name)));
		const balance = await runQuery(caller, accountBalance);
		const subject = [caller.credential.secretId];
		const value = balance.balanceNumber;
		const left = `The Kuaidaili account balance is ${balance.balance} yuan`;
		const text = textOf(left, value, threshold, 'yuan');
		const record = { text, ...balance, below: threshold };
		return {
			poll: (state) => emitCrossings([{ subject, value, threshold, record }], state),
			sample: () => [record],
		};
	},
};

interface Left {
	readonly left: number;
	/** Of the output: the same by the name of the service, and what it counts. */
	readonly fields: IDataObject;
}

/** What some orders of a product have left, and others of it don't count. */
interface BalanceKind {
	readonly option: TriggerEvent['option'];
	readonly product: 'DPS' | 'FPS';
	/** Such as "an IP balance". */
	readonly balance: string;
	readonly limit: Field;
	/** Such as "48 IPs left today". */
	readonly inWords: (left: Left) => string;
	readonly unit: string;
	/** Whether the list of the account tells that the order has one. */
	readonly isCertain: (order: AccountOrder) => boolean;
	/** @param listed the order as the list has it; undefined where that was not asked for */
	readonly read: (caller: Caller, listed: AccountOrder | undefined) => Promise<Left>;
	/** Whether the failure says that the order has none. */
	readonly isMissing: (error: unknown) => boolean;
}

interface OrderBalance extends Left {
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
	return { orderid, ...(await kind.read(await accessOrder(caller, orderid), listed)) };
}

/** Of the chosen order, or of the order of the credential, or else of every order of the account that has one. */
async function fetchBalances(
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
		const { message, description } = error.describe({ hasTimeoutField: false });
		warnings.push(`${message}. ${description}`);
		return undefined;
	};
	for (const order of candidatesIn(orders, kind)) {
		const balance = await balanceOf(caller, order.orderid, kind, order).catch(unlessWithout);
		if (balance !== undefined) balances.push(balance);
	}
	return { balances, warnings };
}

/** Each takes about a second: the service hands out one key pair of an order per second. */
const MOST_CHECKED = 20;

/** Those that 'Order' offers: the ones that have such a balance, as far as that can be found out in time. */
async function ordersWithBalance(
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

function orderBalanceBelow(kind: BalanceKind): TriggerEvent {
	const { option, product, limit, inWords, unit } = kind;
	return {
		option,
		orders: { products: [product] },
		offered: async (caller, orders) => await ordersWithBalance(caller, orders, kind),
		properties: [
			{
				...toProperty(orderField),
				description:
					'The order to watch. Leave empty to watch all such orders of the account, or the order whose key pair the credential holds.',
			},
			toProperty(limit),
		],
		async fetchSnapshot(caller, valueOf) {
			const orderid = readChosenOrder(valueOf(orderField.name));
			const threshold = Number(readRequiredField(limit, valueOf(limit.name)));
			const { balances, warnings } = await fetchBalances(caller, orderid, kind);
			const watched = balances.map((balance): Watched => {
				const { orderid: number, left: value, fields } = balance;
				const order = number === undefined ? {} : { orderid: number };
				const left = `${nameOfOrder({ product, ...order })} has ${inWords(balance)}`;
				const text = textOf(left, value, threshold, unit);
				const subject = [caller.credential.secretId, number ?? ''];
				const record = { text, ...order, ...fields, below: threshold };
				return { subject, value, threshold, record };
			});
			return {
				poll: (state) => ({ ...emitCrossings(watched, state), warnings }),
				sample() {
					if (watched.length > 0) return watched.map(({ record }) => record);
					throw new DescribedError({
						message: `No active order of the account has ${kind.balance}`,
						description: "To test this with a certain order, choose it in 'Order'.",
					});
				},
			};
		},
	};
}

/** Of an order of another kind, such as one with even extraction. */
const NO_IP_BALANCE = -2;

/** What an IP balance counts, by pay type: what is left of the day, or of all that was bought. */
const COUNTED: ReadonlyMap<string | undefined, 'today' | 'order'> = new Map([
	// Only those with concentrated extraction have an IP balance
	['PRE_PAY', 'today'],
	['PRE_PAY_IP', 'order'],
]);

export const ipBalanceBelow = orderBalanceBelow({
	option: {
		name: 'IP Balance Below',
		value: 'ipBalanceBelow',
		action: 'On IP balance below a limit',
		description:
			"When a private proxy order runs low on IPs: on all it has left (pay per IP), or on today's (prepaid with concentrated extraction)",
	},
	product: 'DPS',
	balance: 'an IP balance',
	limit: {
		name: 'ipBalanceBelow',
		displayName: 'Below (IPs)',
		description: 'The workflow starts when an order has fewer IPs left than this',
		kind: wholeNumber(1, 100_000_000, 1000),
	},
	inWords: ({ left, fields: { balanceOf } }) =>
		`${formatNumber(left)} IPs left${balanceOf === 'today' ? ' today' : ''}`,
	unit: 'IPs',
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
});

export const trafficBelow = orderBalanceBelow({
	option: {
		name: 'Traffic Below',
		value: 'trafficBelow',
		action: 'On traffic below a limit',
		description:
			'When an overseas dynamic order that is billed by traffic runs low on it, and again after you buy more',
	},
	product: 'FPS',
	balance: 'traffic left',
	limit: {
		name: 'trafficBelow',
		displayName: 'Below (MB)',
		description: 'The workflow starts when an order has less traffic left than this, in MB',
		kind: wholeNumber(1, 100_000_000, 1000),
	},
	inWords: ({ left }) => `${formatNumber(left)} MB of traffic left`,
	unit: 'MB',
	isCertain: () => false,
	async read(caller) {
		const hint =
			"Check that 'Order' is an overseas dynamic order (FPS): no other has traffic left.";
		const left = await runQuery(caller, trafficLeft).catch(explaining(hint));
		return { left, fields: { flow_left: left } };
	},
	isMissing: (error) => error instanceof NoTrafficLeftError,
});
