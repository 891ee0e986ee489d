import type { IExecuteFunctions } from 'n8n-workflow';

import { CancelledError } from '../../shared/api/errors';
import { isCancelled } from './nodeRun';
import type { ItemOutcome, OperationResult, RunOutcome } from './operation';
import type { Item } from './item';

/** Whether nothing may come after the error, whatever 'On Error' is set to: after a cancellation. */
export function isLastError(context: IExecuteFunctions, error: unknown): boolean {
	return isCancelled(context) || error instanceof CancelledError;
}

/** Whether there is no use in working on other items: none of them would come out. */
export function endsRun(context: IExecuteFunctions, error: unknown): boolean {
	return isLastError(context, error) || !context.continueOnFail();
}

/** How far the items of a run have come. */
interface Tried<T> {
	readonly done: ReadonlyMap<number, T>;
	readonly failed: ReadonlyMap<number, ItemOutcome & { readonly kind: 'error' }>;
	/** Whether an error ended the run. */
	readonly isOver: boolean;
}

export function untried<T>(items: readonly T[]): Tried<T> {
	return { done: new Map(items.entries()), failed: new Map(), isOver: false };
}

/** The next step for those that have not failed, one after the other, until an error ends the run. */
export async function tryItems<T, U>(
	context: IExecuteFunctions,
	before: Tried<T>,
	work: (one: T, index: number) => Promise<U>,
): Promise<Tried<U>> {
	const done = new Map<number, U>();
	const failed = new Map(before.failed);
	if (before.isOver) return { done, failed, isOver: true };
	for (const [index, one] of before.done) {
		try {
			done.set(index, await work(one, index));
		} catch (error) {
			failed.set(index, { kind: 'error', error });
			if (endsRun(context, error)) return { done, failed, isOver: true };
		}
	}
	return { done, failed, isOver: false };
}

export function outcomesOf({ done, failed }: Tried<OperationResult>): RunOutcome['items'] {
	const results = [...done].map(([index, result]): [number, ItemOutcome] => [
		index,
		{ kind: 'result', result },
	]);
	return [...results, ...failed];
}

/** Does the same for each item, one after the other. */
export async function runItems(
	context: IExecuteFunctions,
	items: readonly Item[],
	work: (item: Item) => Promise<OperationResult>,
): Promise<RunOutcome> {
	return { items: outcomesOf(await tryItems(context, untried(items), work)) };
}
