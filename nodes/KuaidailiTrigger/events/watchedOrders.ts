import type { IDataObject } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import { isCode, isDataObject, isRecord, ownValue, type UnknownRecord } from '../../shared/guards';
import { ApiError } from '../../shared/errors/callErrors';
import { accountOrders, type AccountOrder, type AccountOrders } from '../../shared/queries/account';
import { byExpiry, expiryOf, hasUnknownStatus } from '../../shared/orders/orderState';
import { UNKNOWN_KEY_PAIR } from '../../shared/service/codes';
import { fetchOrderInfo } from '../../shared/queries/order';
import { trustedTime } from '../../shared/orders/timeLeft';
import { answeredOf, type RunQuery } from '../../shared/service/query';
import type { Caller, NodeCaller } from '../../shared/transport/caller';
import { runQuery } from '../../shared/transport/callService';
import type { EpochMs } from '../../shared/service/chinaTime';

/** None of them is secret, because they are saved with the workflow. */
const FIELDS = ['orderid', 'pay_type', 'product', 'status', 'expire_time'];

function lastSeen(state: UnknownRecord | undefined, secretId: string): AccountOrder | undefined {
	if (state === undefined || ownValue(state, 'lastSeenWith') !== fingerprintOf(secretId)) {
		return undefined;
	}
	const order = ownValue(state, 'lastSeen');
	const orderid = ownValue(order, 'orderid');
	return isRecord(order) && typeof orderid === 'string' ? { ...order, orderid } : undefined;
}

async function fetchOwnOrder(
	caller: NodeCaller,
	state: UnknownRecord | undefined,
): Promise<AccountOrders> {
	const known = lastSeen(state, caller.credential.secretId);
	// The service rejects the key pair of an expired order, which is how its expiry is noticed
	const asEnded = (error: unknown): AccountOrders => {
		const isRefusal = error instanceof ApiError && error.code === UNKNOWN_KEY_PAIR;
		if (!isRefusal || known === undefined) throw error;
		const refused = { answeredAt: Date.now(), clockDifferenceMs: error.clockDifferenceMs };
		// The order may be unavailable for another reason
		if ((expiryOf(known) ?? Infinity) > trustedTime(refused)) throw error;
		return { orders: [{ ...known, status: 'EXPIRED' }], ...refused };
	};
	const run: RunQuery = async (query, parameters) => await runQuery(caller, query, parameters);
	return await fetchOrderInfo(run, { field_list: FIELDS.join(',') }).then((answer) => {
		const { info } = answer;
		const entries = Object.entries(info).filter(([name]) => FIELDS.includes(name));
		const orderid = ownValue(info, 'orderid');
		return {
			orders: [{ ...Object.fromEntries(entries), orderid: isCode(orderid) ? String(orderid) : '' }],
			...answeredOf(answer),
		};
	}, asEnded);
}

/**
 * The orders that the credential sees: those of the account, or the one of its key pair. Where the status of one
 * is unknown, the service's own list of active orders says whether it is in force; others are left out.
 *
 * @param state where the last snapshot of an order is kept, for the day on which its key pair is refused
 */
export async function fetchWatchedOrders(
	caller: NodeCaller,
	wanted: 'all' | 'active',
	state: UnknownRecord | undefined,
): Promise<AccountOrders> {
	if (caller.credential.keyType === 'order') return await fetchOwnOrder(caller, state);
	const active = async () => await runQuery(caller, accountOrders);
	if (wanted === 'active') return await active();
	const all = await runQuery(caller, accountOrders, { status: 'ALL' });
	if (!all.orders.some(hasUnknownStatus)) return all;
	const inForce = new Set((await active()).orders.map(({ orderid }) => orderid));
	const orders = all.orders.filter(
		(order) => !hasUnknownStatus(order) || inForce.has(order.orderid),
	);
	return { ...all, orders };
}

/** When the last poll was, also with another key pair; undefined before the first one. */
export function lastPollOf(state: UnknownRecord | undefined): number | undefined {
	const polledAt = ownValue(state, 'polledAt');
	return typeof polledAt === 'number' ? polledAt : undefined;
}

/** What ended longer ago is no news: n8n was down, or the workflow was not active. */
const LONGEST_NEWS_MS = 7 * 86_400_000;

export function isNews(at: EpochMs, now: EpochMs): boolean {
	return now - at <= LONGEST_NEWS_MS;
}

export function sortedByExpiry(orders: readonly AccountOrder[]): AccountOrder[] {
	return orders.filter((order) => expiryOf(order) !== undefined).sort(byExpiry);
}

/** With an order's key pair, remembers the order for the time when the key pair is rejected. */
export function withLastSeen(
	state: IDataObject,
	{ orders }: AccountOrders,
	{ credential }: Caller,
): IDataObject {
	const order: unknown = orders[0];
	return credential.keyType === 'order' && isDataObject(order)
		? { ...state, lastSeen: order, lastSeenWith: fingerprintOf(credential.secretId) }
		: state;
}
