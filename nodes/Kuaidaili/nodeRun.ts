import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent calls the node: as its tool, n8n gives the node another type. */
export function isTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/** A node in a loop runs several times in one execution; each run has its own items. */
export function runIndexOf(context: IExecuteFunctions): string {
	const runIndex: unknown = context.evaluateExpression('{{ $runIndex }}', 0);
	if (typeof runIndex !== 'number') throw new Error('n8n does not tell which run this is');
	return String(runIndex);
}
