import type { IDataObject } from 'n8n-workflow';

import { unlessCancelled } from '../../../../shared/errors/callErrors';
import { isList, isRecord, ownValue } from '../../../../shared/guards';
import type { LocalTime } from '../../../../shared/service/localTime';
import {
	accountOrders,
	type AccountOrder,
	type AccountOrders,
} from '../../../../shared/queries/accountOrders';
import { byExpiry, expiryOf } from '../../../../shared/orders/expiry';
import { readableOrder } from '../../../../shared/orders/readableOrder';
import { PAY_TYPES, PRODUCT_NAMES } from '../../../../shared/service/products';
import type { RunQuery } from '../../../../shared/service/query';
import { toRecord } from '../../../../shared/toRecord';
import { formatNumber } from '../../../../shared/wording';
import type { Bought, BoughtItem, Finding } from '../../../purchase/contract';
import { openPurchases } from '../../../purchase/processMemory';
import { duplicateWarningIn, warnOfDuplicate } from '../../../purchase/words';
import { endTogether, lastsFromTo, latestEnd, type OrderTerm } from '../term';

const ALL = { status: 'ALL' };

/** Of an order that is paid. */
const PAID_STATES: ReadonlySet<unknown> = new Set(['VALID', 'OPENING']);

/**
 * The orders of the account. They are read for the case that an answer gets lost; the purchase can do without.
 *
 * @returns undefined when the service does not say
 * @throws CancelledError
 */
export async function readOrders(ask: RunQuery): Promise<AccountOrders | undefined> {
	return await countableOrders(ask).catch(unlessCancelled);
}

/** The same where they decide whether anything is bought. Throws what `callService` throws. */
export async function countableOrders(ask: RunQuery): Promise<AccountOrders> {
	return await ask(accountOrders, ALL);
}

interface Kind {
	readonly product: string;
	readonly payType: string;
	/** Of a prepaid order; undefined where it is not known. */
	readonly term: OrderTerm | undefined;
}

/** The order to look for. */
export interface Wanted extends Kind {
	/** The output for the order with this number. */
	readonly bought: (orderid: string) => Bought;
	readonly localTime: LocalTime;
}

function numbersOf(orders: readonly AccountOrder[]): string {
	return orders.map(({ orderid }) => orderid).join(', ');
}

/**
 * Whether an answer names an order that was there before, or that another purchase placed: a cache on the way
 * may repeat an old answer.
 */
export function isOldOrder(orderid: string, before: AccountOrders | undefined): boolean {
	const isListed = before?.orders.some((order) => order.orderid === orderid) === true;
	return isListed || openPurchases.isKnown(orderid);
}

/** The orders that appeared between two looks and belong to no known purchase of this n8n. */
function newOrders(before: AccountOrders, after: AccountOrders): readonly AccountOrder[] {
	const orders = after.orders.filter(({ orderid }) => !isOldOrder(orderid, before));
	// By its number, because a list may have an order twice
	return [...new Map(orders.map((order) => [order.orderid, order])).values()];
}

function likeThis(
	orders: readonly AccountOrder[],
	{ product, payType }: Pick<Kind, 'product' | 'payType'>,
): readonly AccountOrder[] {
	return orders.filter(
		(order) => ownValue(order, 'product') === product && ownValue(order, 'pay_type') === payType,
	);
}

/**
 * Some products have no documented code in the list, so an order without a known code could be of any
 * product.
 */
function ofUnknownKind(orders: readonly AccountOrder[]): readonly AccountOrder[] {
	const isKnown = (code: unknown, names: object) =>
		typeof code === 'string' && Object.hasOwn(names, code);
	return orders.filter(
		(order) =>
			!isKnown(ownValue(order, 'product'), PRODUCT_NAMES) ||
			!isKnown(ownValue(order, 'pay_type'), PAY_TYPES),
	);
}

