import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	type NodeApiError,
} from 'n8n-workflow';

import { ResponseCache } from '../api/responseCache';
import type { Query } from '../api/query';
import type { FlatParameters } from '../service/wireTypes';
import { toNodeError } from '../api/nodeError';
import { nodeApiClient, type NodeApiClient } from '../api/apiClient';
import { runQuery } from '../api/callService';
import { accessOrder } from '../orders/orderAccess';
import { untilCancelled } from '../api/wait';
import { formatNumber } from '../wording';
import { keyPairFingerprint } from '../api/kuaidailiCredential';
import { InvalidFieldError } from '../fields/invalidFieldError';
import { ownValue } from '../guards';
import { accountOrders, type AccountOrder } from '../orders/account';
import { countedBy, ipBalance } from '../orders/orderQueries';
import { kindOfOrder } from '../orders/orderItem';
import { byExpiry, expiryOf, payTypeOf, productOf } from '../orders/orderState';
import type { OrderFilter, UsableOrders } from '../orders/orderField';
import {
	ACTIVE,
	CHINESE_PRODUCT_NAMES,
	isProductCode,
	PAY_TYPES,
	PRODUCT_LABELS,
} from '../service/products';

const LIST_TIMEOUT_MS = 15_000;

/** The editor searches again with each letter typed into the search field. */
const CACHE_LIMITS = { longestAgeMs: 60_000, largestSize: 100 };

const TYPE_IT =
	"The list needs fixed values in the fields above it. If you use an expression there, choose 'By Code' and enter the code.";

export class NoListError extends Error {}

export interface Choice {
	readonly name: string;
	readonly value: string;
	/** Whether it is meant by what is typed, in lower case; without it, the name has to contain that. */
	readonly matches?: (typed: string) => boolean;
}

export interface ListSource<T> {
	readonly fetch: (caller: NodeApiClient, parameters: FlatParameters) => Promise<T>;
	/**
	 * The parameters of the call, from the fields as they are in the editor now; none without. Throws
	 * InvalidFieldError, NoListError.
	 */
	readonly parameters?: (valueOf: (name: string) => unknown) => FlatParameters;
	/** The message for an empty list of the service, without a period. */
	readonly nothing: string;
	/** In the order of the list. Throws NoListError. */
	readonly toChoices: (
		answer: T,
		valueOf: (name: string) => unknown,
		caller: NodeApiClient,
	) => Choice[] | Promise<Choice[]>;
}

export function asking<T>(query: Query<T>): ListSource<T>['fetch'] {
	return async (caller, parameters) => await runQuery(caller, query, parameters);
}

type ListSearchMethod = (
	this: ILoadOptionsFunctions,
	filter?: string,
) => Promise<INodeListSearchResult>;

/** The editor may cut what is below the message, and takes hyphens out of it. */
function forEditor<T extends NodeApiError | NodeOperationError>(error: T, isField: boolean): T {
	const sentences = [error.message, error.description ?? '', isField ? TYPE_IT : ''];
	error.message = sentences
		.filter(Boolean)
		.map((sentence) => (/[.…]$/.test(sentence) ? sentence : `${sentence}.`))
		.join(' ');
	error.description = undefined;
	return error;
}

/** Failures are thrown with their reason: an empty list would look as if nothing were available. */
export function listSearchMethod<T>(source: ListSource<T>): ListSearchMethod {
	// One per method: responses of different endpoints must not mix
	const cache = new ResponseCache<T>(CACHE_LIMITS);
	return async function (filter) {
		try {
			const valueOf = (name: string): unknown => this.getCurrentNodeParameter(name);
			const parameters = source.parameters?.(valueOf) ?? {};
			const caller = await nodeApiClient(this, LIST_TIMEOUT_MS);
			const { credential } = caller;
			const answer = await cache.obtain(
				JSON.stringify([keyPairFingerprint(credential), credential.hosts, parameters]),
				async () => await source.fetch(caller, parameters),
			);
			const choices = await source.toChoices(answer, valueOf, caller);
			if (choices.length === 0) throw new NoListError(source.nothing);
			const typed = (filter ?? '').trim().toLowerCase();
			const results = choices
				.filter(({ name, matches }) => matches?.(typed) ?? name.toLowerCase().includes(typed))
				.map(({ name, value }) => ({ name, value }));
			return { results };
		} catch (error) {
			throw forEditor(toNodeError(this.getNode(), error), error instanceof InvalidFieldError);
		}
	};
}

/** How many private proxy orders are asked for their IPs: each takes a call for its key pair, one a second. */
const MOST_ASKED = 5;

/** How long the list waits for them; a later answer stands there when it is opened again. */
const LONGEST_WAIT_MS = 6000;

const ipBalances = new ResponseCache<number | undefined>(CACHE_LIMITS);

/**
 * The IPs that private proxy orders have left, such as "990 left today", by their numbers: two of them may differ in
 * nothing else that the service's list says.
 */
