import type { IDataObject } from 'n8n-workflow';

import { KeyedMutex } from '../../shared/concurrency/keyedMutex';
import { loggedWait, untilCancelled } from '../../shared/concurrency/wait';
import { DescribedError } from '../../shared/errors/callErrors';
import { ownValue } from '../../shared/guards';
import { accessOrder } from '../../shared/orders/orderAccess';
import { orderInfo } from '../../shared/queries/orderInfo';
import { isCode } from '../../shared/response/parseRecords';
import type { Endpoint } from '../../shared/service/endpoint';
import type { RunQuery } from '../../shared/service/query';
import type { Caller, NodeCaller } from '../../shared/transport/caller';
import { runQuery } from '../../shared/transport/callService';
import {
	purchaseFingerprint,
	purchaseSubject,
	withPreview,
	type Buyer,
	type Decision,
	type PlannedItem,
	type PlannedPurchase,
	type Purchase,
	type RememberedPurchase,
} from './contract';
import type { RunLedger } from './ledger';
import { accountBalance } from '../../shared/queries/account';
import { withoutReport, type RunCosts } from './costs';
import { refusalBeyondLimit, refuseBelowMinimum } from './options';
import { openPurchases, type ManualPurchase } from './processMemory';
import { PurchaseRecord } from './purchaseRecord';
import { insteadOfBuying, PurchaseRequests } from './requests';
import { reasonForRepeatedClick, withNothingBought } from './words';

const DRY_RUN = "Nothing was bought, because 'Dry Run' is on";

const BOUGHT_BY_OTHERS =
	'Earlier items of this dry run would buy it already, so nothing would be bought for this one';

const WOULD = { created: 'wouldCreate', renewed: 'wouldRenew' } as const;

/** For each order, and for each account that orders by condition, by the id of the key pair. */
const buyerMutex = new KeyedMutex();

export function askWith(caller: Caller): RunQuery {
	return async (query, parameters) => await runQuery(caller, query, parameters);
}

/** Asks about an order with the key pair that each endpoint needs. */
function askAbout(caller: NodeCaller, orderid: string | undefined): RunQuery {
	return async (query, parameters) => {
		const isOfOrder = query.endpoint.key === 'order';
		const asking = isOfOrder ? (await accessOrder(caller, orderid)).caller : caller;
		return await runQuery(asking, query, parameters);
	};
}

async function fetchOrderid(ask: RunQuery): Promise<string | undefined> {
	const { info } = await ask(orderInfo, { field_list: 'orderid' });
	const orderid = ownValue(info, 'orderid');
	return isCode(orderid) ? String(orderid) : undefined;
}

async function lockBuyer(caller: Caller, { path }: Endpoint): Promise<() => void> {
	const turn = buyerMutex.lock(caller.credential.secretId, caller.signal);
	return await loggedWait(turn, caller, path, 'for another purchase with the same key pair');
}

/**
 * The buyer with the key pair that the endpoint needs. One buyer at a time per order: otherwise two
 * executions could see the same expiry and both renew, or both take one renewal for theirs.
 *
 * @throws CancelledError, InvalidFieldError and what `callService` throws
 */
async function openBuyer(purchase: Purchase, credential: NodeCaller): Promise<Buyer> {
	const { endpoint, orderid } = purchase;
	if (endpoint.key !== 'order') {
		// Two executions could count the same orders, and both order one
		const isConditional = purchase.insteadOfBuying !== undefined;
		const close = isConditional ? await lockBuyer(credential, endpoint) : () => {};
		return {
			caller: credential,
			ask: askWith(credential),
			orderid: undefined,
			findOrderid: async () => await Promise.resolve(undefined),
			close,
		};
	}
	const { caller } = await accessOrder(credential, orderid);
	const close = await lockBuyer(caller, endpoint);
	const ask = askWith(caller);
	const findOrderid = async () => orderid ?? (await fetchOrderid(ask).catch(() => undefined));
	return { caller, ask, orderid, findOrderid, close };
}

/**
 * Buys for one item. The state of the account or order is read right before each request, and again after
 * every answer that leaves open whether the purchase was made. A second request is sent only after a
 * refusal that proves the first one was not carried out, and only if nothing has changed.
 *
 * @returns the output
 * @throws DescribedError when it is unclear whether it was bought; what `callService` throws otherwise
 */
export async function buyOnce(
	ledger: RunLedger,
	item: PlannedItem,
	costs: RunCosts,
): Promise<IDataObject> {
	const decision = await decide(item).catch(withNothingBought);
	if ('output' in decision) {
		return item.dryRun ? wouldNot(item.plan, decision.output) : decision.output;
	}
	const planned = { ...item, purchase: decision.purchase };
	if (item.dryRun) return await dryRun(ledger, planned).catch(withNothingBought);
	return await buy(ledger, planned, costs);
}

async function decide({ plan, caller }: PlannedItem): Promise<Decision> {
	return 'decide' in plan ? await plan.decide(askAbout(caller, plan.orderid)) : { purchase: plan };
}

