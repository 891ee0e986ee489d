import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import {
	ApiError,
	type CallError,
	DescribedError,
	explaining,
	withNote,
} from '../../shared/api/errors';
import { readRequiredField } from '../../shared/fields/reader';
import { toProperty, type Field } from '../../shared/fields/field';
import { number } from '../../shared/fields/kinds';
import { fingerprintOf } from '../../shared/api/sign';
import { isList, ownValue } from '../../shared/guards';
import { type NodeApiClient, type ApiClient } from '../../shared/api/client';
import { orderField, readChosenOrder, accessOrder } from '../../shared/orders/orderField';
import { nameOfOrder, isInForce, payTypeOf, productOf } from '../../shared/orders/order';
import {
	accountBalance,
	accountOrders,
	type AccountOrder,
	countedBy,
	ipBalance,
	NO_OTHER_HAS_TRAFFIC,
	NoTrafficLeftError,
	trafficLeft,
	fetchOrderDetails,
} from '../../shared/orders/queries';
import { UNKNOWN_KEY_PAIR } from '../../shared/service/codes';
import { GET_IP_BALANCE } from '../../shared/service/endpoints/order';
import { runQuery } from '../../shared/api/call';
import { formatNumber } from '../../shared/wording';
import type { TriggerEvent } from './event';

/**
 * n8n saves the state only when something is emitted. After a restart, it is unknown whether the value
 * has been back above the threshold, so the state of an earlier process proves nothing.
 */
const PROCESS_ID = randomUUID();

/** A balance, such as the money of an account or the IPs of an order. */
interface Balance {
	readonly left: number;
	/** Such as "Private Proxy order 965102959536478 has 48 IPs left today". */
	readonly inWords: string;
	/** Fields of the output; `orderid` for an order of the account. */
	readonly fields: IDataObject;
}

interface Balances {
	readonly all: readonly Balance[];
	/** Why some are missing. */
	readonly warnings?: readonly string[];
	/** An order that could not be read, and that somebody should look at. */
	readonly failure?: CallError;
}

interface BalanceEvent extends Pick<TriggerEvent, 'option' | 'orders'> {
	readonly limit: Field;
	readonly unit: string;
	/** @param orderid from 'Order', where the event has it */
	readonly fetch: (caller: NodeApiClient, orderid: string | undefined) => Promise<Balances>;
	/** The message of a test that has nothing to show. */
	readonly nothing?: string;
}

const watchedOrderProperty: INodeProperties = {
	...toProperty(orderField),
	description:
		'The order to watch. Leave empty to watch all such orders of the account, or the order whose key pair the credential holds.',
};

/** Emits each value that falls below the limit, again after it was above, and again after a restart of n8n. */
function balanceEventOf({
	limit,
	unit,
	fetch,
	nothing = '',
	...event
}: BalanceEvent): TriggerEvent {
	const hasOrder = event.orders !== undefined;
	return {
		...event,
		properties: [...(hasOrder ? [watchedOrderProperty] : []), toProperty(limit)],
		async fetchSnapshot(caller, valueOf) {
			const orderid = hasOrder ? readChosenOrder(valueOf(orderField.name)) : undefined;
			const below = Number(readRequiredField(limit, valueOf(limit.name)));
			const { all, warnings, failure } = await fetch(caller, orderid);
			const scope = fingerprintOf(caller.credential.secretId, below);
			const isOfScope = (key: unknown): key is string =>
				typeof key === 'string' && key.startsWith(scope);
			const watched = all.map(({ left, inWords, fields }) => {
				// A test shows those above the limit as well
				const which = left < below ? 'below' : 'not below';
				const text = `${inWords}, ${which} the limit of ${formatNumber(below)} ${unit}`;
				const key = scope + fingerprintOf(fields.orderid);
				return { key, isBelow: left < below, record: { text, ...fields, below } };
			});
			return {
				poll(state) {
					const known = ownValue(state, 'process') === PROCESS_ID && ownValue(state, 'below');
					const wasBelow = new Set((isList(known) ? known : []).filter(isOfScope));
					const isNew = ({ key, isBelow }: (typeof watched)[number]) =>
						isBelow && !wasBelow.has(key);
					const records = watched.filter(isNew).map(({ record }) => record);
					// What could not be looked at this time may still be below
					for (const { key } of watched) wasBelow.delete(key);
					const now = watched.filter(({ isBelow }) => isBelow).map(({ key }) => key);
					return {
						records,
						state: { process: PROCESS_ID, below: [...wasBelow, ...now] },
						warnings,
						failure,
					};
				},
				sample() {
					if (watched.length > 0) return watched.map(({ record }) => record);
					throw new DescribedError({
						message: nothing,
						description: "To test this with a certain order, choose it in 'Order'.",
					});
				},
			};
		},
	};
}

export const accountBalanceBelow = balanceEventOf({
	option: {
		name: 'Account Balance Below',
		value: 'accountBalanceBelow',
		action: 'On account balance below a limit',
		description: 'Each time the account balance drops below a limit',
	},
	limit: {
		name: 'balanceBelow',
		displayName: 'Below (Yuan)',
		description: 'The workflow starts when the account balance drops below this amount, in yuan',
		kind: number({ min: 1, max: 100_000_000, preset: 100 }),
	},
	unit: 'yuan',
	async fetch(caller) {
		const fields = await runQuery(caller, accountBalance);
		const inWords = `The Kuaidaili account balance is ${fields.balance} yuan`;
		return { all: [{ left: fields.balanceNumber, inWords, fields }] };
	},
});

