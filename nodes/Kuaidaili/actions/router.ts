import {
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type NodeApiError,
} from 'n8n-workflow';

import { CancelledError } from '../../shared/transport/callErrors';
import { toNodeError } from '../../shared/toNodeError';
import { earlierPurchases, severalPurchasesHint } from '../purchase/purchaseReport';
import type { Operation } from './operation';
import { findOperation } from './resources';
import { RunHints } from './runHints';

function wasCancelled(context: IExecuteFunctions): boolean {
	return context.getExecutionCancelSignal?.()?.aborted === true;
}

/** The output is lost with the error, and with it the numbers of orders that are paid. */
function withEarlierPurchases<T extends NodeApiError | NodeOperationError>(
	error: T,
	{ purchases }: Operation,
	context: IExecuteFunctions,
): T {
	const earlier = purchases && earlierPurchases(context);
	if (earlier !== undefined) error.description = `${error.description ?? ''} ${earlier}`.trim();
	// n8n saves no output and no error of a cancelled node, so the log is the only place that is left
	if (purchases && wasCancelled(context)) {
		context.logger.warn(`${error.message}. ${error.description ?? ''}`);
	}
	return error;
}

/**
 * Runs the chosen operation for every input item, one after the other. The only loop over items: it
 * links each output item to its input item, and keeps to the node's setting for errors.
 */
export async function router(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const node = context.getNode();
	const resource = String(context.getNodeParameter('resource', 0));
	const name = String(context.getNodeParameter('operation', 0, ''));
	const operation = findOperation(resource, name);
	if (operation === undefined) {
		throw new NodeOperationError(node, `This node has no operation '${name}' for '${resource}'`, {
			description:
				"Choose one of the operations in 'Operation'. For other calls of the service, use the HTTP Request node with the credential type 'Kuaidaili API'.",
		});
	}

	const output: INodeExecutionData[] = [];
	const hints = new RunHints();
	const itemCount = context.getInputData().length;
	for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
		const pairedItem = { item: itemIndex };
		try {
			const { records, hint } = await operation.execute(context, itemIndex);
			for (const json of records) output.push({ json, pairedItem });
			if (hint !== undefined) hints.add(hint, itemIndex);
		} catch (error) {
			const nodeError = toNodeError(node, error, itemIndex);
			// After a cancellation nothing more may be sent, whatever the setting for errors
			if (wasCancelled(context) || error instanceof CancelledError || !context.continueOnFail()) {
				throw withEarlierPurchases(nodeError, operation, context);
			}
			// No other key: n8n sends only items that consist of an error to the error output
			const text = [nodeError.message, nodeError.description].filter(Boolean).join('. ');
			output.push({ json: { error: text }, pairedItem });
		}
	}
	const several = operation.purchases && severalPurchasesHint(context, operation.purchases);
	if (several !== undefined) hints.addForRun(several);
	hints.show(context, itemCount);
	return [output];
}
