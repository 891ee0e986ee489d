import type { IDataObject } from 'n8n-workflow';

import { ownValue, type UnknownRecord } from '../../../../shared/guards';
import type { LocalTime } from '../../../../shared/service/localTime';
import { expiryOf } from '../../../../shared/orders/expiry';
import { kindOfOrder } from '../../../../shared/orders/readableOrder';
import { orderInfo } from '../../../../shared/queries/orderInfo';
import { orderTraffic } from '../../../../shared/queries/order';
import { GET_ORDER_SECRET } from '../../../../shared/service/endpoints/account';
import type { RunQuery } from '../../../../shared/service/query';
import { excerpt } from '../../../../shared/errors/cleanText';
import { ApiError, DescribedError, unlessCancelled } from '../../../../shared/errors/callErrors';
import { listedOrder, shownExpiry, type ListedOrder } from './renewal';

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

/** Why an order with this status is not renewed; the others are in force. */
const OUT_OF_FORCE: Readonly<Record<string, string>> = {
	CLOSED: 'The order is closed',
	EXPIRED: 'The order has ended',
	FORBIDDEN: 'The order is banned',
	OPENING: 'The order is still being set up',
	OWING: 'A payment for the order is overdue',
	WAIT_PAY: 'The order is awaiting payment',
};

/** What `chooseRenewal` reads of the order of a key pair, and of one that the list of the account lacks. */
const FIELDS = { field_list: 'pay_type,product,status' };

/** An order, and the renewals that the fields of its item allow. */
export interface RenewalWish<Planned> {
	/** The same for all items of a run. */
	readonly run: object;
	readonly orderid: string | undefined;
	readonly localTime: LocalTime;
	readonly chosen: ChosenType;
	/** The chosen one; with 'Automatic', those whose fields are filled in. */
	readonly allowed: ReadonlyMap<OrderType, Planned>;
}

/** How an order is renewed, or the output of one that isn't. */
export type ChosenRenewal<Planned> =
	| {
			readonly planned: Planned;
			readonly listed: ListedOrder | undefined;
			/** Product and pay type, as they are put out. */
			readonly kind: IDataObject;
	  }
	| { readonly output: IDataObject };

/** @param endedAt in words */
export function reasonForEnded(endedAt: string): string {
	return `The order ended at ${endedAt}, so nothing was bought. Order a new one with 'Order: Create'`;
}

/** @returns undefined for an order in force */
function whyOutOfForce(order: UnknownRecord, localTime: LocalTime): string | undefined {
	const status = ownValue(order, 'status');
	if (typeof status !== 'string' || !Object.hasOwn(OUT_OF_FORCE, status)) return undefined;
	const expiry = expiryOf(order);
	return status === 'EXPIRED' && expiry !== undefined
		? reasonForEnded(localTime(expiry))
		: `${OUT_OF_FORCE[status]}, so nothing was bought`;
}

/** Neither list nor details say whether an overseas order is billed by time or by traffic. */
async function isBilledByTraffic(ask: RunQuery): Promise<boolean> {
	return typeof ownValue(await ask(orderTraffic), 'flow_left') === 'number';
}

/** @returns undefined for what the node does not know */
async function typeOf(
	order: UnknownRecord,
	ask: RunQuery,
): Promise<OrderType | 'payAsYouGo' | undefined> {
	const payType = ownValue(order, 'pay_type');
	if (payType === 'POST_PAY') return 'payAsYouGo';
	if (ownValue(order, 'product') === 'FPS' && (await isBilledByTraffic(ask))) return 'traffic';
	if (payType === 'PRE_PAY_IP') return 'perIp';
	return payType === 'PRE_PAY' ? 'prepaid' : undefined;
}

/** @throws DescribedError for an order of which the service says nothing that could be told */
function reasonForUnknown(order: UnknownRecord | undefined, orderid: string | undefined): string {
	const payType = ownValue(order, 'pay_type');
	if (typeof payType === 'string' && payType !== '') {
		return `The node doesn't know the pay type '${excerpt(payType, [])}' of this order, so nothing was bought. To renew it, choose in 'Order Type' what it is`;
	}
	const which = orderid === undefined ? 'this order' : `order ${excerpt(orderid, [])}`;
	throw new DescribedError({
		message: `The service doesn't say what kind of order ${which} is`,
		description:
			"Nothing was bought for this item. Look the order up in the Kuaidaili member center, and choose in 'Order Type' what it is.",
	});
}

function whyNotAllowed(type: OrderType, chosen: ChosenType): string {
	const but =
		chosen === 'automatic' && type !== 'prepaid'
			? `'${SECTIONS[type]}' is empty`
			: `'Order Type' is '${ORDER_TYPES[chosen]}'`;
	return `This is ${IN_WORDS[type]}, and ${but}, so nothing was bought`;
}

/**
 * Chooses by what the order is: never by the input item, which may be old or changed. The list of the
 * account, which is read once per run, tells it for all of them.
 *
 * @param ask with the key pair that each endpoint needs
 * @throws CallError, and DescribedError for an order of which 'Automatic' can't know it
 */
export async function chooseRenewal<Planned>(
	{ run, orderid, localTime, chosen, allowed }: RenewalWish<Planned>,
	ask: RunQuery,
): Promise<ChosenRenewal<Planned>> {
	// What a failed call leaves unknown is renewed as what somebody chose
	const unlessChosen = (error: unknown): undefined => {
		const isOutOfReach = error instanceof ApiError && error.endpoint === GET_ORDER_SECRET;
		if (chosen === 'automatic' || isOutOfReach) throw error;
		return unlessCancelled(error);
	};
	const listed = orderid === undefined ? undefined : await listedOrder(run, ask, orderid);
	const details = async () => (await ask(orderInfo, FIELDS).catch(unlessChosen))?.info;
	const order = listed?.order ?? (await details());
	const kind = kindOfOrder(order);
	const passOn = (reason: string) => ({
		output: {
			...(orderid === undefined ? {} : { orderid }),
			...kind,
			renewed: false,
			reason,
			...(listed?.expiry && shownExpiry(listed.expiry)),
		},
	});
	const outOfForce = order && whyOutOfForce(order, localTime);
	if (outOfForce !== undefined) return passOn(outOfForce);
	const known = order && (await typeOf(order, ask).catch(unlessChosen));
	if (known === 'payAsYouGo') {
		return passOn('Pay-as-you-go orders run until you close them, so nothing was bought');
	}
	const type = known ?? (chosen === 'automatic' ? undefined : chosen);
	if (type === undefined) return passOn(reasonForUnknown(order, orderid));
	const planned = allowed.get(type);
	return planned === undefined ? passOn(whyNotAllowed(type, chosen)) : { planned, listed, kind };
}