async function ipsLeftOf(
	caller: NodeApiClient,
	orders: readonly AccountOrder[],
): Promise<ReadonlyMap<string, string>> {
	const known = new Map<string, string>();
	if (orders.length < 2 || orders.length > MOST_ASKED) return known;
	const { credential } = caller;
	const asked = orders.map(async (order) => {
		const { orderid } = order;
		const counted = countedBy(payTypeOf(order));
		if (counted === undefined) return;
		const left = await ipBalances.obtain(
			JSON.stringify([keyPairFingerprint(credential), credential.hosts, orderid]),
			async () => {
				const ask = async () => await runQuery(await accessOrder(caller, orderid), ipBalance);
				// Orders with even extraction have none, and a key pair that can't be had is not asked for with each letter
				return await ask().catch(() => undefined);
			},
		);
		if (left === undefined) return;
		known.set(orderid, `${formatNumber(left)} left${counted === 'today' ? ' today' : ''}`);
	});
	const inTime = AbortSignal.timeout(LONGEST_WAIT_MS);
	await untilCancelled(Promise.allSettled(asked), inTime).catch(() => undefined);
	return known;
}

function isUsable(order: AccountOrder, { products, payTypes }: OrderFilter): boolean {
	// An order isn't hidden because the service leaves something out
	const isAllowed = (code: string | undefined, allowed: readonly string[] | undefined) =>
		allowed === undefined || code === undefined || allowed.includes(code);
	return isAllowed(productOf(order), products) && isAllowed(payTypeOf(order), payTypes);
}

/**
 * Such as "965102959536478, Private Proxy, Pay per IP, 990 left, to 2026-06-18". The editor cuts off the end of a long
 * one: the number comes first, because two orders may differ in nothing else, and no product where all have the same.
 */
function choiceOf(order: AccountOrder, { products }: OrderFilter, ipsLeft = ''): Choice {
	const { product, productName, payTypeName } = kindOfOrder(order);
	const expiry = ownValue(order, 'expire_time');
	const ends = expiryOf(order) !== undefined;
	// Of private proxies, it says how IPs are counted
	const isPlain = ends && payTypeOf(order) === 'PRE_PAY' && productOf(order) !== 'DPS';
	const name = [
		order.orderid,
		products?.length === 1 ? '' : productName,
		isPlain ? '' : payTypeName,
		ipsLeft,
		ends ? `to ${String(expiry).slice(0, 10)}` : '',
	]
		.filter(Boolean)
		.join(', ');
	const code = productOf(order);
	const chineseName = isProductCode(code) ? CHINESE_PRODUCT_NAMES[code] : '';
	const searched = [name, productName, product, chineseName, payTypeName, expiry]
		.join('\n')
		.toLowerCase();
	return {
		name,
		value: order.orderid,
		matches: (typed) => typed.split(/\s+/).every((word) => searched.includes(word)),
	};
}

function kindInWords({ products, payTypes }: OrderFilter): string {
	const names = products?.map((code) => PRODUCT_LABELS[code]).join(' or ');
	const ways = payTypes?.map((payType) => PAY_TYPES[payType]).join(' or ');
	return [names, ways].filter((text) => text !== undefined).join(', ');
}

/**
 * Fills 'Order': the active orders that can be used, soonest to expire first.
 *
 * @param select by the trigger's event, for orders that only calls with their own key pairs tell apart
 */
export function orderListSearch(
	usableOrders: (valueOf: (name: string) => unknown) => UsableOrders | undefined,
	select?: (
		caller: NodeApiClient,
		orders: readonly AccountOrder[],
		event: unknown,
	) => Promise<readonly AccountOrder[]> | undefined,
): ListSearchMethod {
	return listSearchMethod({
		// All of them: choosing another operation then asks for nothing
		parameters: (valueOf) => ({
			status: ACTIVE,
			...(select && { event: String(valueOf('event')) }),
		}),
		async fetch(caller, { event, ...parameters }) {
			if (caller.credential.keyType === 'order') {
				throw new NoListError(
					"The credential holds an order's key pair, so there is nothing to choose. Leave this field empty to use that order",
				);
			}
			const { orders } = await runQuery(caller, accountOrders, parameters);
			const selected = await select?.(caller, orders, event);
			return { orders: selected ?? orders, isEmpty: orders.length === 0 };
		},
		nothing: 'The account has no active orders',
		async toChoices({ orders, isEmpty }, valueOf, caller) {
			const usable = usableOrders(valueOf) ?? {};
			const filter = typeof usable === 'function' ? usable(valueOf) : usable;
			const offered = orders.filter((order) => isUsable(order, filter));
			if (!isEmpty && offered.length === 0) {
				throw new NoListError(
					`None of the account's active orders is of this kind: ${kindInWords(filter)}. New orders show up here within a minute`,
				);
			}
			const isPrivate = filter.products?.join() === 'DPS';
			const ipsLeft = isPrivate ? await ipsLeftOf(caller, offered) : undefined;
			return offered
				.sort(byExpiry)
				.map((order) => choiceOf(order, filter, ipsLeft?.get(order.orderid)));
		},
	});
}
