import type { IExecuteFunctions } from 'n8n-workflow';

import type { FlatParameters } from '../../../../shared/credential/signature';
import { ownValue } from '../../../../shared/guards';
import { CancelledError } from '../../../../shared/transport/callErrors';
import { accountOrders, type AccountOrder } from '../../../../shared/orders/accountOrders';
import type { Caller } from '../../../../shared/transport/callService';
import { runQuery } from '../../../../shared/transport/runQuery';
import { openPurchases, type OpenPurchase } from '../../../purchase/openPurchases';
import type { Verification } from '../../../purchase/purchaseOnce';

const ALL = { status: 'ALL' };

/** Of an order that is paid. */
const PAID_STATES: ReadonlySet<unknown> = new Set(['VALID', 'OPENING']);

/** What orders an account had. */
interface OrdersBefore {
	/** The numbers of all of them; undefined when the service did not tell. */
	readonly numbers: ReadonlySet<string> | undefined;
	/** When they were asked for, by the clock of `openPurchases`. */
	readonly lookedAt: number;
}

const baselines = new WeakMap<IExecuteFunctions, Map<string, Promise<OrdersBefore>>>();

async function fetchNumbers(account: Caller): Promise<OrdersBefore> {
	const lookedAt = openPurchases.now();
	const unlessCancelled = (error: unknown): undefined => {
		if (error instanceof CancelledError) throw error;
		// It is asked for the case of need only; the purchase can do without
		return undefined;
	};
	const list = await runQuery(account, accountOrders, ALL).catch(unlessCancelled);
	return { numbers: list && new Set(list.orders.map(({ orderid }) => orderid)), lookedAt };
}

/** The orders before the first purchase of a run, asked once per run and account. */
export async function ordersBefore(
	context: IExecuteFunctions,
	account: Caller,
): Promise<OrdersBefore> {
	const ofRun = baselines.get(context) ?? new Map<string, Promise<OrdersBefore>>();
	baselines.set(context, ofRun);
	const { secretId } = account.credential;
	const asked = ofRun.get(secretId) ?? fetchNumbers(account);
	ofRun.set(secretId, asked);
	return await asked;
}

function numbersOf(orders: readonly AccountOrder[]): string {
	return orders.map(({ orderid }) => orderid).join(', ');
}

function isLike(order: AccountOrder, parameters: FlatParameters): boolean {
	return ['product', 'pay_type'].every((name) => ownValue(order, name) === parameters[name]);
}

/**
 * Looks for the order of a request whose answer was unclear: the one order that is new, paid, of the
 * same product and pay type, and can come from no other request of this n8n.
 *
 * @returns undefined when that cannot be told
 * @throws what `callService` throws
 */
export async function findNewOrder(
	account: Caller,
	parameters: FlatParameters,
	{ numbers: before }: OrdersBefore,
	purchase: OpenPurchase,
	label: (orderid: string) => string,
): Promise<Verification> {
	if (before === undefined) throw new Error('The orders before are not known');
	const { orders } = await runQuery(account, accountOrders, ALL);
	const fresh = orders.filter(
		({ orderid }) => !before.has(orderid) && !openPurchases.isKnown(orderid),
	);
	const candidates = fresh.filter((order) => isLike(order, parameters));
	const [candidate] = candidates;
	if (candidate === undefined) {
		const others =
			fresh.length === 0 ? '' : ` There are new orders of another kind: ${numbersOf(fresh)}.`;
		return {
			isBought: false,
			finding: `The node looked into the list of orders right afterwards and found no new order like this; it may still come.${others}`,
		};
	}
	if (candidates.length > 1 || openPurchases.hasOthers(purchase)) {
		return {
			isBought: false,
			finding: `The list of orders has what may be this order (${numbersOf(candidates)}), but it may also come from another purchase at the same time.`,
		};
	}
	const { orderid } = candidate;
	const status = ownValue(candidate, 'status');
	if (!PAID_STATES.has(status)) {
		return {
			isBought: false,
			finding: `The list of orders has what may be this order (${orderid}), but not as one that is paid and in force; its status is ${JSON.stringify(status)}.`,
		};
	}
	const { product, pay_type } = parameters;
	return {
		isBought: true,
		bought: { record: { orderid, product, pay_type, verified: true }, label: label(orderid) },
	};
}
