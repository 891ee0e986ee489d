import type { Operation } from '../run/operation';
import { PurchaseLedger } from './ledger';
import { PurchaseRun } from './purchaseRun';
import { reportRun } from './report';
import type { PurchaseOperation } from './types';

/** An operation that spends money. */
export function purchaseOperation(operation: PurchaseOperation): Operation {
	return {
		...operation,
		async executeAll(context, items) {
			const ledger = await PurchaseLedger.open(context);
			const run = new PurchaseRun(context, operation, items, ledger);
			const cameToBuy = await run.run();
			return reportRun(run, !cameToBuy);
		},
	};
}