/** What came in addition to an order that was placed between two looks, as a whole sentence. */
export function findOtherNewOrders(
	kind: Kind,
	before: AccountOrders,
	after: AccountOrders,
): string | undefined {
	const others = likeThis(newOrders(before, after), kind);
	return othersInWords(others.filter((order) => !hasOtherTerm(order, kind, after.answeredAt)));
}

/** Whether an order certainly doesn't end when the same request, delivered again just now, would have it end. */
function hasOtherTerm(order: AccountOrder, { term }: Kind, placedAt: number): boolean {
	const expiresAt = expiryOf(order);
	if (expiresAt === undefined || term === undefined) return false;
	const isKnownUnit = latestEnd(placedAt, term) !== undefined;
	return isKnownUnit && !lastsFromTo(placedAt, expiresAt, term);
}

/** The same for a request whose order is known. */
function endsAtOtherTime(order: AccountOrder, own: AccountOrder | undefined): boolean {
	const [expiresAt, ownEnd] = [expiryOf(order), expiryOf(own)];
	return expiresAt !== undefined && ownEnd !== undefined && !endTogether(expiresAt, ownEnd);
}

function othersInWords(others: readonly AccountOrder[]): string | undefined {
	if (others.length === 0) return undefined;
	const what = others.length === 1 ? 'another new order' : 'other new orders';
	return `The order list has ${what} of the same product and pay type: ${numbersOf(others)}.`;
}

/** The active orders of a product and pay type. */
interface ActiveOrders {
	readonly listed: readonly AccountOrder[];
	/** The numbers of those that this process placed and the list does not have yet. */
	readonly unlisted: readonly string[];
	readonly count: number;
	/** Of the list. */
	readonly answeredAt: number;
}

/** @param placed the numbers of orders of the kind that this process placed a short while ago */
export function activeOrders(
	{ orders, answeredAt }: AccountOrders,
	kind: Pick<Kind, 'product' | 'payType'>,
	placed: readonly string[],
): ActiveOrders {
	const listed = likeThis(orders, kind).filter((order) =>
		PAID_STATES.has(ownValue(order, 'status')),
	);
	const numbers = new Set(orders.map(({ orderid }) => orderid));
	const unlisted = placed.filter((orderid) => !numbers.has(orderid));
	return { listed, unlisted, count: listed.length + unlisted.length, answeredAt };
}

/**
 * The output if there are enough active orders of a kind.
 *
 * @param what the kind of order in words
 */
export function enoughOrders(
	{ listed, unlisted, count, answeredAt }: ActiveOrders,
	fewerThan: number,
	what: string,
): IDataObject | undefined {
	if (count === 0 || count < fewerThan) return undefined;
	const longest = [...listed].sort(byExpiry).at(-1) ?? { orderid: unlisted[0] };
	const has = count === 1 ? 'an active order' : `${formatNumber(count)} active orders`;
	const late =
		unlisted.length === 0
			? ''
			: `. This counts what was placed a short while ago and isn't in the order list yet: ${unlisted.join(', ')}`;
	return {
		...toRecord(readableOrder(longest, answeredAt)),
		created: false,
		reason: `The account has ${has} of this kind (${what}), not fewer than ${formatNumber(fewerThan)}, so nothing was bought${late}`,
	};
}

/** Whether an order ends when one would that was placed just now. Only prepaid orders have a term. */
function endsAfterTerm(order: AccountOrder, { payType, term }: Kind, placedAt: number): boolean {
	if (payType !== 'PRE_PAY') return true;
	const expiresAt = expiryOf(order);
	return term !== undefined && expiresAt !== undefined && lastsFromTo(placedAt, expiresAt, term);
}

function mayBeThis(orders: readonly AccountOrder[], but: string): Finding {
	const text = `The order list has what may be this order (${numbersOf(orders)}), ${but}`;
	return { shows: 'unclear', text };
}

