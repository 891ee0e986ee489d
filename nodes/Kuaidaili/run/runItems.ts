import type { IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { CancelledError, type CallError } from '../../shared/api/errors';
import { isCancelled } from './nodeRun';

export interface OperationResult {
	/** The output, one object per item; the router links each to its input item. */
	readonly records: readonly IDataObject[];
	readonly binary?: IBinaryKeyData;
	/** Whole sentences to show with the output of a run that succeeded. */
	readonly hint?: string;
	/** The failure of a call after these records had arrived; the router shows it together with the hint. */
	readonly failure?: CallError;
}

export type ItemOutcome =
	| { readonly kind: 'result'; readonly result: OperationResult }
	/** `known` is put out beside the error, where n8n lets it be, and `details` in a field of that name. */
	| {
			readonly kind: 'error';
			readonly error: unknown;
			readonly known?: IDataObject;
			readonly details?: IDataObject;
	  };

export interface RunOutcome {
	/**
	 * Outcomes by the index of the item, which may have several, in the order in which they come out. After an error that ends
	 * the run, such as any without 'Continue On Fail', there may be none for the others.
	 */
	readonly items: Iterable<readonly [number, ItemOutcome]>;
	/** Whole sentences about the run, shown with the output. */
	readonly hints?: readonly string[];
	/** A sentence for an error that ends the run, because its output is lost. */
	readonly note?: string;
}

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
