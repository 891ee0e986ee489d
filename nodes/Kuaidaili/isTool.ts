import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent calls the node: as its tool, n8n gives the node another type. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}
