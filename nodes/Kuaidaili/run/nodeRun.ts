import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { toDataObject } from '../../shared/guards';
import { rootModeOf } from './n8nInternals';

/** Answers of {@link isTool}: n8n copies the whole node each time that it is asked for it. */
const toolContexts = new WeakMap<IExecuteFunctions, boolean>();

/** Whether an AI agent calls the node: as its tool, n8n gives the node another type. */
export function isTool(context: IExecuteFunctions): boolean {
	const known = toolContexts.get(context) ?? context.getNode().type.endsWith('Tool');
	toolContexts.set(context, known);
	return known;
}

/**
 * Whether n8n calls the tool again by itself after a failure. It counts that as a new call: nothing would tell it
 * from another one that the model wants.
 */
export function isRetriedTool(context: IExecuteFunctions): boolean {
	return context.getNode().retryOnFail === true && isTool(context);
}

/**
 * Whether the execution was canceled: nothing more may be sent then, and n8n saves neither output nor error of the
 * node.
 */
export function isCancelled(context: IExecuteFunctions): boolean {
	return context.getExecutionCancelSignal()?.aborted === true;
}

/**
 * The execution that somebody started by hand, also where a sub-workflow of it runs the node; undefined where nobody
 * did.
 */
export function manualExecutionOf(context: IExecuteFunctions): string | undefined {
	if (context.getMode() === 'manual') return context.getExecutionId();
	const parent = context.getExecutionContext()?.parentExecutionId;
	return rootModeOf(context) === 'manual' ? parent : undefined;
}

/** A node in a loop runs several times in one execution; each run has its own items. */
export function runIndexOf(context: IExecuteFunctions): string {
	// Not by an expression: n8n 2 evaluates those in an isolate of their own, which takes long
	const runIndex: unknown = context.getWorkflowDataProxy(0).$runIndex;
	if (typeof runIndex !== 'number') throw new Error('n8n does not say which run this is');
	return String(runIndex);
}

/**
 * The data of the node, under a name, that n8n saves with its execution. An execution that waits goes on with it in any process,
 * and one that is retried begins with it.
 */
export function savedData(context: IExecuteFunctions, name: string): IDataObject {
	const ofNode: IDataObject = context.getContext('node');
	const data = toDataObject(ofNode[name]);
	ofNode[name] = data;
	return data;
}

/** Memory of a run, or of the one that n8n repeats with it for 'Retry On Fail'. */
export function memoryOfRuns<T>(
	create: (context: IExecuteFunctions) => T,
): (context: IExecuteFunctions) => T {
	// By n8n's data of the node in an execution. Not in that data: n8n saves it, and logins don't belong there
	const lastRuns = new WeakMap<object, { runIndex: string; memory: T }>();
	return (context) => {
		// n8n numbers the calls of a tool from the start for each agent, so two of them may look the same
		if (isTool(context)) return create(context);
		const execution: object = context.getContext('node');
		const runIndex = runIndexOf(context);
		const last = lastRuns.get(execution);
		if (last?.runIndex === runIndex) return last.memory;
		const memory = create(context);
		lastRuns.set(execution, { runIndex, memory });
		return memory;
	};
}
