import type { NodeApiClient } from '../../shared/api/client';
import type { PurchaseLedger } from './ledger';
import type { MoneyOptions } from './options';
import type { Spending } from './spending';
import type { PlanContext, PurchaseOperation, PurchasePlan } from './types';

/** The settings that the purchases of a run have in common. */
export interface PurchaseContext extends PlanContext {
	readonly operation: PurchaseOperation;
	readonly ledger: PurchaseLedger;
	readonly spending: Spending;
}

/** An item of a run, after all checks that need no request. */
export interface PlannedItem {
	readonly itemIndex: number;
	/** The input item, as executions compare it. */
	readonly item: string;
	/** See `PurchaseNames.item`. */
	readonly name: string;
	readonly plan: PurchasePlan;
	/** Holds the key pair of the credential. */
	readonly client: NodeApiClient;
	readonly money: MoneyOptions;
	/** Whether an execution that this one retries has sent the purchase. */
	readonly isSentBefore: boolean;
}
