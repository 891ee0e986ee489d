import type { IExecuteFunctions } from 'n8n-workflow';

import { CancelledError, DescribedError } from '../../shared/api/callErrors';
import { isCancelled, memoryOfRuns } from './nodeRun';
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

export async function runItems(
	context: IExecuteFunctions,
	work: (itemIndex: number) => Promise<OperationResult>,
): Promise<RunOutcome> {
	const items = untried(context.getInputData());
	return { items: outcomesOf(await tryItems(context, items, async (_item, at) => await work(at))) };
}

/** Reads what came of a change that was made. */
export type MadeChange = () => Promise<OperationResult>;

/** A made change whose result is read once, unless that fails. */
function readOnce(read: MadeChange): MadeChange {
	let result: OperationResult | undefined;
	return async () => (result ??= await read());
}

const madeChanges = memoryOfRuns(() => new Map<number | string, MadeChange>());

/**
 * Makes the changes of all items, then reads what came of each. 'Retry On Fail' repeats the whole run, and a change
 * that was made must not be made again.
 *
 * @param changeOf tells changes apart: items with the same one share what became of it
 */
export async function runItemsOnce(
	context: IExecuteFunctions,
	make: (itemIndex: number) => Promise<MadeChange>,
	changeOf: (itemIndex: number) => number | string = (itemIndex) => itemIndex,
): Promise<RunOutcome> {
	const made = madeChanges(context);
	const tried = new Map<number | string, Promise<MadeChange>>();
	const items = untried(context.getInputData());
	const changes = await tryItems(context, items, async (_item, index) => {
		const change = changeOf(index);
		const known = made.get(change);
		if (known !== undefined) return known;
		const attempt = tried.get(change) ?? make(index).then(readOnce);
		tried.set(change, attempt);
		const read = await attempt;
		made.set(change, read);
		return read;
	});
	return { items: outcomesOf(await tryItems(context, changes, async (read) => await read())) };
}

interface SharedChange {
	/** Throws InvalidFieldError; sends nothing. */
	check(item: Item): void;
	/** Tells apart what is changed. Sends only what getting a key pair takes. */
	keyOf(item: Item): Promise<string>;
	make(item: Item, sharing: readonly Item[]): Promise<MadeChange>;
}

/**
 * One change for all items that ask for the same one. All are read before the first change, and a change is
 * not made without an item of it that cannot be used.
 */
export async function runSharedChanges(
	context: IExecuteFunctions,
	items: readonly Item[],
	change: SharedChange,
): Promise<RunOutcome> {
	const all = untried(items);
	const checked = await tryItems(context, all, async (item) => change.check(item));
	if (checked.isOver) return { items: checked.failed };
	const keyed = await tryItems(context, all, async (item) => await change.keyOf(item));
	if (keyed.isOver) return { items: keyed.failed };

	const refusals = new Map([...keyed.failed, ...checked.failed]);
	return await runItemsOnce(
		context,
		async (index) => {
			const refusal = refusals.get(index);
			if (refusal !== undefined) throw refusal.error;
			const sharing = [...items.keys()].filter(
				(other) => keyed.done.get(other) === keyed.done.get(index),
			);
			const spoiler = sharing.find((other) => refusals.has(other));
			if (spoiler !== undefined) {
				throw new DescribedError({
					message: `Item ${spoiler} can't be used, and it belongs to the same change`,
					description: 'Nothing was changed. Correct that item, then run them together again.',
				});
			}
			return await change.make(
				items[index],
				sharing.map((other) => items[other]),
			);
		},
		(index) => (refusals.has(index) ? index : (keyed.done.get(index) ?? index)),
	);
}