function otherTerm(order: AccountOrder, localTime: LocalTime): string {
	const expiresAt = expiryOf(order);
	return expiresAt === undefined
		? 'but without an expiry that could be compared.'
		: `but it ends at ${localTime(expiresAt)}, which is not what was ordered.`;
}

/** Looks for the one order that is new, paid, and of the same product, pay type, and term. */
export function findNewOrder(
	{ bought, localTime, ...kind }: Wanted,
	before: AccountOrders,
	after: AccountOrders,
): Finding {
	const fresh = newOrders(before, after);
	const sameKind = likeThis(fresh, kind);
	const unknown = ofUnknownKind(fresh);
	if (sameKind.length === 0 && unknown.length > 0) {
		return mayBeThis(unknown, 'but without a known product or pay type.');
	}
	if (sameKind.length === 0) {
		const others =
			fresh.length === 0 ? '' : ` There are new orders of another kind: ${numbersOf(fresh)}.`;
		return {
			shows: 'notMade',
			text: `The node checked the order list right afterwards and found no new order like this one; it may still appear.${others}`,
		};
	}
	const candidates = sameKind.filter((order) => endsAfterTerm(order, kind, after.answeredAt));
	if (candidates.length > 1) return mayBeThis(candidates, 'but only one of them can be.');
	const [candidate] = candidates;
	if (candidate === undefined) return mayBeThis(sameKind, otherTerm(sameKind[0], localTime));
	const { orderid } = candidate;
	const status = ownValue(candidate, 'status');
	if (!PAID_STATES.has(status)) {
		const shown = JSON.stringify(status);
		return mayBeThis(
			[candidate],
			`but not as one that is paid and active; its status is ${shown}.`,
		);
	}
	return {
		shows: 'made',
		bought() {
			const { record, label } = bought(orderid);
			return { record: { ...record, verified: true }, label };
		},
		text: `The order list has what may be this order (${orderid}).`,
	};
}

function isOrderList(value: unknown): value is AccountOrders {
	return isRecord(value) && isList(ownValue(value, 'orders'));
}

async function complete(bought: readonly BoughtItem[]): Promise<void> {
	const [{ ask, secretId }] = bought;
	const list = await ask(accountOrders, ALL);
	for (const { record } of bought) {
		const order = list.orders.find(({ orderid }) => orderid === record.orderid);
		const expireTime = ownValue(order, 'expire_time');
		if (typeof expireTime !== 'string' || expireTime === '') continue;
		Object.assign(record, readableOrder({ expire_time: expireTime }, list.answeredAt));
	}
	// An order of another run that is on its way could not be told from a second one of this run
	if (openPurchases.hasOthers({ secretId, lookedAt: openPurchases.now() })) return;
	const warnedOf = new Set<string>();
	// It came with the last purchase before it was listed
	for (const { record, before, signType } of [...bought].reverse()) {
		const { product, pay_type: payType } = record;
		if (!isOrderList(before) || typeof product !== 'string' || typeof payType !== 'string')
			continue;
		const own = list.orders.find(({ orderid }) => orderid === record.orderid);
		const others = likeThis(newOrders(before, list), { product, payType }).filter(
			(order) => !endsAtOtherTime(order, own),
		);
		const extra = othersInWords(others.filter(({ orderid }) => !warnedOf.has(orderid)));
		for (const { orderid } of others) warnedOf.add(orderid);
		if (extra === undefined || duplicateWarningIn(record) !== undefined) continue;
		warnOfDuplicate(record, extra, signType);
	}
}

/** Adds what only the list of orders has: the expiry of the new orders, and orders that came with them. */
export async function completeOrders(bought: readonly BoughtItem[]): Promise<void> {
	const byAccount = new Map<string, BoughtItem[]>();
	for (const item of bought) {
		const others = byAccount.get(item.secretId) ?? [];
		byAccount.set(item.secretId, [...others, item]);
	}
	for (const items of byAccount.values()) {
		// The orders are paid and their numbers known: the expiry can still be read later
		await complete(items).catch(() => {});
	}
}
