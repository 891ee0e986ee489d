import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { toNodeError } from '../../shared/toNodeError';
import type { ItemOutcome, PurchaseNoun, RunOutcome } from '../actions/operation';
import { earlierPurchases, severalPurchasesHint } from './purchaseReport';

/**
 * Buys for one item after the other, until an error ends the run.
 *
 * @param buy makes the purchase of an item
 */
export async function runPurchases(
	context: IExecuteFunctions,
	noun: PurchaseNoun,
	buy: (itemIndex: number) => Promise<IDataObject>,
): Promise<RunOutcome> {
	const items = new Map<number, ItemOutcome>();
	const isCancelled = () => context.getExecutionCancelSignal?.()?.aborted === true;
	for (const itemIndex of context.getInputData().keys()) {
		const outcome = await buy(itemIndex).then(
			(record): ItemOutcome => ({ result: { records: [record] } }),
			(error: unknown): ItemOutcome => ({ error }),
		);
		items.set(itemIndex, outcome);
		if (!('error' in outcome)) continue;
		if (isCancelled()) logCancelled(context, outcome.error, itemIndex);
		if (isCancelled() || !context.continueOnFail()) break;
	}
	const several = severalPurchasesHint(context, noun);
	return {
		items,
		hints: several === undefined ? [] : [several],
		// The output is lost with the error, and with it the numbers of orders that are paid
		note: earlierPurchases(context),
	};
}

/** n8n saves no output and no error of a cancelled node, so the log is the only place that is left. */
function logCancelled(context: IExecuteFunctions, error: unknown, itemIndex: number): void {
	const { message, description } = toNodeError(context.getNode(), error, itemIndex);
	const texts = [`${message}.`, description, earlierPurchases(context)];
	context.logger.warn(texts.filter(Boolean).join(' '));
}
