import type { IDataObject } from 'n8n-workflow';

import { ApiError, DescribedError, unlessCancelled } from '../../../../shared/errors/callErrors';
import { excerpt } from '../../../../shared/errors/cleanText';
import { ownValue, type UnknownRecord, isCode } from '../../../../shared/guards';
import {
	expiryOf,
	hasEnded,
	payTypeOf,
	productOf,
	whyNotInForce,
} from '../../../../shared/orders/orderState';
import { kindOfOrder } from '../../../../shared/orders/orderItem';
import { accountOrders, type AccountOrders } from '../../../../shared/queries/account';
import { orderTraffic, type OrderExpiry, orderInfo } from '../../../../shared/queries/order';
import { answeredOf, type RunQuery } from '../../../../shared/service/query';
import { GET_ORDER_SECRET } from '../../../../shared/service/endpoints/account';
import type { LocalTime } from '../../../../shared/service/chinaTime';
import type { Pass } from '../../../purchase/contract';
import { reasonForEnded, shownExpiry, stateOfExpiry, type Renewal } from './renewal';

/** The choices of 'Order Type'. */
export const ORDER_TYPES = {
	automatic: 'Automatic',
	traffic: 'Overseas Order by Traffic',
	perIp: 'Pay-per-IP Order',
	prepaid: 'Prepaid Order',
} as const;

export type ChosenType = keyof typeof ORDER_TYPES;

/** What is renewed: time, IPs, or traffic. */
export type OrderType = Exclude<ChosenType, 'automatic'>;

/** The sections of the editor that say how 'Automatic' renews what isn't prepaid. */
export const SECTIONS = {
	perIp: 'Pay-per-IP Orders',
	traffic: 'Overseas Orders by Traffic',
} as const;

export function isChosenType(value: unknown): value is ChosenType {
	return typeof value === 'string' && Object.hasOwn(ORDER_TYPES, value);
}

const IN_WORDS: Readonly<Record<OrderType, string>> = {
	perIp: 'a pay-per-IP order',
	prepaid: 'a prepaid order',
	traffic: 'an overseas order by traffic',
};

/** What is asked of the order of a key pair, and of one that the list of the account lacks. */
const FIELDS = { field_list: 'orderid,pay_type,product,status' };

/** One kind of renewal, for an order of which the account's list says when it ends. */
export type PlanRenewal = (listed: OrderExpiry | undefined) => Renewal;

/** An order, and the renewals that the fields of its item allow. */
export interface RenewalWish {
	/** The same for all items of a run that use the same account. */
	readonly account: object;
	/** Undefined for the order of the key pair. */
	readonly chosenOrder: string | undefined;
	readonly localTime: LocalTime;
	readonly chosen: ChosenType;
	/** The chosen one; with 'Automatic', those whose fields are filled in. */
	readonly allowed: ReadonlyMap<OrderType, { readonly plan: PlanRenewal }>;
}

/** What is known of the order before it is renewed. */
export interface KnownOrder {
	readonly orderid: string | undefined;
	/** Product and pay type, as they are put out. */
	readonly kind: IDataObject;
	/** By the account's list. */
	readonly expiry: OrderExpiry | undefined;
}

/** How an order is renewed, or the output of one that isn't. */
export type ChosenRenewal = { readonly type: OrderType } | { readonly pass: Pass };

const listsOfAccounts = new WeakMap<object, Promise<AccountOrders | undefined>>();

/** An order by the account's list, which is read once per run: one call for all orders. */
async function listedOrder(account: object, ask: RunQuery, orderid: string) {
	// The order itself can be asked as well
	const fetch = async () => await ask(accountOrders, { status: 'ALL' }).catch(unlessCancelled);
	const list = listsOfAccounts.get(account) ?? fetch();
	listsOfAccounts.set(account, list);
	const answer = await list;
	const order = answer?.orders.find((each) => each.orderid === orderid);
	if (answer === undefined || order === undefined) return undefined;
	const expiresAt = expiryOf(order);
	const expireTime = String(ownValue(order, 'expire_time'));
	const expiry =
		expiresAt === undefined ? undefined : { expireTime, expiresAt, ...answeredOf(answer) };
	return { order, expiry };
}

/** Neither list nor details say whether an overseas order is billed by time or by traffic. */
async function isBilledByTraffic(ask: RunQuery): Promise<boolean> {
	return typeof ownValue(await ask(orderTraffic), 'flow_left') === 'number';
}

