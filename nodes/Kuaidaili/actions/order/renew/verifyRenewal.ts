import { GET_ORDER_INFO } from '../../../../shared/service/endpoints/order';
import { CancelledError } from '../../../../shared/transport/callErrors';
import { ownValue } from '../../../../shared/guards';
import { withExpiry } from '../../../../shared/orders/expiry';
import { orderExpiry, type OrderExpiry } from '../../../../shared/orders/orderExpiry';
import { callService, type Caller } from '../../../../shared/transport/callService';
import { isCode } from '../../../../shared/transport/parseRecords';
import { runQuery } from '../../../../shared/transport/runQuery';
import { wait } from '../../../../shared/transport/wait';
import { openPurchases, type OpenPurchase } from '../../../purchase/openPurchases';
import type { Verification } from '../../../purchase/purchaseOnce';
import { movedByTerm, type RenewalTerm } from './renewedExpiry';

/** A renewal whose answer was lost may still be under way. */
const LOOK_AGAIN_MS = 2000;

/**
 * The expiry before a renewal.
 *
 * @param isNeeded whether the renewal depends on it; else it is only asked for the case that the answer
 * gets lost
 * @throws what `callService` throws, where it is needed
 */
export async function expiryBefore(
	order: Caller,
	isNeeded: boolean,
): Promise<OrderExpiry | undefined> {
	const unlessNeeded = (error: unknown): undefined => {
		if (isNeeded || error instanceof CancelledError) throw error;
		return undefined;
	};
	return await runQuery(order, orderExpiry).catch(unlessNeeded);
}

/** What is known of a renewal whose answer was unclear; moments are milliseconds since 1970. */
export interface SentRenewal {
	/** The expiry before. */
	readonly before: number;
	/** By the clock of the service. */
	readonly sentAt: number;
	readonly term: RenewalTerm;
	readonly orderid: string | undefined;
	readonly purchase: OpenPurchase;
}

async function fetchOrderNumber(order: Caller): Promise<string | undefined> {
	const call = { endpoint: GET_ORDER_INFO, parameters: { field_list: 'orderid' } } as const;
	const data = await callService(order, call).then(
		(answer) => answer.data,
		() => undefined,
	);
	const orderid = ownValue(data, 'orderid');
	return isCode(orderid) ? String(orderid) : undefined;
}

/**
 * Looks whether the expiry moved by the term of a renewal whose answer was unclear.
 *
 * @throws what `callService` throws
 */
export async function findRenewal(
	order: Caller,
	{ before, sentAt, term, orderid, purchase }: SentRenewal,
): Promise<Verification> {
	let now = await runQuery(order, orderExpiry);
	if (now.expiresAt === before) {
		await wait(LOOK_AGAIN_MS, order.signal);
		now = await runQuery(order, orderExpiry);
	}
	const { expireTime, expiresAt, answeredAt } = now;
	if (expiresAt === before || expiresAt === undefined) {
		return {
			isBought: false,
			finding: `The node looked again right afterwards: the order still ends at ${expireTime} (China time), so it was probably not renewed.`,
		};
	}
	if (!movedByTerm(before, expiresAt, sentAt, term)) {
		return {
			isBought: false,
			finding: `The node looked again right afterwards: the order now ends at ${expireTime} (China time), which is not what this renewal would add. Look what else renewed it.`,
		};
	}
	if (openPurchases.hasOthers(purchase)) {
		return {
			isBought: false,
			finding: `The node looked again right afterwards: the order now ends at ${expireTime} (China time), as after this renewal, but that may also come from an earlier one whose answer was unclear.`,
		};
	}
	const number = orderid ?? (await fetchOrderNumber(order));
	const record = withExpiry({ expire_time: expireTime, renewed: true, verified: true }, answeredAt);
	return {
		isBought: true,
		bought: {
			record: number === undefined ? record : { orderid: number, ...record },
			label: `renewal of order ${number ?? '(the order of the credential)'}`,
		},
	};
}
