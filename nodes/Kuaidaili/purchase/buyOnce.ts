import type { IDataObject } from 'n8n-workflow';

import { askWith, openBuyer, type Buyer } from './buyer';
import { purchaseFingerprint, type PlannedPurchase } from './contract';
import { PurchaseRecord, type RunLedger } from './ledger';
import { refuseBelowMinimum } from './options';
import { PurchaseAttempts } from './purchaseAttempts';
import { withNothingBought } from './words';

/**
 * Buys for one item. The state of the account or order is read right before each request, and again after
 * every answer that leaves open whether the purchase was made. A second request is sent only after a
 * refusal that proves the first one was not carried out, and only if nothing has changed.
 *
 * @returns the output
 * @throws DescribedError when it is unclear whether it was bought; what `callService` throws otherwise
 */
export async function buyOnce(ledger: RunLedger, planned: PlannedPurchase): Promise<IDataObject> {
	const { purchase, caller } = planned;
	const instead = await purchase.prepare?.(askWith(caller)).catch(withNothingBought);
	if (instead !== undefined) return instead;
	const buyer = await openBuyer(purchase, caller).catch(withNothingBought);
	const fingerprint = purchaseFingerprint(purchase, buyer.caller);
	const record = new PurchaseRecord(ledger, planned, buyer, fingerprint);
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