/** @throws DescribedError for an order of which 'Automatic' can't know what it is */
function refuseUnknownType(order: UnknownRecord | undefined, orderid: string | undefined): never {
	const payType = payTypeOf(order);
	const which = orderid === undefined ? 'this order' : `order ${excerpt(orderid, [])}`;
	throw new DescribedError({
		message:
			payType === undefined
				? `The service doesn't say what kind of order ${which} is`
				: `The node doesn't know the pay type '${excerpt(payType, [])}' of ${which}`,
		description:
			"Nothing was bought for this item. Look the order up in the Kuaidaili member center, and renew it there, or in a node of its own whose 'Order Type' says what it is.",
	});
}

function whyNotAllowed(type: OrderType, chosen: ChosenType): string {
	const but =
		chosen === 'automatic' && type !== 'prepaid'
			? `'${SECTIONS[type]}' is empty`
			: `'Order Type' is '${ORDER_TYPES[chosen]}'`;
	return `This is ${IN_WORDS[type]}, and ${but}, so nothing was bought`;
}

/** What the account's list, or else the order itself, says of an order. */
async function lookUp(
	{ account, chosenOrder, chosen }: RenewalWish,
	ask: RunQuery,
): Promise<KnownOrder & { readonly order: UnknownRecord | undefined }> {
	const listed =
		chosenOrder === undefined ? undefined : await listedOrder(account, ask, chosenOrder);
	const details = async () => (await ask(orderInfo, FIELDS).catch(unlessChosen(chosen)))?.info;
	const order = listed?.order ?? (await details());
	const number = ownValue(order, 'orderid');
	const orderid = chosenOrder ?? (isCode(number) ? String(number) : undefined);
	return { order, orderid, kind: kindOfOrder(order), expiry: listed?.expiry };
}

/** What a failed call leaves unknown is renewed as what somebody chose. */
function unlessChosen(chosen: ChosenType) {
	return (error: unknown): undefined => {
		const isOutOfReach = error instanceof ApiError && error.endpoint === GET_ORDER_SECRET;
		if (chosen === 'automatic' || isOutOfReach) throw error;
		return unlessCancelled(error);
	};
}

/**
 * Chooses by what the order is: never by the input item, which may be old or changed.
 *
 * @param ask with the key pair that each endpoint needs
 * @param found is told what is known of the order, whatever becomes of it
 * @throws CallError, and DescribedError for an order of which 'Automatic' can't know what it is
 */
export async function chooseRenewal(
	wish: RenewalWish,
	ask: RunQuery,
	found: (known: KnownOrder) => void,
): Promise<ChosenRenewal> {
	const { localTime, chosen, allowed } = wish;
	const { order, ...known } = await lookUp(wish, ask);
	found(known);
	const pass = (reason: string) => ({
		pass: { record: { renewed: false, reason, ...(known.expiry && shownExpiry(known.expiry)) } },
	});
	const outOfForce = order && whyNotInForce(order);
	if (outOfForce !== undefined) {
		const endedAt = hasEnded(order) ? expiryOf(order) : undefined;
		return pass(
			endedAt === undefined
				? `The order ${outOfForce}, so nothing was bought`
				: reasonForEnded(localTime(endedAt)),
		);
	}
	const payType = payTypeOf(order);
	if (payType === 'POST_PAY') {
		return pass('Pay-as-you-go orders run until you close them, so nothing was bought');
	}
	const isOverseas = productOf(order) === 'FPS';
	// Whether it is due by time doesn't depend on its traffic where that is not bought
	const byTime = isOverseas && !allowed.has('traffic') ? allowed.get('prepaid') : undefined;
	const notDue = known.expiry && byTime?.plan(known.expiry).passes?.(stateOfExpiry(known.expiry));
	if (notDue !== undefined) return { pass: notDue };
	const hasTraffic = isOverseas && (await isBilledByTraffic(ask).catch(unlessChosen(chosen)));
	const types: Readonly<Record<string, OrderType>> = { PRE_PAY: 'prepaid', PRE_PAY_IP: 'perIp' };
	const ofPayType = Object.hasOwn(types, payType ?? '') ? types[payType ?? ''] : undefined;
	const ofOrder =
		hasTraffic === true ? 'traffic' : hasTraffic === undefined ? undefined : ofPayType;
	const type = ofOrder ?? (chosen === 'automatic' ? undefined : chosen);
	if (type === undefined) return refuseUnknownType(order, known.orderid);
	return allowed.has(type) ? { type } : pass(whyNotAllowed(type, chosen));
}
