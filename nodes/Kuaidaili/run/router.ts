import { NodeOperationError, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { toNodeError } from '../../shared/api/errors';
import { sentences } from '../../shared/wording';
import { type Operation, isLastError } from './operation';
import { Item } from './item';

const MOST_ITEMS_NAMED = 10;

/** Shows with the output what the user should know about items, such as "Items 0, 2: Hint.", and about the run. */
export function showHints(
	context: IExecuteFunctions,
	itemCount: number,
	itemsOfHint: ReadonlyMap<string, ReadonlySet<number>>,
	ofRun: readonly string[] = [],
): void {
	const ofItems = [...itemsOfHint].map(([hint, items]) => {
		const named = [...items].slice(0, MOST_ITEMS_NAMED).join(', ');
		const more = items.size - MOST_ITEMS_NAMED;
		const which = `Item${items.size === 1 ? '' : 's'} ${named}${more > 0 ? ` and ${more} more` : ''}: `;
		return itemCount === 1 ? hint : `${which}${hint}`;
	});
	for (const message of [...ofItems, ...ofRun]) {
		context.addExecutionHints({ message, location: 'outputPane' });
	}
}

/**
 * Runs the chosen operation for all items, and puts out what becomes of each.
 *
 * @param find undefined for a name that no resource has
 * @param goesOn whether n8n goes on after errors
 */
export async function runOperation(
	context: IExecuteFunctions,
	find: (resource: string, operation: string) => Operation | undefined,
	goesOn: boolean,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const resource = String(context.getNodeParameter('resource', 0));
	const name = String(context.getNodeParameter('operation', 0, ''));
	const operation = find(resource, name);
	if (operation === undefined) {
		throw new NodeOperationError(node, `This node has no operation '${name}' for '${resource}'`, {
			description:
				"Choose one of the operations in 'Operation'. For other API calls, use the HTTP Request node with the credential type 'Kuaidaili API'.",
		});
	}

	const input = context.getInputData();
	const itemCount = input.length;
	const constants = new Map<string, unknown>();
	const run = await operation.executeAll(
		context,
		input.map((_item, index) => new Item(context, index, node.parameters, constants)),
	);
	const itemsOfHint = new Map<string, Set<number>>();
	const output: INodeExecutionData[] = [];
	for (const [index, outcome] of [...run.items].sort(([a], [b]) => a - b)) {
		const pairedItem = { item: index };
		if (outcome.kind === 'error') {
			const error = toNodeError(node, outcome.error, { index, isOnly: itemCount === 1 });
			if (!goesOn || isLastError(context, outcome.error)) {
				error.description = sentences(error.description ?? '', run.note) || undefined;
				throw error;
			}
			const text = [error.message, error.description].filter(Boolean).join('. ');
			// n8n sends only items that contain nothing but an error and its details to the error output, with what came in
			const known = node.onError === 'continueErrorOutput' ? {} : outcome.known;
			const { details } = outcome;
			const json = { ...known, error: text, ...(details !== undefined && { details }) };
			output.push({ json, pairedItem });
			continue;
		}
		const { records, binary, failure } = outcome.result;
		let { hint = '' } = outcome.result;
		if (failure !== undefined) {
			const { message, description } = failure.describe();
			hint = sentences(hint, `${message}.`, description);
		}
		if (hint !== '') itemsOfHint.set(hint, (itemsOfHint.get(hint) ?? new Set()).add(index));
		const kept = binary === undefined ? {} : { binary };
		for (const json of records) output.push({ json, pairedItem, ...kept });
	}
	showHints(context, itemCount, itemsOfHint, run.hints);
	return output;
}
