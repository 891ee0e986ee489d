import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isDataObject, isRecord, ownValue, type UnknownRecord } from '../shared/guards';
import { asTestEvent } from '../shared/testEvent';
import { toNodeError } from '../shared/transport/describeFailure';
import { ApiError, HttpStatusError, NetworkError } from '../shared/errors/callErrors';
import { itemlessCaller } from '../shared/transport/caller';
import { findEvent } from './events';
import type { Snapshot, TriggerEvent } from './events/event';

const TIMEOUT_MS = 30_000;

/** A failure at the service, and too many calls. */
const PASSING_CODES: ReadonlySet<number> = new Set([-109, -120]);

/** Caused by settings of n8n or the machine, so they last until somebody changes those. */
const LASTING_FAILURES: ReadonlySet<string> = new Set(['blocked', 'tls']);

/** Whether the next poll may succeed without anybody doing anything. */
function passesByItself(error: unknown): boolean {
	if (error instanceof NetworkError) return !LASTING_FAILURES.has(error.failure.kind);
	if (error instanceof HttpStatusError) return error.status >= 500 || error.status === 429;
	return error instanceof ApiError && PASSING_CODES.has(error.code);
}

function stateOf(context: IPollFunctions, { option }: TriggerEvent): UnknownRecord | undefined {
	const state = ownValue(context.getWorkflowStaticData('node'), option.value);
	return isRecord(state) ? state : undefined;
}

function toItems({ option }: TriggerEvent, records: readonly IDataObject[]) {
	return [
		records.map((record): INodeExecutionData => ({ json: { event: option.value, ...record } })),
	];
}

async function snapshotOf(context: IPollFunctions, event: TriggerEvent): Promise<Snapshot> {
	const caller = await itemlessCaller(context, TIMEOUT_MS);
	const valueOf = (name: string): unknown => context.getNodeParameter(name, '');
	return await event.fetchSnapshot(caller, valueOf, stateOf(context, event));
}

/** Turns errors into node errors. */
function inOwnWords(context: IPollFunctions) {
	return (error: unknown): never => {
		throw toNodeError(context.getNode(), error);
	};
}

async function emitSample(context: IPollFunctions, event: TriggerEvent) {
	const sample = (await snapshotOf(context, event)).sample();
	return toItems(event, sample.map(asTestEvent));
}

async function emitNew(context: IPollFunctions, event: TriggerEvent) {
	const hasWorked = stateOf(context, event) !== undefined;
	const snapshot = await snapshotOf(context, event).catch((error: unknown) => {
		const nodeError = toNodeError(context.getNode(), error);
		// Permanent failures have to be visible. Outages must not fill the list of executions: the next poll
		// catches up
		if (!hasWorked || !passesByItself(error)) throw nodeError;
		context.logger.warn(`${nodeError.message}. ${nodeError.description ?? ''}`);
		return undefined;
	});
	if (snapshot === undefined) return null;
	// Read again: another poll may have emitted something in the meantime
	const { records, state, warnings = [] } = snapshot.poll(stateOf(context, event));
	for (const warning of warnings) context.logger.warn(warning);
	const staticData: unknown = context.getWorkflowStaticData('node');
	if (isDataObject(staticData)) staticData[event.option.value] = state;
	return records.length === 0 ? null : toItems(event, records);
}

/**
 * Polls once. What was emitted before lies in the workflow's static data, which n8n keeps over restarts.
 *
 * @returns null when there is nothing new
 */
export async function pollEvent(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const isTrial = context.getMode() === 'manual';
	const run = async () => {
		const event = findEvent(context.getNodeParameter('event', ''));
		return isTrial ? await emitSample(context, event) : await emitNew(context, event);
	};
	return await run().catch(inOwnWords(context));
}
