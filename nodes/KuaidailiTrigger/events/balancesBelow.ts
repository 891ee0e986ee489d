import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { ApiError, CallError, CancelledError, DescribedError } from '../../shared/api/errors';
import { readRequiredField } from '../../shared/fields/reader';
import { toProperty, type Field } from '../../shared/fields/field';
import { number } from '../../shared/fields/kinds';
import { fingerprintOf } from '../../shared/api/sign';
import { isList, ownValue } from '../../shared/guards';
import { type NodeApiClient, type ApiClient } from '../../shared/api/client';
import { orderField, readChosenOrder, accessOrder } from '../../shared/orders/orderField';
import { byExpiry, nameOfOrder, isInForce, payTypeOf, productOf } from '../../shared/orders/order';
import {
	accountBalance,
	accountOrders,
	type AccountOrder,
	countedBy,
	ipBalance,
	NoTrafficLeftError,
	trafficLeft,
	fetchOrderDetails,
} from '../../shared/orders/queries';
import { UNKNOWN_KEY_PAIR } from '../../shared/service/codes';
import { GET_IP_BALANCE } from '../../shared/service/endpoints/order';
import { passesByItself, runQuery } from '../../shared/api/call';
import { formatNumber } from '../../shared/wording';
import type { PollMemory, TriggerEvent } from './event';

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
	/** The number of the first order for which there was no time; undefined where all were read. */
	readonly next?: string;
}

interface BalanceEvent extends Pick<TriggerEvent, 'option' | 'orders'> {
	readonly limit: Field;
	readonly unit: string;
	/**
	 * @param orderid from 'Order', where the event has it
	 * @param first the number of the order to begin with; undefined for the one that ends first
	 */
	readonly fetch: (
		client: NodeApiClient,
		orderid: string | undefined,
		first: string | undefined,
	) => Promise<Balances>;
	/** The message of a test that has nothing to show. */
	readonly nothing?: string;
}

const watchedOrderProperty: INodeProperties = {
	...toProperty(orderField),
	description:
		'The order to watch. Leave empty to watch all such orders of the account, or the order whose key pair the credential holds.',
};

function polledAtOf(state: unknown): number {
	return Number(ownValue(state, 'polledAt') ?? 0);
}

/** The keys of the balances that were below in a state. */
function belowIn(state: unknown): string[] {
	const below = ownValue(state, 'below');
	return isList(below) ? below.filter((key) => typeof key === 'string') : [];
}

/**
 * The keys of the balances that were emitted and have stayed below since. Only those that n8n has saved, because it may throw
 * a poll away, and none that this process has seen above since, because n8n saves no poll that emits nothing. After a
 * restart, nobody knows what was above meanwhile.
 */
function knownBelow({ saved, own }: PollMemory): string[] {
	if (own === undefined) return [];
	const isCurrent = polledAtOf(own) >= polledAtOf(saved);
	const seen = new Set(belowIn(own));
	return belowIn(saved).filter((key) => !isCurrent || seen.has(key));
}

