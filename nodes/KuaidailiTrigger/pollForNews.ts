import {
	NodeOperationError,
	type IDataObject,
	type INodeExecutionData,
	type IPollFunctions,
} from 'n8n-workflow';

import { isDataObject, isRecord, ownValue, type UnknownRecord } from '../shared/guards';
import { toNodeError } from '../shared/toNodeError';
import { itemlessCaller } from '../shared/transport/nodeCaller';
import { findEvent } from './events';
import type { Sight, TriggerEvent } from './events/event';

const TIMEOUT_MS = 30_000;

function memoryOf(context: IPollFunctions, { option }: TriggerEvent): UnknownRecord | undefined {
	const memory = ownValue(context.getWorkflowStaticData('node'), option.value);
	return isRecord(memory) ? memory : undefined;
}

function toItems({ option }: TriggerEvent, records: readonly IDataObject[]) {
	return [
		records.map((record): INodeExecutionData => ({ json: { event: option.value, ...record } })),
	];
}

async function look(context: IPollFunctions, event: TriggerEvent): Promise<Sight> {
	const caller = await itemlessCaller(context, TIMEOUT_MS);
	const valueOf = (name: string): unknown => context.getNodeParameter(name, '');
	return await event.look(caller, valueOf, memoryOf(context, event));
}

/** Errors in the words of the node. */
function inOwnWords(context: IPollFunctions) {
	return (error: unknown): never => {
		throw toNodeError(context.getNode(), error);
	};
}

async function tryOut(context: IPollFunctions, event: TriggerEvent) {
	const sample = (await look(context, event)).sample();
	if (sample.length > 0) return toItems(event, sample);
	throw new NodeOperationError(context.getNode(), event.nothing);
}

async function tellNews(context: IPollFunctions, event: TriggerEvent) {
	const hasWorked = memoryOf(context, event) !== undefined;
	const sight = await look(context, event).catch((error: unknown) => {
		const nodeError = toNodeError(context.getNode(), error);
		if (!hasWorked) throw nodeError;
		// An outage must neither end the workflow nor fill the list of executions; the next look tells all
		context.logger.warn(`${nodeError.message}. ${nodeError.description ?? ''}`);
		return undefined;
	});
	if (sight === undefined) return null;
	// Read anew: another look may have told something meanwhile
	const { records, memory } = sight.news(memoryOf(context, event));
	const staticData: unknown = context.getWorkflowStaticData('node');
	if (isDataObject(staticData)) staticData[event.option.value] = memory;
	return records.length === 0 ? null : toItems(event, records);
}

/**
 * Looks once for what has to be told. The memory of what was told lies in the workflow's static data,
 * which n8n keeps over restarts.
 *
 * @returns null when there is nothing new
 */
export async function pollForNews(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const isTrial = context.getMode() === 'manual';
	const run = async () => {
		const event = findEvent(context.getNodeParameter('event', ''));
		return isTrial ? await tryOut(context, event) : await tellNews(context, event);
	};
	return await run().catch(inOwnWords(context));
}
