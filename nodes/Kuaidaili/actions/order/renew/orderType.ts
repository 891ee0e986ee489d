import type { IDataObject } from 'n8n-workflow';

import { ownValue, type UnknownRecord } from '../../../../shared/guards';
import { expiryOf } from '../../../../shared/orders/expiry';
import { orderInfo } from '../../../../shared/queries/orderInfo';
import { toChinaIso, toChinaTime } from '../../../../shared/service/chinaTime';
import { RENEW_ORDER } from '../../../../shared/service/endpoints/purchase';
import type { RunQuery } from '../../../../shared/service/query';
import {
	ApiError,
	DescribedError,
	unlessCancelled,
	type CallError,
} from '../../../../shared/errors/callErrors';

/** The choices of 'Order Type'. */
export const ORDER_TYPES = {
	traffic: 'Overseas Order by Traffic',
	perIp: 'Pay-per-IP Order',
	prepaid: 'Prepaid Order',
} as const;

export type OrderType = keyof typeof ORDER_TYPES;

export function isOrderType(value: unknown): value is OrderType {
	return typeof value === 'string' && Object.hasOwn(ORDER_TYPES, value);
}

/** What `refuseOtherType` reads. */
const FIELDS = { field_list: 'pay_type,product' };

/** A parameter is missing, a value is wrong, the order is of another type: what a wrong type may lead to. */
const RENEWAL_REFUSALS: ReadonlySet<number> = new Set([-1, -2, -7]);

/** Below are the codes of all endpoints, which say what is wrong. */
const LOWEST_OWN_CODE = -100;

function mayBeByType({ endpoint, code }: ApiError): boolean {
	return endpoint === RENEW_ORDER ? RENEWAL_REFUSALS.has(code) : code > LOWEST_OWN_CODE;
}

/** What an order is, and which renewals fit it. */
interface Kind {
	readonly inWords: string;
	readonly types: readonly OrderType[];
}

/** @returns undefined for what the node does not know */
function kindOf(order: unknown): Kind | undefined {
	switch (ownValue(order, 'pay_type')) {
		case 'POST_PAY':
			return { inWords: 'a pay-as-you-go order', types: [] };
		case 'PRE_PAY_IP':
			return { inWords: 'a pay-per-IP order', types: ['perIp'] };
		case 'PRE_PAY':
			// Some are billed by time and some by traffic, which neither list nor details say
			return ownValue(order, 'product') === 'FPS'
				? { inWords: 'an overseas order', types: ['traffic', 'prepaid'] }
				: { inWords: 'a prepaid order', types: ['prepaid'] };
		default:
			return undefined;
	}
}

function whatToDo({ types }: Kind): string {
	if (types.length === 0) return 'It runs until you close it, so it cannot be renewed.';
	return `Set 'Order Type' to ${types.map((type) => `'${ORDER_TYPES[type]}'`).join(' or ')}.`;
}

/** Why an order with this status is not renewed; the others are in force. */
const OUT_OF_FORCE: Readonly<Record<string, string>> = {
	CLOSED: 'The order is closed',
	EXPIRED: 'The order has ended',
	FORBIDDEN: 'The order is banned',
	OPENING: 'The order is still being set up',
	OWING: 'A payment for the order is overdue',
	WAIT_PAY: 'The order is awaiting payment',
};

function whyNot(order: UnknownRecord, chosen: OrderType): string | undefined {
	const status = ownValue(order, 'status');
	if (typeof status === 'string' && Object.hasOwn(OUT_OF_FORCE, status)) {
		return OUT_OF_FORCE[status];
	}
	const kind = kindOf(order);
	if (kind === undefined || kind.types.includes(chosen)) return undefined;
	if (kind.types.length === 0) return 'Pay-as-you-go orders run until you close them';
	return `This is ${kind.inWords}, and 'Order Type' is '${ORDER_TYPES[chosen]}'`;
}

/** @param expiresAt milliseconds since 1970 */
export function reasonForEnded(expiresAt: number): string {
	return `The order ended at ${toChinaTime(expiresAt)} (China time), so nothing was bought. Order a new one with 'Order: Create'`;
}

/**
 * The output for an order that is out of force or of another type than was chosen.
 *
 * @param order as the list of the account has it
 * @returns undefined for one that may be renewed
 */
export function passedOn(
	order: UnknownRecord | undefined,
	chosen: OrderType,
): IDataObject | undefined {
	const why = order && whyNot(order, chosen);
	if (order === undefined || why === undefined) return undefined;
	const expiry = expiryOf(order);
	const hasEnded = ownValue(order, 'status') === 'EXPIRED' && expiry !== undefined;
	return {
		renewed: false,
		reason: hasEnded ? reasonForEnded(expiry) : `${why}, so nothing was bought`,
		...(expiry === undefined
			? {}
			: { expire_time: String(ownValue(order, 'expire_time')), expiresAt: toChinaIso(expiry) }),
	};
}

/**
 * Refuses to renew an order as something that it is not.
 *
 * @param order with `pay_type` and `product`, as the service sends them
 * @param orderid where it is known
 * @throws DescribedError
 */
function refuseOtherType(
	order: unknown,
	chosen: OrderType,
	orderid: string | undefined,
	failure?: ApiError,
): void {
	const kind = kindOf(order);
	if (kind === undefined || kind.types.includes(chosen)) return;
	const sentences = [whatToDo(kind), 'Nothing was bought for this item.', failure?.evidence];
	throw new DescribedError({
		message: `${orderid === undefined ? 'This order' : `Order ${orderid}`} is ${kind.inWords}`,
		description: sentences.filter(Boolean).join(' '),
		...(failure === undefined ? {} : { code: String(failure.code) }),
	});
}

/**
 * The same for the order of a key pair, which is asked.
 *
 * @param ask with the key pair of the order
 * @throws DescribedError, CancelledError
 */
export async function refuseOtherTypeOf(
	ask: RunQuery,
	chosen: OrderType,
	orderid: string | undefined,
	failure?: ApiError,
): Promise<void> {
	const answer = await ask(orderInfo, FIELDS).catch(unlessCancelled);
	refuseOtherType(answer?.info, chosen, orderid, failure);
}

/** A refusal of the service in better words, where the order is of another type than was chosen. */
export async function explainByType<E>(
	error: E,
	ask: RunQuery,
	chosen: OrderType,
	orderid: string | undefined,
): Promise<E | CallError> {
	if (!(error instanceof ApiError) || !mayBeByType(error)) return error;
	return await refuseOtherTypeOf(ask, chosen, orderid, error).then(
		() => error,
		(refusal: unknown) => (refusal instanceof DescribedError ? refusal : error),
	);
}
