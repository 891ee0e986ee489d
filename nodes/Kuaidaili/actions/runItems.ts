import type { IExecuteFunctions } from 'n8n-workflow';

import { CancelledError, DescribedError } from '../../shared/errors/callErrors';
import { isCancelled, memoryOfRuns } from '../nodeRun';
import type { Item, ItemOutcome, OperationResult, RunOutcome, SharedOperation } from '../operation';

/** Whether nothing may come after the error, whatever 'On Error' is set to: after a cancellation. */
export function isLastError(context: IExecuteFunctions, error: unknown): boolean {
	return isCancelled(context) || error instanceof CancelledError;
}

/** Whether there is no use in working on other items: none of them would come out. */
export function endsRun(context: IExecuteFunctions, error: unknown): boolean {
	return isLastError(context, error) || !context.continueOnFail();
}

interface ItemsOutcome extends RunOutcome {
	readonly items: ReadonlyMap<number, ItemOutcome>;
}

/** One item after the other, until an error ends the run. */
export async function runItems(
	context: IExecuteFunctions,
	work: (itemIndex: number) => Promise<OperationResult>,
): Promise<ItemsOutcome> {
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

const doneChanges = memoryOfRuns(() => new Map<number | string, OperationResult>());

/**
 * The same for work that changes something. 'Retry On Fail' repeats the whole run, and what went well in it
 * must not be done again.
 *
 * @param changeOf tells apart what is changed: items with the same change share what became of it
 */
export async function runItemsOnce(
	context: IExecuteFunctions,
	work: (itemIndex: number) => Promise<OperationResult>,
	changeOf: (itemIndex: number) => number | string = (itemIndex) => itemIndex,
): Promise<RunOutcome> {
	const done = doneChanges(context);
	const tried = new Map<number | string, Promise<OperationResult>>();
	return await runItems(context, async (index) => {
		const change = changeOf(index);
		const known = done.get(change);
		if (known !== undefined) return known;
		const attempt = tried.get(change) ?? work(index);
		tried.set(change, attempt);
		const result = await attempt;
		done.set(change, result);
		return result;
	});
}

function errorOf(outcome: ItemOutcome | undefined): { readonly error: unknown } | undefined {
	return outcome !== undefined && 'error' in outcome ? outcome : undefined;
}

/**
 * One change for all items that ask for the same one. All are read before the first change, and a change is
 * not made without an item of it that cannot be used.
 */
export async function runSharedChanges(
	context: IExecuteFunctions,
	items: readonly Item[],
	operation: SharedOperation,
): Promise<RunOutcome> {
	const keys = new Map<number, string>();
	const checks = await runItems(context, async (index) => {
		operation.check(items[index]);
		return { records: [] };
	});
	const endsHere = ({ items: outcomes }: RunOutcome) =>
		[...outcomes].find(([, outcome]) => {
			const refusal = errorOf(outcome);
			return refusal !== undefined && endsRun(context, refusal.error);
		});
	const refused = endsHere(checks);
	if (refused !== undefined) return { items: new Map([refused]) };
	const keyed = await runItems(context, async (index) => {
		keys.set(index, await operation.changeKey(items[index]));
		return { records: [] };
	});
	const unreachable = endsHere(keyed);
	if (unreachable !== undefined) return { items: new Map([unreachable]) };

	const refusalOf = (index: number) =>
		errorOf(checks.items.get(index)) ?? errorOf(keyed.items.get(index));
	return await runItemsOnce(
		context,
		async (index) => {
			const refusal = refusalOf(index);
			if (refusal !== undefined) throw refusal.error;
			const key = keys.get(index);
			const sharing = [...items.keys()].filter((other) => keys.get(other) === key);
			const spoiler = sharing.find((other) => refusalOf(other) !== undefined);
			if (spoiler !== undefined) throw spoiledBy(spoiler);
			return await operation.execute(
				items[index],
				sharing.map((other) => items[other]),
			);
		},
		(index) => (refusalOf(index) === undefined ? (keys.get(index) ?? index) : index),
	);
}

function spoiledBy(index: number): DescribedError {
	return new DescribedError({
		message: `Item ${index} can't be used, and it belongs to the same change`,
		description: 'Nothing was changed. Correct that item, then run them together again.',
	});
}