/** The number of the order that the last poll had no time for. */
function nextIn({ saved, own }: PollMemory): string | undefined {
	const next = ownValue(polledAtOf(own) >= polledAtOf(saved) ? own : saved, 'next');
	return typeof next === 'string' ? next : undefined;
}

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
		async fetchSnapshot(client, valueOf, memory) {
			const orderid = hasOrder ? readChosenOrder(valueOf) : undefined;
			const below = Number(readRequiredField(limit, valueOf(limit.name)));
			const { all, next, warnings, failure } = await fetch(client, orderid, nextIn(memory));
			const scope = fingerprintOf(client.credential.secretId, below);
			const watched = all.map(({ left, inWords, fields }) => {
				// A test shows those above the limit as well
				const which = left < below ? 'below' : 'not below';
				const text = `${inWords}, ${which} the limit of ${formatNumber(below)} ${unit}`;
				const key = scope + fingerprintOf(fields.orderid);
				return { key, isBelow: left < below, record: { text, ...fields, below } };
			});
			return {
				poll(latest) {
					const wasBelow = new Set(knownBelow(latest).filter((key) => key.startsWith(scope)));
					const isNew = ({ key, isBelow }: (typeof watched)[number]) =>
						isBelow && !wasBelow.has(key);
					const records = watched.filter(isNew).map(({ record }) => record);
					// What could not be looked at this time may still be below
					for (const { key } of watched) wasBelow.delete(key);
					const now = watched.filter(({ isBelow }) => isBelow).map(({ key }) => key);
					const state = { polledAt: Date.now(), below: [...wasBelow, ...now], next };
					return { records, state, warnings, failure };
				},
				sample() {
					if (watched.length > 0) return watched.map(({ record }) => record);
					if (failure !== undefined) throw failure;
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
	async fetch(client) {
		const fields = await runQuery(client, accountBalance);
		const inWords = `The Kuaidaili account balance is ${fields.balance} yuan`;
		return { all: [{ left: fields.balanceNumber, inWords, fields }] };
	},
});

/** The orders, soonest to end first, but from one on; those before it come behind. */
function sortedFrom(orders: readonly AccountOrder[], first: string | undefined): AccountOrder[] {
	const sorted = [...orders].sort(byExpiry);
	const index = Math.max(
		0,
		sorted.findIndex(({ orderid }) => orderid === first),
	);
	return [...sorted.slice(index), ...sorted.slice(0, index)];
}

/**
 * The balances of orders, as far as there is time. An order that has no balance, or that cannot be read, leaves the others
 * to be read.
 *
 * @param isMissing whether the failure says that the order has none
 * @param timeIsOver aborts when no more are to be read
 * @throws CallError where no order had an answer, and a later poll may get some
 */
async function balancesOf(
	orders: readonly AccountOrder[],
	read: (order: AccountOrder) => Promise<Balance>,
	isMissing: (error: unknown) => boolean,
	timeIsOver: AbortSignal | undefined,
): Promise<Balances> {
	const all: Balance[] = [];
	const warnings: string[] = [];
	let failure: CallError | undefined;
	let outage: CallError | undefined;
	let next: string | undefined;
	const noteFailure = (error: CallError, orderid: string) => {
		// It ended a moment ago, or its key pair does not work: nobody has to look at it
		const isOver = error instanceof ApiError && error.code === UNKNOWN_KEY_PAIR;
		error.addNote(`This was order ${orderid}.`);
		if (passesByItself(error)) outage ??= error;
		else if (!isOver) failure ??= error;
		const { message, description } = error.describe();
		warnings.push(`${message}. ${description}`);
	};
	for (const [index, order] of orders.entries()) {
		const balance = await read(order).catch((error: unknown): undefined => {
			if (!(error instanceof CallError)) throw error;
			if (!(error instanceof CancelledError) && !isMissing(error))
				noteFailure(error, order.orderid);
		});
		if (timeIsOver?.aborted === true) {
			// One that takes all the time of a poll leaves the next poll to the others
			next = orders[index === 0 && orders.length > 1 ? 1 : index].orderid;
			break;
		}
		if (balance !== undefined) all.push(balance);
	}
	if (all.length === 0 && outage !== undefined) throw outage;
	return { all, warnings, failure, next };
}

/**
 * The balances that some orders of a product have, and others don't: of the chosen order, or of the order of the
 * credential, or else of every order of the account that has one.
 */
function orderBalanceBelow({
	product,
	balance,
	read,
	isMissing,
	...event
}: Pick<BalanceEvent, 'option' | 'limit' | 'unit'> & {
	readonly product: 'DPS' | 'FPS';
	/** Such as "an IP balance". */
	readonly balance: string;
	/**
	 * `inWords` without the name of the order, such as "48 IPs left today".
	 *
	 * @param listed the order as the list has it; undefined where that was not asked for
	 */
	readonly read: (client: ApiClient, listed: AccountOrder | undefined) => Promise<Balance>;
	/** Whether the failure says that the order has none. */
	readonly isMissing: (error: unknown) => boolean;
}): TriggerEvent {
	const balanceOf = async (
		client: NodeApiClient,
		orderid: string | undefined,
		listed?: AccountOrder,
	): Promise<Balance> => {
		const { left, inWords, fields } = await read(await accessOrder(client, orderid), listed);
		const order = orderid === undefined ? {} : { orderid };
		const name = nameOfOrder({ product, ...order });
		return { left, inWords: `${name} has ${inWords}`, fields: { ...order, ...fields } };
	};

	const nothing = `No active order of the account has ${balance}`;
	return balanceEventOf({
		...event,
		nothing,
		orders: { products: [product] },
		async fetch(client, orderid, first) {
			if (orderid !== undefined || client.credential.keyType === 'order') {
				return { all: [await balanceOf(client, orderid)] };
			}
			const { orders } = await runQuery(client, accountOrders);
			const wanted = orders.filter((order) => isInForce(order) && productOf(order) === product);
			return await balancesOf(
				sortedFrom(wanted, first),
				async (order) => await balanceOf(client, order.orderid, order),
				isMissing,
				client.signal,
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
	async read(client, listed) {
		const fetchPayType = async () =>
			(await fetchOrderDetails(async (...query) => await runQuery(client, ...query))).payType;
		const balanceOf = countedBy(listed === undefined ? await fetchPayType() : payTypeOf(listed));
		const balance = await runQuery(client, ipBalance);
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
	async read(client) {
		const left = await runQuery(client, trafficLeft);
		const inWords = `${formatNumber(left)} MB of traffic left`;
		return { left, inWords, fields: { flow_left: left } };
	},
	isMissing: (error) => error instanceof NoTrafficLeftError,
});
