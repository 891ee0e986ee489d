import { NodeApiError, NodeOperationError, type INode, type JsonObject } from 'n8n-workflow';

import { InvalidFieldError } from '../fields/invalidFieldError';
import { asError, CallError } from './callErrors';

function isNodeError(error: unknown): error is NodeApiError | NodeOperationError {
	// By name: a second copy of n8n-workflow makes instanceof fail
	return error instanceof Error && ['NodeApiError', 'NodeOperationError'].includes(error.name);
}

/** n8n replaces messages that contain certain words by stock texts, so ours are set afterwards. */
function withTexts<T extends NodeApiError | NodeOperationError>(
	error: T,
	message: string,
	description: string | undefined,
	item: ErrorItem | undefined,
): T {
	error.message = item === undefined || item.isOnly ? message : `${message} [item ${item.index}]`;
	error.description = description;
	if (item !== undefined) error.context.itemIndex = item.index;
	return error;
}

/** The input item that an error is about. */
interface ErrorItem {
	readonly index: number;
	/** Whether there is no other: n8n's editor names an item only among several, and as `[item 3]`. */
	readonly isOnly: boolean;
}

/**
 * The error as n8n words its own: what happened, and to which item, in `message`, and what to do next in
 * `description`.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	item?: ErrorItem,
): NodeApiError | NodeOperationError {
	if (error instanceof CallError) {
		const { message, description, code } = error.describe();
		const response: JsonObject = code === undefined ? {} : { code };
		const options = { message, description, httpCode: code };
		return withTexts(new NodeApiError(node, response, options), message, description, item);
	}
	if (isNodeError(error)) {
		return withTexts(error, error.message, error.description ?? undefined, item);
	}
	const { message } = asError(error);
	const description = error instanceof InvalidFieldError ? error.description : undefined;
	return withTexts(new NodeOperationError(node, message), message, description, item);
}
