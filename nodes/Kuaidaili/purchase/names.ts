import { fingerprintOf } from '../../shared/api/sign';
import type { FlatParameters } from '../../shared/service/wireTypes';
import type { PurchaseLedger, PurchaseSubject } from './ledger';
import type { PlannedItem, PurchaseContext } from './context';
import { newOrder, type PurchaseNames } from './records';
import { orderNumberOf, type Purchase } from './types';

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
	if (!isRenewal) return orderid === undefined ? undefined : newOrder(orderid);
	const isByTime = purchase.term !== undefined && before !== undefined;
	return isByTime ? `${key} from end ${before}` : undefined;
}

/** @param before key of the state that it is bought from */
export function namesOf(
	ledger: PurchaseLedger,
	subject: PurchaseSubject,
	item: string,
	purchase: Purchase,
	before: string | undefined,
): PurchaseNames {
	const goods = `goods ${subject.goods}`;
	const byHand = `by hand ${subject.goods}`;
	const isByHand = ledger.manualExecution !== undefined;
	const asked = { all: goods, byHand, none: undefined }[ledger.goodsAsked ?? 'none'];
	return {
		item,
		end: subject.isRenewal ? resultOf(subject, purchase, before, undefined) : undefined,
		goods: subject.isConditional ? [] : isByHand ? [goods, byHand] : [goods],
		// A condition goes by what shows
		askedGoods: subject.isConditional ? undefined : asked,
		// What this process knows, it has decided already
		askedSince: ledger.goodsKnownAt(subject),
		work: isExclusive(subject) ? `at work ${subject.key}` : undefined,
	};
}

/**
 * The name by which the request is signed: whoever sends it for the same reason at the same moment, in whichever
 * process, signs it alike. A renewal has that of its order, without its end, which the twin may have moved already; a
 * click and a retry, or a condition, that of the goods. Undefined for a tool's new order, which nothing tells apart.
 */
export function signingNameOf(
	{ isRetry, isTool, manualExecution, node, run }: PurchaseLedger,
	{ goods, isConditional, isRenewal, itemIndex, key }: PurchaseSubject,
	item: string,
): string | undefined {
	if (isRenewal) return key;
	if (isTool) return undefined;
	const isByGoods = isRetry || manualExecution !== undefined || isConditional;
	return isByGoods ? JSON.stringify([node, goods, run, itemIndex]) : item;
}
