import type { LoggedRequest, Payment } from '../../../sandbox/sandbox.mts';
import { at } from '../../../harness/outsideData.mts';
import type { FinishedRun } from '../../../harness/realN8n/index.mts';
import { KUAIDAILI } from '../../../harness/realN8n/workflows.mts';
import type { Buyer } from './buyer.mts';

/** What is left of a run that bought something: in n8n, and in the books of the service. */
export interface PurchaseEvidence {
	/** How n8n says that the run ended. */
	readonly status: string;
	/** What came out of the node; nothing when an item stopped the run. */
	readonly items: readonly unknown[];
	/** The index of the item that stopped the run. */
	readonly stoppedAt: unknown;
	/** Message and description of the error that stopped the run. */
	readonly errorText: string;
	/** Texts of the hints at the output. */
	readonly hints: readonly unknown[];
	/** Requests of the operation, whatever came of them. */
	readonly requests: ReadonlyArray<Pick<LoggedRequest, 'fault'>>;
	readonly payments: ReadonlyArray<Pick<Payment, 'orderId' | 'amountInFen'>>;
}

export function gatherEvidence(run: FinishedRun, buyer: Buyer): PurchaseEvidence {
	const result = at(run.saved, 'data', 'resultData');
	const task = at(result, 'runData', KUAIDAILI, 0);
	const error = at(result, 'error') ?? at(task, 'error');
	const text = (part: string) => at(error, part) ?? '';
	return {
		status: run.status,
		items: listAt(task, 'data', 'main', 0),
		stoppedAt: at(error, 'context', 'itemIndex'),
		errorText: `${text('message')}. ${text('description')}`,
		hints: listAt(task, 'hints').map((hint) => at(hint, 'message')),
		requests: buyer.requests(),
		payments: buyer.payments(),
	};
}

function listAt(value: unknown, ...path: ReadonlyArray<string | number>): readonly unknown[] {
	const found = at(value, ...path);
	return Array.isArray(found) ? found : [];
}
