import type { IDataObject } from 'n8n-workflow';

import type { FieldReader } from '../../../../shared/fields/readFields';
import { ownValue, type UnknownRecord } from '../../../../shared/guards';
import { accountOrders, type AccountOrders } from '../../../../shared/orders/accountOrders';
import { expiryOf, withExpiry } from '../../../../shared/orders/expiry';
import { orderExpiry, type OrderExpiry } from '../../../../shared/orders/orderExpiry';
import {
	expiringWithin,
	readTimeWindow,
	type TimeWindow,
} from '../../../../shared/orders/timeWindow';
import { trustedTime } from '../../../../shared/orders/trustedTime';
import { answeredOf, type Answered, type RunQuery } from '../../../../shared/service/query';
import { ApiError, DescribedError, unlessCancelled } from '../../../../shared/errors/callErrors';
import type { PurchaseItem, PurchaseWords } from '../../../purchase/contract';
import { refuseOtherType, refuseOtherTypeOf } from './orderType';
import { skippedForTestEvent, type Renewal } from './renewal';
import { termOf } from '../term';
import { compareExpiry, findSecondRenewal, refuseShortTerm } from './renewedExpiry';

/** The service no longer knows the key pair: the order has ended, or never was. */
const ORDER_INVALID = -102;

/** What the output says about an order that was not renewed. */
function shownExpiry({ expireTime, answeredAt }: OrderExpiry): IDataObject {
	return withExpiry({ expire_time: expireTime }, answeredAt);
}

/**
 * Whether an order ends within the window; one without an end does not.
 *
 * @throws DescribedError when the clocks of the service and of this machine differ
 */
function isExpiring(expiry: OrderExpiry, window: TimeWindow): boolean {
	const { expiresAt } = expiry;
	return expiresAt !== undefined && expiresAt - trustedTime(expiry) <= window.ms;
}

/**
 * The output for an order that has more time left; undefined for one that is to be renewed.
 *
 * @throws DescribedError for an order that does not end, and when the clocks differ
 */
export function notYetExpiring(expiry: OrderExpiry, window: TimeWindow): IDataObject | undefined {
	if (expiry.expiresAt === undefined) {
		throw new DescribedError({
			message: "The order has no expiry time, so the node can't tell whether it is expiring",
			description:
				"Pay-as-you-go orders run until they are closed. To renew another kind of order, choose it in 'Order Type'. Nothing was bought for this item.",
		});
	}
	if (isExpiring(expiry, window)) return undefined;
	return {
		renewed: false,
		reason: `The order has more than ${window.inWords} left, so nothing was bought`,
		...shownExpiry(expiry),
	};
}

/**
 * Says of an order that the service no longer knows that it has ended, where the list of the account says so.
 *
 * @param listed what that says of the order
 */
function orderHasEnded(orderid: string | undefined, listed: OrderExpiry | undefined) {
	return (error: unknown): never => {
		const { expireTime, expiresAt = Infinity, answeredAt = 0 } = listed ?? {};
		const isInvalid = error instanceof ApiError && error.code === ORDER_INVALID;
		if (!isInvalid || expiresAt > answeredAt) throw error;
		throw new DescribedError({
			message: `Order ${orderid} ended at ${expireTime} (China time), and can't be renewed anymore`,
			description: `Nothing was bought for this item. Order a new one with 'Order: Create'. ${error.evidence}`,
			code: String(error.code),
		});
	};
}

const listsOfRuns = new WeakMap<object, Promise<AccountOrders | undefined>>();

/** An order by the list of the account. */
interface ListedOrder {
	readonly order: UnknownRecord;
	/** Undefined where the list does not say when it ends. */
	readonly expiry: OrderExpiry | undefined;
}

function expiryIn(order: UnknownRecord, answered: Answered): OrderExpiry | undefined {
	const expiresAt = expiryOf(order);
	if (expiresAt === undefined) return undefined;
	const expireTime = String(ownValue(order, 'expire_time'));
	return { expireTime, expiresAt, ...answeredOf(answered) };
}

/**
 * What the list of the account says of an order. It is read once per run: one call for all orders, so that
 * nothing else has to be asked for one that is not expiring.
 *
 * @param run the same for all items of a run; its credential may differ from item to item
 * @param ask with the key pair of the account
 * @returns undefined where the list does not have the order
 * @throws CancelledError
 */
