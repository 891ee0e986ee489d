import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import type { Caller } from '../../shared/transport/callService';
import type { NodeCaller } from '../../shared/transport/nodeCaller';
import { askWith, openBuyer, type Buyer } from './buyer';
import type { Purchase } from './purchase';
import { PurchaseAttempts, withNothingBought } from './purchaseAttempts';
import { PurchaseRecord } from './purchaseRecord';
import { refuseBelowMinimum } from './purchaseLimits';
import type { PurchaseRun } from './purchaseRun';

/** What is to be bought for one item. */
export interface PlannedPurchase {
	readonly itemIndex: number;
	readonly purchase: Purchase;
	/** Holds the key pair of the credential. */
	readonly caller: NodeCaller;
	/** How many purchases the execution may make at most. */
	readonly maxOrders: number;
	/** In yuan; 0 for none. */
	readonly minimumBalance: number;
}

/**
 * Buys for one item. What is there is looked at right before each sending, and again after every answer
 * that does not tell whether it was carried out. It is sent a second time only after a refusal by which
 * this delivery cannot have been carried out, and only when nothing has changed.
 *
 * @returns the output
 * @throws DescribedError when it is unclear whether it was bought; what `callService` throws otherwise
 */
export async function buyOnce(run: PurchaseRun, planned: PlannedPurchase): Promise<IDataObject> {
	const { purchase, caller } = planned;
	const instead = await purchase.prepare?.(askWith(caller)).catch(withNothingBought);
	if (instead !== undefined) return instead;
	const buyer = await openBuyer(purchase, caller).catch(withNothingBought);
	const fingerprint = fingerprintOf(purchase, buyer.caller);
	const record = new PurchaseRecord(run, planned, buyer, fingerprint);
	try {
		return (
			(await insteadByBalance(planned, buyer).catch(withNothingBought)) ??
			(await new PurchaseAttempts(purchase, buyer, record).buy())
		);
	} finally {
		buyer.close();
	}
}

/** Asks for the balance only when something will be bought. */
async function insteadByBalance(
	{ purchase, caller, minimumBalance }: PlannedPurchase,
	{ ask, orderid }: Buyer,
): Promise<IDataObject | undefined> {
	if (minimumBalance === 0) return undefined;
	if (purchase.insteadOfBuying !== undefined) {
		const instead = purchase.insteadOfBuying(await purchase.look(ask));
		if (instead !== undefined) return orderid === undefined ? instead : { orderid, ...instead };
	}
	await refuseBelowMinimum(askWith(caller), minimumBalance);
	return undefined;
}

/** The same for the same purchase by the same buyer, in whichever run. */
export function fingerprintOf({ endpoint, parameters }: Purchase, { credential }: Caller): string {
	const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
	const text = JSON.stringify([credential.secretId, endpoint.path, sorted]);
	return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
