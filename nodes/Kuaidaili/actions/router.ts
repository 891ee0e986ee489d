import {
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type NodeApiError,
} from 'n8n-workflow';

import { describeFailure, toNodeError } from '../../shared/transport/describeFailure';
import { sentences } from '../../shared/wording';
import type { OperationResult, RunOutcome } from '../operation';
import { itemsOf } from './itemContext';
import { findOperation, type Operation } from './resources';
import { runPurchases } from './runPurchases';
import { isLastError, runItems, runItemsOnce, runSharedChanges } from './runItems';

const MOST_ITEMS_NAMED = 10;

/** What the user should know about a run, collected over its items and shown with the output. */
export class RunHints {
	private readonly itemsOfHint = new Map<string, number[]>();

	private readonly ofRun: string[] = [];

	add(hint: string, itemIndex: number): void {
		const items = this.itemsOfHint.get(hint) ?? [];
		if (items.at(-1) !== itemIndex) items.push(itemIndex);
		this.itemsOfHint.set(hint, items);
	}

	private showOne(context: IExecuteFunctions, message: string): void {
		context.addExecutionHints?.({ message, location: 'outputPane' });
	}

	addForRun(hint: string): void {
		this.ofRun.push(hint);
	}

	/** Versions of n8n without hints show none. */
	show(context: IExecuteFunctions, itemCount: number): void {
		for (const [hint, items] of this.itemsOfHint) {
			const named = items.slice(0, MOST_ITEMS_NAMED).join(', ');
			const more = items.length - MOST_ITEMS_NAMED;
			const which = `Item${items.length === 1 ? '' : 's'} ${named}${more > 0 ? ` and ${more} more` : ''}: `;
			this.showOne(context, itemCount === 1 ? hint : `${which}${hint}`);
		}
		for (const hint of this.ofRun) this.showOne(context, hint);
	}
}

function hintOf({ hint = '', failure }: OperationResult): string {
	if (failure === undefined) return hint;
	const { message, description } = describeFailure(failure);
	return sentences(hint, `${message}.`, description);
}

async function runOf(context: IExecuteFunctions, operation: Operation): Promise<RunOutcome> {
	if ('plan' in operation) return await runPurchases(context, operation);
	const items = itemsOf(context);
	if ('executeAll' in operation) return await operation.executeAll(context, items);
	if ('changeKey' in operation) return await runSharedChanges(context, items, operation);
	const runAll = operation.changes === true ? runItemsOnce : runItems;
	return await runAll(context, async (index) => await operation.execute(items[index]));
}

interface RoutedItem {
	readonly output: readonly INodeExecutionData[];
	/** Of the run, where it ends with what the item failed with; undefined where the item did not fail. */
	readonly toRunError?: () => NodeApiError | NodeOperationError;
	/** Whether the run ends with it even where n8n goes on after errors. */
	readonly endsRun?: boolean;
}

/** Runs the chosen operation for all input items, and links each output item to its input item. */
export async function runOperation(context: IExecuteFunctions): Promise<{
	readonly items: readonly RoutedItem[];
	/** For a run that succeeded. */
	readonly showHints: () => void;
}> {
	const node = context.getNode();
	const resource = String(context.getNodeParameter('resource', 0));
	const name = String(context.getNodeParameter('operation', 0, ''));
	const operation = findOperation(resource, name);
	if (operation === undefined) {
		throw new NodeOperationError(node, `This node has no operation '${name}' for '${resource}'`, {
			description:
				"Choose one of the operations in 'Operation'. For other API calls, use the HTTP Request node with the credential type 'Kuaidaili API'.",
		});
	}

	const run = await runOf(context, operation);
	const hints = new RunHints();
	const items = [...run.items]
		.sort(([a], [b]) => a - b)
		.map(([itemIndex, outcome]): RoutedItem => {
			const pairedItem = { item: itemIndex };
			if ('error' in outcome) {
				const isOnly = context.getInputData().length === 1;
				const error = toNodeError(node, outcome.error, { index: itemIndex, isOnly });
				const text = [error.message, error.description].filter(Boolean).join('. ');
				// n8n sends only items that contain nothing but an error to the error output, with what came in
				const known = node.onError === 'continueErrorOutput' ? {} : outcome.known;
				const output = [{ json: { ...known, error: text }, pairedItem }];
				const toRunError = () => {
					error.description = sentences(error.description ?? '', run.note) || undefined;
					return error;
				};
				return { output, toRunError, endsRun: isLastError(context, outcome.error) };
			}
			const { records, binary } = outcome.result;
			const hint = hintOf(outcome.result);
			if (hint !== '') hints.add(hint, itemIndex);
			const kept = binary === undefined ? {} : { binary };
			return { output: records.map((json) => ({ json, pairedItem, ...kept })) };
		});
	for (const hint of run.hints ?? []) hints.addForRun(hint);
	return { items, showHints: () => hints.show(context, context.getInputData().length) };
}
