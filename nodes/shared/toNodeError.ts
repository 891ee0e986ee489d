import { NodeApiError, NodeOperationError, type INode, type JsonObject } from 'n8n-workflow';

import { InvalidFieldError } from './fields/invalidFieldError';
import { CallError } from './transport/callErrors';
import { describeFailure } from './transport/describeFailure';

function isNodeError(error: unknown): error is NodeApiError | NodeOperationError {
	// By name as well: a second copy of n8n-workflow makes instanceof fail
	return (
		error instanceof NodeApiError ||
		error instanceof NodeOperationError ||
		(error instanceof Error && ['NodeApiError', 'NodeOperationError'].includes(error.name))
	);
}

/** n8n replaces messages that contain certain words by stock texts, so ours are set afterwards. */
function withTexts<T extends NodeApiError | NodeOperationError>(
	error: T,
	message: string,
	description: string | undefined,
	itemIndex: number | undefined,
): T {
	error.message = itemIndex === undefined ? message : `${message} [item ${itemIndex}]`;
	error.description = description;
	if (itemIndex !== undefined) error.context.itemIndex = itemIndex;
	return error;
}

function fromCallError(node: INode, error: CallError, itemIndex?: number): NodeApiError {
	const hasTimeoutField = itemIndex !== undefined;
	const { message, description, code } = describeFailure(error, { hasTimeoutField });
	const response: JsonObject = code === undefined ? {} : { code };
	const options = { message, description, httpCode: code, itemIndex };
	return withTexts(new NodeApiError(node, response, options), message, description, itemIndex);
}

/**
 * Any error as n8n's own, with words for the user: what happened and to which item in `message`, what
 * to do next in `description`.
 *
 * @param itemIndex left out where there are no items, as in the editor
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	if (error instanceof CallError) return fromCallError(node, error, itemIndex);
	if (error instanceof InvalidFieldError) {
		const refusal = new NodeOperationError(node, error.message, { itemIndex });
		return withTexts(refusal, error.message, error.description, itemIndex);
	}
	if (isNodeError(error)) {
		return withTexts(error, error.message, error.description ?? undefined, itemIndex);
	}
	const message = error instanceof Error ? error.message : String(error);
	return withTexts(
		new NodeOperationError(node, message, { itemIndex }),
		message,
		undefined,
		itemIndex,
	);
}
