import type { IExecuteFunctions } from 'n8n-workflow';

import type { FlatParameters } from '../../../../shared/credential/signature';
import { ownValue } from '../../../../shared/guards';
import { CancelledError } from '../../../../shared/loadedOnce/callErrors';
import { askAccountOrders, type AccountOrder } from '../../../../shared/orders/accountOrders';
import type { Caller } from '../../../../shared/transport/callService';
import { openPurchases, type OpenPurchase } from '../../../purchase/openPurchases';
import type { Verification } from '../../../purchase/purchaseOnce';

const ALL = { status: 'ALL' };

/** The numbers of all orders of the account; undefined when the service did not tell. */
type KnownOrders = ReadonlySet<string> | undefined;

const baselines = new WeakMap<IExecuteFunctions, Map<string, Promise<KnownOrders>>>();

async function askNumbers(account: Caller): Promise<KnownOrders> {
	const unlessCancelled = (error: unknown): undefined => {
		if (error instanceof CancelledError) throw error;
		// It is asked for the case of need only; the purchase can do without
		return undefined;
	};
	const list = await askAccountOrders(account, ALL).catch(unlessCancelled);
	return list && new Set(list.orders.map(({ orderid }) => orderid));
}

/** The orders before the first purchase of a run, asked once per run and account. */
export async function ordersBefore(
	context: IExecuteFunctions,
	account: Caller,
): Promise<KnownOrders> {
	const ofRun = baselines.get(context) ?? new Map<string, Promise<KnownOrders>>();
	baselines.set(context, ofRun);
	const { secretId } = account.credential;
	const asked = ofRun.get(secretId) ?? askNumbers(account);
	ofRun.set(secretId, asked);
	return await asked;
}

function isLike(order: AccountOrder, parameters: FlatParameters): boolean {
	return ['product', 'pay_type'].every((name) => ownValue(order, name) === parameters[name]);
}

/**
 * Looks for the order of a request whose answer was unclear: the one order that is new, is of the same
 * product and pay type, and can come from no other request of this n8n.
 *
 * @returns undefined when that cannot be told
 * @throws what `callService` throws
 */
export async function findNewOrder(
	account: Caller,
	parameters: FlatParameters,
	before: KnownOrders,
	purchase: OpenPurchase,
	label: (orderid: string) => string,
): Promise<Verification> {
	if (before === undefined) throw new Error('The orders before are not known');
	const { orders } = await askAccountOrders(account, ALL);
	const candidates = orders.filter(
		(order) =>
			!before.has(order.orderid) &&
			!openPurchases.isKnown(order.orderid) &&
			isLike(order, parameters),
	);
	if (candidates.length === 0) {
		return {
			isBought: false,
			finding:
				'The node looked into the list of orders right afterwards and found no new order like this; it may still come.',
		};
	}
	if (candidates.length > 1 || openPurchases.hasOthers(purchase)) {
		const numbers = candidates.map(({ orderid }) => orderid).join(', ');
		return {
			isBought: false,
			finding: `The list of orders has what may be this order (${numbers}), but it may also come from another purchase at the same time.`,
		};
	}
	const [{ orderid }] = candidates;
	const { product, pay_type } = parameters;
	return {
		isBought: true,
		bought: { record: { orderid, product, pay_type, verified: true }, label: label(orderid) },
	};
}