async function listedOrder(
	run: object,
	ask: RunQuery,
	orderid: string,
): Promise<ListedOrder | undefined> {
	// The order itself can be asked as well
	const fetch = async () => await ask(accountOrders, { status: 'ALL' }).catch(unlessCancelled);
	const list = listsOfRuns.get(run) ?? fetch();
	listsOfRuns.set(run, list);
	const answer = await list;
	// An order has its number in one account only, so the list of another one does not know it
	const order = answer?.orders.find((each) => each.orderid === orderid);
	return answer && order && { order, expiry: expiryIn(order, answer) };
}

/**
 * The same by an input item that is an entry of that list, as 'Order: Get Many' puts it out. Only if it is
 * expiring: then the order is asked in any case, so an old item costs nothing but that question. An old item
 * must never be the reason not to renew.
 *
 * @param now milliseconds since 1970
 */
function expiringInItem(
	json: UnknownRecord,
	orderid: string,
	window: TimeWindow,
	now: number,
): ListedOrder | undefined {
	const isEntry =
		ownValue(json, 'orderid') === orderid && typeof ownValue(json, 'pay_type') === 'string';
	const expiry = isEntry ? expiryIn(json, { answeredAt: now }) : undefined;
	return expiry && isExpiring(expiry, window) ? { order: json, expiry } : undefined;
}

const WORDS: PurchaseWords = {
	unclear: 'The order may have been renewed',
	what: 'prepaid renewal',
	howToFindOut:
		"To find out, look at the expiry time of the order, with 'Order: Get' or in the Kuaidaili member center.",
	otherwise:
		"If it has not moved a few minutes later, nothing was paid for this item, and a new run of the workflow can renew it. With 'Renew' set to 'Only If Expiring Within', that run checks by itself, and passes the order on if it was renewed.",
};

function isOldExpiry(answer: UnknownRecord, { expiresAt }: OrderExpiry): boolean {
	const renewed = expiryOf(answer);
	return renewed !== undefined && expiresAt !== undefined && renewed <= expiresAt;
}

/**
 * A renewal by time: the expiry of the order moves.
 *
 * @throws InvalidFieldError
 */
export function planPrepaid(
	reader: FieldReader,
	{ check, run, json }: PurchaseItem,
	orderid: string | undefined,
): Renewal<OrderExpiry> {
	const term = termOf(reader.parameters.time_type, reader.parameters.time_number);
	const isConditional = reader.text('renewWhen') !== 'always';
	const common = {
		words: WORDS,
		compare: (before: OrderExpiry, after: OrderExpiry) => compareExpiry(before, after, term),
		findDuplicate: (before: OrderExpiry, after: OrderExpiry) =>
			findSecondRenewal(before, after, term),
		isOldAnswer: isOldExpiry,
	};
	if (!isConditional) {
		// Asked for the case that the answer gets lost only
		return { ...common, readState: async (ask) => await ask(orderExpiry).catch(unlessCancelled) };
	}
	const window = readTimeWindow(expiringWithin, (name) => reader.text(name));
	if (check && term !== undefined) refuseShortTerm(window, term);
	const insteadOfBuying = (expiry: OrderExpiry) =>
		notYetExpiring(expiry, window) ?? skippedForTestEvent(json, shownExpiry(expiry));
	let listed: ListedOrder | undefined;
	return {
		...common,
		async prepare(ask) {
			if (orderid === undefined) return undefined;
			listed =
				expiringInItem(json, orderid, window, Date.now()) ?? (await listedOrder(run, ask, orderid));
			refuseOtherType(listed?.order, 'prepaid', orderid);
			const instead = listed?.expiry && insteadOfBuying(listed.expiry);
			return instead && { orderid, ...instead };
		},
		async readState(ask) {
			const expiry = await ask(orderExpiry).catch(orderHasEnded(orderid, listed?.expiry));
			// An order of another type would be skipped as 'not yet expiring', which is not the reason
			if (listed === undefined && !isExpiring(expiry, window)) {
				await refuseOtherTypeOf(ask, 'prepaid', orderid);
			}
			return expiry;
		},
		insteadOfBuying,
	};
}
