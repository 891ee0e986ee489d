import type { PurchaseNoun } from '../operation';
import { duplicateWarningIn } from './duplicateWarning';
import type { PurchaseMemory } from './purchaseMemory';

/** A hint for a run that bought more than one: each input item is a purchase, which may surprise. */
export function severalPurchasesHint(
	memory: PurchaseMemory,
	{ done }: PurchaseNoun,
	itemCount: number,
): string | undefined {
	const paid = memory.ofThisRun().filter(({ purchase }) => purchase.state === 'paid');
	return paid.length > 1 ? `${paid.length} ${done} for ${itemCount} input items.` : undefined;
}

function listed(memory: PurchaseMemory, isPaid: boolean, but?: number): string {
	return memory
		.ofThisRun()
		.filter(({ purchase }) => (purchase.state === 'paid') === isPaid)
		.filter(({ itemIndex }) => itemIndex !== but)
		.map(({ itemIndex, purchase }) => `${purchase.label} (item ${itemIndex})`)
		.join('; ');
}

function warnings(memory: PurchaseMemory): string[] {
	return memory.ofThisRun().flatMap(({ itemIndex, purchase }) => {
		const warning = purchase.state === 'paid' ? duplicateWarningIn(purchase.record) : undefined;
		return warning === undefined ? [] : [`Item ${itemIndex}: ${warning}`];
	});
}

/**
 * What this run has bought and may have bought, in whole sentences; empty where that is nothing.
 *
 * @param but an item that is left out
 */
export function purchasesOfRun(memory: PurchaseMemory, but?: number): string {
	const paid = listed(memory, true, but);
	const unclear = listed(memory, false, but);
	const sentences = [
		paid && `Bought and paid for in this run: ${paid}.`,
		unclear && `May have been bought in this run: ${unclear}.`,
		...warnings(memory),
	];
	return sentences.filter(Boolean).join(' ');
}

/**
 * The same for an error that ends the run: its output is lost, and with it the numbers of the orders.
 *
 * @param failed the item whose error it is; the error itself says what is unclear about that one
 */
export function noteForError(memory: PurchaseMemory, failed?: number): string {
	const bought = purchasesOfRun(memory, failed);
	if (bought === '') return '';
	return `${bought} Leave these items out when you run it again, or they are bought again.`;
}
