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

interface Tried<T> {
	readonly done: ReadonlyMap<number, T>;
	readonly failed: ReadonlyMap<number, { readonly error: unknown }>;
	/** Whether an error ended the run. */
	readonly isOver: boolean;
}

/** One item after the other, by their indexes, until an error ends the run. */
export async function tryItems<T>(
	context: IExecuteFunctions,
	indexes: Iterable<number>,
	work: (index: number) => Promise<T>,
): Promise<Tried<T>> {
	const done = new Map<number, T>();
	const failed = new Map<number, { readonly error: unknown }>();
	for (const index of indexes) {
		try {
			done.set(index, await work(index));
		} catch (error) {
			failed.set(index, { error });
			if (endsRun(context, error)) return { done, failed, isOver: true };
		}
	}
	return { done, failed, isOver: false };
}

/** The same, with what becomes of each item. */
export async function runItems(
	context: IExecuteFunctions,
	work: (itemIndex: number) => Promise<OperationResult>,
): Promise<RunOutcome> {
	const { done, failed } = await tryItems(context, context.getInputData().keys(), work);
	const results = [...done].map(([index, result]): [number, ItemOutcome] => [index, { result }]);
	return { items: [...results, ...failed] };
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

/**
 * One change for all items that ask for the same one. All are read before the first change, and a change is
 * not made without an item of it that cannot be used.
 */
export async function runSharedChanges(
	context: IExecuteFunctions,
	items: readonly Item[],
	operation: SharedOperation,
): Promise<RunOutcome> {
	const indexes = [...items.keys()];
	const checked = await tryItems(context, indexes, async (index) => operation.check(items[index]));
	if (checked.isOver) return { items: checked.failed };
	const keyed = await tryItems(
		context,
		indexes,
		async (index) => await operation.changeKey(items[index]),
	);
	if (keyed.isOver) return { items: keyed.failed };

	const refusals = new Map([...keyed.failed, ...checked.failed]);
	return await runItemsOnce(
		context,
		async (index) => {
			const refusal = refusals.get(index);
			if (refusal !== undefined) throw refusal.error;
			const sharing = indexes.filter((other) => keyed.done.get(other) === keyed.done.get(index));
			const spoiler = sharing.find((other) => refusals.has(other));
			if (spoiler !== undefined) {
				throw new DescribedError({
					message: `Item ${spoiler} can't be used, and it belongs to the same change`,
					description: 'Nothing was changed. Correct that item, then run them together again.',
				});
			}
			return await operation.execute(
				items[index],
				sharing.map((other) => items[other]),
			);
		},
		(index) => (refusals.has(index) ? index : (keyed.done.get(index) ?? index)),
	);
}
