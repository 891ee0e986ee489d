import type { IExecuteFunctions } from 'n8n-workflow';

import { CancelledError } from '../../shared/errors/callErrors';
import { isCancelled, memoryOfRuns } from '../nodeRun';
import type { ItemOutcome, OperationResult, RunOutcome } from '../operation';

/** Whether nothing may come after the error, whatever the other items are. */
export function endsRun(context: IExecuteFunctions, error: unknown): boolean {
	// After a cancellation that is so, whatever 'On Error' is set to
	return isCancelled(context) || error instanceof CancelledError || !context.continueOnFail();
}

/** One item after the other, until an error ends the run. */
export async function runItems(
	context: IExecuteFunctions,
	work: (itemIndex: number) => Promise<OperationResult>,
): Promise<RunOutcome> {
	const items = new Map<number, ItemOutcome>();
	for (const itemIndex of context.getInputData().keys()) {
		const outcome = await work(itemIndex).then(
			(result): ItemOutcome => ({ result }),
			(error: unknown): ItemOutcome => ({ error }),
		);
		items.set(itemIndex, outcome);
		if ('error' in outcome && endsRun(context, outcome.error)) break;
	}
	return { items };
}

const doneItems = memoryOfRuns(() => new Map<number, OperationResult>());

/**
 * The same for work that changes something. 'Retry On Fail' repeats the whole run, and what went well in it
 * must not be done again.
 */
export async function runItemsOnce(
	context: IExecuteFunctions,
	work: (itemIndex: number) => Promise<OperationResult>,
): Promise<RunOutcome> {
	const done = doneItems(context);
	return await runItems(context, async (itemIndex) => {
		const result = done.get(itemIndex) ?? (await work(itemIndex));
		done.set(itemIndex, result);
		return result;
	});
}
