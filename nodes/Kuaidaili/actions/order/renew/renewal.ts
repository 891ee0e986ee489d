import type { IDataObject } from 'n8n-workflow';

import { ownValue, type UnknownRecord } from '../../../../shared/guards';
import { accountOrders, type AccountOrders } from '../../../../shared/queries/accountOrders';
import { expiryOf, withExpiry } from '../../../../shared/orders/expiry';
import type { OrderExpiry } from '../../../../shared/queries/orderExpiry';
import { answeredOf, type Answered, type RunQuery } from '../../../../shared/service/query';
import { unlessCancelled } from '../../../../shared/errors/callErrors';
import type { Purchase, PurchaseItem } from '../../../purchase/contract';

/** The parts of a purchase that differ between the kinds of renewals. */
export interface Renewal<State>
	extends Pick<
		Purchase<State>,
		'words' | 'prepare' | 'readState' | 'insteadOfBuying' | 'isStale' | 'compare' | 'findDuplicate'
	> {
	/** Whether an answer says no more than was known before: a cache on the way may repeat an old one. */
	isOldAnswer(answer: UnknownRecord, before: State): boolean;
}

/**
 * The renewal of an order, after the fields of its item have been read and checked.
 *
 * @param listed what the list of the account says of it
 */
export type PlanRenewal<State = unknown> = (listed: ListedOrder | undefined) => Renewal<State>;

/** What the output says about the expiry of an order that was not renewed. */
export function shownExpiry({ expireTime, answeredAt }: OrderExpiry): IDataObject {
	return withExpiry({ expire_time: expireTime }, answeredAt);
}

const REASON =
	"This is a test event of Kuaidaili Trigger, so nothing was bought. A real event renews the order now. To renew in a test, set 'Renew' to 'Always'.";

/**
 * The output for an order that a test of the trigger brought: testing a workflow must not cost anything.
 *
 * @param shown of the order
 * @returns undefined for any other item
 */
export function skippedForTestEvent(
	{ isTest }: PurchaseItem,
	shown: IDataObject,
): IDataObject | undefined {
	return isTest ? { renewed: false, reason: REASON, ...shown } : undefined;
}

const listsOfRuns = new WeakMap<object, Promise<AccountOrders | undefined>>();

/** An order by the list of the account. */
export interface ListedOrder {
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
export async function listedOrder(
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