/** A balance that some orders of a product have, and others don't. */
interface OrderBalanceEvent extends Pick<BalanceEvent, 'option' | 'limit' | 'unit'> {
	readonly product: 'DPS' | 'FPS';
	/** Such as "an IP balance". */
	readonly balance: string;
	/**
	 * `inWords` without the name of the order, such as "48 IPs left today".
	 *
	 * @param listed the order as the list has it; undefined where that was not asked for
	 */
	readonly read: (caller: ApiClient, listed: AccountOrder | undefined) => Promise<Balance>;
	/** Whether the failure says that the order has none. */
	readonly isMissing: (error: unknown) => boolean;
}

/**
 * The balances of orders. One that has none, or whose key pair does not work, leaves the others to be read.
 *
 * @param isMissing whether the failure says that the order has none
 */
async function balancesOf(
	orders: readonly AccountOrder[],
	read: (order: AccountOrder) => Promise<Balance>,
	isMissing: (error: unknown) => boolean,
) {
	const all: Balance[] = [];
	const warnings: string[] = [];
	let failure: CallError | undefined;
	const unlessOfOne = (error: unknown, orderid: string): undefined => {
		if (isMissing(error)) return undefined;
		if (!(error instanceof ApiError)) throw error;
		// It ended a moment ago, or its key pair does not work: no reason to leave out the others
		const isOver = error.code === UNKNOWN_KEY_PAIR;
		// Nor is a code that nobody knows, but somebody should look
		if (!isOver && error.meaning !== undefined) throw error;
		const noted = isOver ? error : withNote(error, `This was order ${orderid}.`);
		if (!isOver) failure ??= noted;
		const { message, description } = noted.describe();
		warnings.push(`${message}. ${description}`);
		return undefined;
	};
	for (const order of orders) {
		const balance = await read(order).catch((error: unknown) => unlessOfOne(error, order.orderid));
		if (balance !== undefined) all.push(balance);
	}
	return { all, warnings, failure };
}

/**
 * The balances of the chosen order, or of the order of the credential, or else of every order of the account that has
 * one.
 */
function orderBalanceBelow(spec: OrderBalanceEvent): TriggerEvent {
	const { product, balance, read, isMissing, ...event } = spec;

	const candidatesIn = (orders: readonly AccountOrder[]): AccountOrder[] =>
		orders.filter((order) => isInForce(order) && productOf(order) === product);

	const balanceOf = async (
		caller: NodeApiClient,
		orderid: string | undefined,
		listed?: AccountOrder,
	): Promise<Balance> => {
		const { left, inWords, fields } = await read(await accessOrder(caller, orderid), listed);
		const order = orderid === undefined ? {} : { orderid };
		const name = nameOfOrder({ product, ...order });
		return { left, inWords: `${name} has ${inWords}`, fields: { ...order, ...fields } };
	};

	const nothing = `No active order of the account has ${balance}`;
	return balanceEventOf({
		...event,
		nothing,
		orders: { products: [product] },
		async fetch(caller, orderid) {
			if (orderid !== undefined || caller.credential.keyType === 'order') {
				return { all: [await balanceOf(caller, orderid)] };
			}
			const { orders } = await runQuery(caller, accountOrders);
			return await balancesOf(
				candidatesIn(orders),
				async (order) => await balanceOf(caller, order.orderid, order),
				isMissing,
			);
		},
	});
}

/** The code for an order of another kind, such as one with even extraction. */
const NO_IP_BALANCE = -2;

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
		kind: number({ min: 1, max: 100_000_000, preset: 1000 }),
	},
	unit: 'IPs',
	async read(caller, listed) {
		const askedFor = async () =>
			(await fetchOrderDetails(async (...query) => await runQuery(caller, ...query))).payType;
		const balanceOf = countedBy(listed === undefined ? await askedFor() : payTypeOf(listed));
		const balance = await runQuery(caller, ipBalance);
		const inWords = `${formatNumber(balance)} IPs left${balanceOf === 'today' ? ' today' : ''}`;
		const fields = { balance, ...(balanceOf === undefined ? {} : { balanceOf }) };
		return { left: balance, inWords, fields };
	},
	isMissing: (error) =>
		error instanceof ApiError && error.endpoint === GET_IP_BALANCE && error.code === NO_IP_BALANCE,
});

export const trafficBelow = orderBalanceBelow({
	option: {
		name: 'Traffic Below',
		value: 'trafficBelow',
		action: 'On traffic below a limit',
		description: 'Each time an overseas dynamic order that is billed by traffic runs low on it',
	},
	product: 'FPS',
	balance: 'traffic left',
	limit: {
		name: 'trafficBelow',
		displayName: 'Below (MB)',
		description: 'The workflow starts when an order has less traffic left than this, in MB',
		kind: number({ min: 1, max: 100_000_000, preset: 1000 }),
	},
	unit: 'MB',
	async read(caller) {
		const left = await runQuery(caller, trafficLeft).catch(explaining(NO_OTHER_HAS_TRAFFIC));
		const inWords = `${formatNumber(left)} MB of traffic left`;
		return { left, inWords, fields: { flow_left: left } };
	},
	isMissing: (error) => error instanceof NoTrafficLeftError,
});
