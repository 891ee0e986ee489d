import type { NodeApiClient } from '../../shared/api/client';
import { fingerprintOf } from '../../shared/api/sign';
import type { FlatParameters } from '../../shared/service/wireTypes';
import type { PurchaseLedger, PurchaseSubject } from './ledger';
import type { MoneyOptions } from './options';
import { newOrderName, type PurchaseNames } from './records';
import type { Spending } from './spending';
import {
	orderNumberOf,
	type PlanContext,
	type Purchase,
	type PurchaseOperation,
	type PurchasePlan,
} from './types';

/** The settings that the purchases of a run have in common. */
export interface PurchaseContext extends PlanContext {
	readonly operation: PurchaseOperation;
	readonly ledger: PurchaseLedger;
	readonly spending: Spending;
}

/** An item of a run, after all checks that need no request. */
export interface PlannedItem {
	readonly itemIndex: number;
	/** The fingerprint of the input item, by which executions compare it. */
	readonly item: string;
	/** The item's index and goods; for a renewal the order that 'Order' names, which may come at another index again. */
	readonly what: string;
	readonly plan: PurchasePlan;
	/** Holds the key pair of the credential. */
	readonly client: NodeApiClient;
	readonly money: MoneyOptions;
	/** Whether an execution that this one retries has sent the purchase. */
	readonly isSentBefore: boolean;
}

/** The goods are the same, whatever these parameters say. */
const BESIDES = /(?:^|\.)(?:is_notify|is_coupon|is_auto_renew|auto_renew_unit)$/;

/** Equal for the same goods. */
export function goodsOf(parameters: FlatParameters): Array<[name: string, value: string]> {
	return Object.entries(parameters)
		.filter(([name]) => !BESIDES.test(name))
		.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The purchase of an item, as the ledger knows it. */
export function subjectOf(
	{ operation }: PurchaseContext,
	{ client, item, itemIndex, money, plan }: PlannedItem,
	purchase: Purchase,
): PurchaseSubject {
	const { parameters } = purchase;
	const { path } = operation.endpoint;
	const { product = '', pay_type: payType = '' } = parameters;
	const { keyType, secretId: payer } = client.credential;
	// The key pair of an order may change while it is renewed, its number doesn't
	const buying = orderNumberOf(plan.preview) ?? payer;
	const key = fingerprintOf(buying, path, [product, payType]);
	const isRenewal = operation.done === 'renewed';
	return {
		itemIndex,
		key,
		goods: isRenewal ? key : fingerprintOf(buying, path, goodsOf(parameters)),
		item: isRenewal ? key : item,
		onceKey: plan.onceKey === undefined ? undefined : fingerprintOf(plan.onceKey),
		account: keyType === 'account' ? fingerprintOf(payer) : '',
		expectedCost: money.expectedCost,
		isRenewal,
		isDry: money.dryRun,
		isConditional: purchase.skip !== undefined,
	};
}

/** Whether no two may be under way: an order is renewed once at a time, and a condition goes by what shows. */
export function isExclusive({ isConditional, isRenewal }: PurchaseSubject): boolean {
	return isRenewal || isConditional;
}

/**
 * The name of what only one purchase can have brought; undefined where nothing names it.
 *
 * @param before key of the state that it was bought from
 */
export function resultOf(
	{ isRenewal, key }: PurchaseSubject,
	purchase: Purchase,
	before: string | undefined,
	orderid: string | undefined,
): string | undefined {
	if (!isRenewal) return orderid === undefined ? undefined : newOrderName(orderid);
	const isByTime = purchase.term !== undefined && before !== undefined;
	return isByTime ? `${key} from end ${before}` : undefined;
}

/** The name of the user's own key. */
export function keyName({ onceKey }: PurchaseSubject): string | undefined {
	return onceKey === undefined ? undefined : `key ${onceKey}`;
}

/** @param before key of the state that it is bought from */
export function namesOf(
	ledger: PurchaseLedger,
	subject: PurchaseSubject,
	planned: PlannedItem,
	purchase: Purchase,
	before: string | undefined,
): PurchaseNames {
	const goods = `goods ${subject.goods}`;
	const byHand = `by hand ${subject.goods}`;
	const isByHand = ledger.manualExecution !== undefined;
	const asked = { all: goods, byHand, none: undefined }[ledger.goodsAsked ?? 'none'];
	const key = keyName(subject);
	// A condition goes by what shows, and a key is all that counts
	const isHeld = !subject.isConditional && key === undefined;
	return {
		item: ledger.nameOf(planned),
		end: subject.isRenewal ? resultOf(subject, purchase, before, undefined) : undefined,
		goods: !isHeld ? [] : isByHand ? [goods, byHand] : [goods],
		askedGoods: isHeld ? asked : undefined,
		// What this process knows, it has decided already: an item that was refused is bought beside others of its run
		askedSince: ledger.ofSameGoods(subject).find(({ state }) => state !== 'refused')?.at,
		once: key === undefined ? undefined : { key, goods: `${key} for ${subject.goods}` },
		isOnceOwn: ledger.entryOf(subject.itemIndex)?.vainAt !== undefined,
		// Whoever has the key excludes others already; after a vain request, this excludes another retry
		work: isExclusive(subject) ? `at work ${subject.key}` : key && `at work ${key}`,
	};
}

/**
 * The name by which the request is signed: whoever sends it for the same reason at the same moment, in whichever
 * process, signs it alike. A renewal has that of its order, without its end, which the twin may have moved already; a
 * click and a retry, or a condition, that of the goods. Undefined for a tool's new order without a key, which nothing
 * tells apart.
 */
export function signingNameOf(
	ledger: PurchaseLedger,
	{ goods, isConditional, isRenewal, itemIndex, key, onceKey }: PurchaseSubject,
	planned: PlannedItem,
): string | undefined {
	const { isRetry, isTool, manualExecution, node, run } = ledger;
	if (isRenewal) return key;
	if (onceKey !== undefined) return JSON.stringify([node, 'key', onceKey]);
	if (isTool) return undefined;
	const isByGoods = isRetry || manualExecution !== undefined || isConditional;
	// An execution is of one node
	return isByGoods ? JSON.stringify([node, goods, run, itemIndex]) : ledger.nameOf(planned);
}