async function buy(
	ledger: RunLedger,
	planned: PlannedPurchase,
	costs: RunCosts,
): Promise<IDataObject> {
	const { purchase, caller } = planned;
	const repeated = ledger.findRepeated(planned);
	const output = repeated && (await repeatedOutput(repeated, planned));
	if (output !== undefined) return output;
	const instead = await purchase.prepare?.(askWith(caller)).catch(withNothingBought);
	if (instead !== undefined) return withPreview(purchase, instead);
	const buyer = await openBuyer(purchase, caller).catch(withNothingBought);
	const fingerprint = purchaseFingerprint(purchase, buyer.caller);
	const subject = purchaseSubject(purchase, buyer);
	const record = new PurchaseRecord(ledger, planned, buyer, fingerprint, subject);
	const leave = await costs.enter(planned).catch((error: unknown) => {
		buyer.close();
		throw error;
	});
	try {
		const beforePurchase = async () => await costs.before(planned);
		for (;;) {
			const requests = new PurchaseRequests(purchase, buyer, record, beforePurchase);
			const bought = await requests.buy();
			// Two clicks at the same moment find each other only when one is about to send
			const output =
				'repeated' in bought ? await repeatedOutput(bought.repeated, planned) : bought.output;
			if (output !== undefined) return output;
		}
	} finally {
		await costs.after(planned, ledger.get(planned.itemIndex));
		leave();
		record.close();
		buyer.close();
	}
}

/** Everything but the purchase. */
async function dryRun(ledger: RunLedger, planned: PlannedPurchase): Promise<IDataObject> {
	const { purchase, caller, minimumBalance, itemIndex, maxOrders } = planned;
	const repeated = ledger.findRepeated(planned);
	const prepared =
		(repeated && (await repeatedOutput(repeated, planned))) ??
		(await purchase.prepare?.(askWith(caller)));
	if (prepared !== undefined) return wouldNot(purchase, withPreview(purchase, prepared));
	const buyer = await openBuyer(purchase, caller);
	const subject = purchaseSubject(purchase, buyer);
	const passed = await satisfiedAlready(ledger, planned, buyer).finally(() => buyer.close());
	if (passed !== undefined) return wouldNot(purchase, withPreview(purchase, passed));
	if (minimumBalance > 0) {
		refuseBelowMinimum(await askWith(caller)(accountBalance), minimumBalance);
	}
	const made = ledger.count(itemIndex) + ledger.drySubjects(itemIndex).length;
	const refusal = refusalBeyondLimit(made, maxOrders, 'would have made');
	if (refusal !== undefined) throw refusal;
	ledger.setDry(itemIndex, subject);
	return { ...purchase.preview, [WOULD[purchase.done]]: true, reason: DRY_RUN };
}

/** The output of an item for which nothing would be bought anyway. */
function wouldNot({ done }: Pick<Purchase, 'done'>, passed: IDataObject): IDataObject {
	const others = Object.entries(passed).filter(([name]) => name !== done);
	return { ...Object.fromEntries(others), [WOULD[done]]: false };
}

/**
 * The output if the state is what the item wants, or will be after what earlier items would buy.
 *
 * @throws DescribedError where an unclear purchase may have brought it already, and what reading the state throws
 */
async function satisfiedAlready(
	ledger: RunLedger,
	{ purchase, itemIndex }: PlannedPurchase,
	buyer: Buyer,
): Promise<IDataObject | undefined> {
	const state = await purchase.readState(buyer.ask);
	const instead = insteadOfBuying(purchase, buyer, state);
	if (instead !== undefined || purchase.insteadOfBuying === undefined) return instead;
	const subject = purchaseSubject(purchase, buyer);
	const unclear = openPurchases.recentlyUnclear(subject);
	if (unclear !== undefined) throw new DescribedError(unclear);
	const others = ledger.drySubjects(itemIndex).filter((other) => other === subject).length;
	const placed = openPurchases.recentlyPlaced(subject);
	const isEnough = others > 0 && (purchase.isEnoughWith?.(state, placed, others) ?? true);
	return isEnough ? { reason: BOUGHT_BY_OTHERS } : undefined;
}

/**
 * The output for a purchase that another manual execution made a short while ago. Waits while that one is on
 * its way.
 *
 * @returns undefined if that one bought nothing after all
 * @throws DescribedError if it is unclear, CancelledError
 */
async function repeatedOutput(
	repeated: ManualPurchase<RememberedPurchase>,
	{ purchase, caller }: PlannedPurchase,
): Promise<IDataObject | undefined> {
	const settled = untilCancelled(repeated.settled, caller.signal);
	await loggedWait(settled, caller, purchase.endpoint.path, 'for the same purchase of another run');
	const { outcome } = repeated;
	if (outcome === undefined) return undefined;
	if (outcome.state !== 'paid') throw new DescribedError(outcome.text);
	const reason = reasonForRepeatedClick(outcome.label, repeated.msAgo);
	return { ...withoutReport(outcome.record), [purchase.done]: false, reason };
}
