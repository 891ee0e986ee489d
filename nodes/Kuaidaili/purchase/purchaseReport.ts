import type { IExecuteFunctions } from 'n8n-workflow';

import type { PurchaseNoun } from '../actions/operation';
import { purchaseMemoryOf } from './purchaseMemory';

/** A hint for a run that bought more than one: each input item is a purchase, which may surprise. */
export function severalPurchasesHint(
	context: IExecuteFunctions,
	{ done }: PurchaseNoun,
): string | undefined {
	const count = purchaseMemoryOf(context).paid().length;
	const items = context.getInputData().length;
	return count > 1 ? `${count} ${done} for ${items} input items.` : undefined;
}

/** When an item stops the run, its earlier purchases appear in no output; this sentence names them. */
export function earlierPurchases(context: IExecuteFunctions): string | undefined {
	const paid = purchaseMemoryOf(context).paid();
	if (paid.length === 0) return undefined;
	const list = paid.map(({ itemIndex, label }) => `${label} (item ${itemIndex})`).join(', ');
	return `Already bought and paid for in this run: ${list}. Leave these items out when you run it again, or they are bought again.`;
}
