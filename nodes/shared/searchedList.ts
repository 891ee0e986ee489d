import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	type NodeApiError,
} from 'n8n-workflow';

import { ResponseCache } from './api/cache';
import { type Query, runQuery } from './api/call';
import type { FlatParameters } from './service/wireTypes';
import { toNodeError } from './api/errors';
import { nodeApiClient, type NodeApiClient } from './api/client';
import { keyPairFingerprint } from './api/sign';
import { InvalidFieldError } from './fields/field';
import { ownValue } from './guards';
import { accountOrders, type AccountOrder } from './orders/queries';
import { kindOfOrder, byExpiry, expiryOf, payTypeOf, productOf } from './orders/order';
import type { OrderFilter, UsableOrders } from './orders/orderField';
import {
	ACTIVE,
	CHINESE_PRODUCT_NAMES,
	isProductCode,
	PAY_TYPES,
	PRODUCT_LABELS,
} from './service/products';

const LIST_TIMEOUT_MS = 15_000;

/** The editor searches again with each letter typed into the search field. */
const CACHE_LIMITS = { longestAgeMs: 60_000, largestSize: 100 };

const TYPE_IT =
	"The list needs fixed values in the fields above it. If you use an expression there, choose 'By Code' and enter the code.";

export class NoListError extends Error {}

export interface Choice {
	readonly name: string;
	readonly value: string;
	/** Other words that find it, besides those of the name. */
	readonly keywords?: ReadonlyArray<string | undefined>;
}

interface ListSource<T> {
	readonly fetch: (client: NodeApiClient, parameters: FlatParameters) => Promise<T>;
	/**
	 * The parameters of the call, from the fields as they are in the editor now; none without. Throws
	 * InvalidFieldError, NoListError.
	 */
	readonly parameters?: (valueOf: (name: string) => unknown) => FlatParameters;
	/** The message for an empty list of the service, without a period. */
	readonly nothing: string;
	/** In the order of the list. Throws NoListError. */
	readonly toChoices: (answer: T, valueOf: (name: string) => unknown) => Choice[];
}

export function asking<T>(query: Query<T>): ListSource<T>['fetch'] {
	return async (client, parameters) => await runQuery(client, query, parameters);
}

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

/** Whether a choice has what was typed, or each of its words. */
function isFound({ name, keywords = [] }: Choice, filter: string): boolean {
	const searched = ` ${[name, ...keywords].join(' ')}`.toLowerCase().replace(/['’]/gu, '');
	const typed = filter.toLowerCase().replace(/['’]/gu, '');
	// From the beginning of a word: Changzhou has "hangzhou" in it, too
	const has = (text: string) =>
		/^[a-z]/.test(text)
			? [' ', '('].some((before) => searched.includes(before + text))
			: searched.includes(text);
	return has(typed.replace(/\s/gu, '')) || typed.split(/\s+/u).every(has);
}

/** Failures are thrown with their reason: an empty list would look as if nothing were available. */
export function listSearchMethod<T>(source: ListSource<T>) {
	// One per method: responses of different endpoints must not mix
	const cache = new ResponseCache<T>(CACHE_LIMITS);
	return async function (
		this: ILoadOptionsFunctions,
		filter?: string,
	): Promise<INodeListSearchResult> {
		try {
			const valueOf = (name: string): unknown => this.getCurrentNodeParameter(name);
			const parameters = source.parameters?.(valueOf) ?? {};
			const client = await nodeApiClient(this, LIST_TIMEOUT_MS);
			const { credential } = client;
			const answer = await cache.obtain(
				JSON.stringify([keyPairFingerprint(credential), credential.hosts, parameters]),
				async () => await source.fetch(client, parameters),
			);
			const choices = source.toChoices(answer, valueOf);
			if (choices.length === 0) throw new NoListError(source.nothing);
			const results = choices
				.filter((one) => isFound(one, (filter ?? '').trim()))
				.map(({ name, value }) => ({ name, value }));
			return { results };
		} catch (error) {
			throw forEditor(toNodeError(this.getNode(), error), error instanceof InvalidFieldError);
		}
	};
}

function isUsable(order: AccountOrder, { products, payTypes }: OrderFilter): boolean {
	// An order isn't hidden because the service leaves something out
	const isAllowed = (code: string | undefined, allowed: readonly string[] | undefined) =>
		allowed === undefined || code === undefined || allowed.includes(code);
	return isAllowed(productOf(order), products) && isAllowed(payTypeOf(order), payTypes);
}

/**
 * Such as "965102959536478, Private Proxy, Pay per IP, to 2026-06-18". The editor cuts off the end of a long
 * one: the number comes first, because two orders may differ in nothing else, and no product where all have the same.
 */
function choiceOf(order: AccountOrder, { products }: OrderFilter): Choice {
	const { product, productName, payTypeName } = kindOfOrder(order);
	const expiry = ownValue(order, 'expire_time');
	const ends = expiryOf(order) !== undefined;
	// Of private proxies, it says how IPs are counted
	const isPlain = ends && payTypeOf(order) === 'PRE_PAY' && productOf(order) !== 'DPS';
	const name = [
		order.orderid,
		products?.length === 1 ? '' : productName,
		isPlain ? '' : payTypeName,
		ends ? `to ${String(expiry).slice(0, 10)}` : '',
	]
		.filter(Boolean)
		.join(', ');
	const code = productOf(order);
	const chineseName = isProductCode(code) ? CHINESE_PRODUCT_NAMES[code] : '';
	const keywords = [productName, product, chineseName, payTypeName, String(expiry)];
	return { name, value: order.orderid, keywords };
}

function kindInWords({ products, payTypes }: OrderFilter): string {
	const names = products?.map((code) => PRODUCT_LABELS[code]).join(' or ');
	const ways = payTypes?.map((payType) => PAY_TYPES[payType]).join(' or ');
	return [names, ways].filter((text) => text !== undefined).join(', ');
}

/** Fills 'Order': the active orders that can be used, soonest to expire first. */
export function orderListSearch(
	usableOrders: (valueOf: (name: string) => unknown) => UsableOrders | undefined,
) {
	return listSearchMethod({
		// All of them: choosing another operation then asks for nothing
		parameters: () => ({ status: ACTIVE }),
		async fetch(client, parameters) {
			if (client.credential.keyType === 'order') {
				throw new NoListError(
					"The credential holds an order's key pair, so there is nothing to choose. Leave this field empty to use that order",
				);
			}
			return (await runQuery(client, accountOrders, parameters)).orders;
		},
		nothing: 'The account has no active orders',
		toChoices(orders, valueOf) {
			const usable = usableOrders(valueOf) ?? {};
			const filter = typeof usable === 'function' ? usable(valueOf) : usable;
			const offered = orders.filter((order) => isUsable(order, filter));
			if (orders.length > 0 && offered.length === 0) {
				throw new NoListError(
					`None of the account's active orders is of this kind: ${kindInWords(filter)}. New orders show up here within a minute`,
				);
			}
			return offered.sort(byExpiry).map((order) => choiceOf(order, filter));
		},
	});
}
