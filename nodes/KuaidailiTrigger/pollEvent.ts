import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isRecord, ownValue, type UnknownRecord } from '../shared/guards';
import { HOUR_MS, MINUTE_MS } from '../shared/service/chinaTime';
import { withNote, toNodeError } from '../shared/api/errors';
import { nodeApiClient } from '../shared/api/client';
import { passesByItself } from '../shared/api/call';
import { findEvent } from './events';
import type { EventSnapshot, TriggerEvent } from './events/event';

const POLL_TIMEOUT_MS = 30_000;

function stateOf(context: IPollFunctions, { option }: TriggerEvent): UnknownRecord | undefined {
	const state = ownValue(context.getWorkflowStaticData('node'), option.value);
	return isRecord(state) ? state : undefined;
}

/** How long a trigger is quiet about a lack of answers, and about what it showed before; polls may come a bit early. */
const QUIET_MS = 3 * HOUR_MS - MINUTE_MS;

/**
 * When each trigger last had an answer or showed that it has none, and when each of its texts was last shown, in
 * milliseconds of the process. Not in its state, which n8n saves neither when a poll fails nor when it finds nothing.
 */
const shownAt = new Map<string, number>();

/** Whether it was not shown lately, and is to be now. */
function isToShow(key: string): boolean {
	const now = performance.now();
	if (now - (shownAt.get(key) ?? -Infinity) < QUIET_MS) return false;
	shownAt.set(key, now);
	return true;
}

const LONG_SILENCE =
	'This trigger has had no answer for hours. What happens meanwhile is reported when Kuaidaili answers again; until then, a poll fails every three hours.';

function triggerKey(context: IPollFunctions, { option }: TriggerEvent): string {
	return JSON.stringify([context.getWorkflow().id, context.getNode().id, option.value]);
}

async function snapshotOf(context: IPollFunctions, event: TriggerEvent): Promise<EventSnapshot> {
	const caller = await nodeApiClient(context, POLL_TIMEOUT_MS);
	const valueOf = (name: string): unknown => context.getNodeParameter(name, '');
	return await event.fetchSnapshot(caller, valueOf, stateOf(context, event));
}

/** The records that have not been emitted yet. The workflow's static data tell which were. */
async function newRecords(
	context: IPollFunctions,
	event: TriggerEvent,
): Promise<readonly IDataObject[]> {
	const hasWorked = stateOf(context, event) !== undefined;
	const key = triggerKey(context, event);
	const snapshot = await snapshotOf(context, event).catch((error: unknown): undefined => {
		// Permanent failures have to be visible. Outages must not fill the list of executions: the next poll
		// catches up
		if (!hasWorked || !passesByItself(error)) throw error;
		if (!shownAt.has(key)) shownAt.set(key, performance.now());
		if (isToShow(key)) throw withNote(error, LONG_SILENCE);
		const { message, description } = error.describe();
		context.logger.warn(`${message}. ${description}`);
	});
	if (snapshot === undefined) return [];
	shownAt.set(key, performance.now());
	// Read again: another poll may have emitted something in the meantime
	const { records, state, warnings = [], failure } = snapshot.poll(stateOf(context, event));
	for (const text of warnings) {
		if (isToShow(`${key} ${text}`)) context.logger.warn(`Kuaidaili Trigger: ${text}`);
	}
	context.getWorkflowStaticData('node')[event.option.value] = state;
	// Not at first: the workflow could not be published because of one order
	const isHeard = hasWorked && records.length === 0;
	if (failure !== undefined && isHeard && isToShow(`${key} ${failure.message}`)) throw failure;
	return records;
}

/** Marks what the trigger shows when it is tested, for workflows and for whoever reads its text. */
function asTestEvent({ text, ...record }: IDataObject): IDataObject {
	const said = typeof text === 'string' ? text : '';
	return { text: `Test event: ${said}`, ...record, test: true };
}

/** The items of a poll; null when there is nothing new. */
export async function pollEvent(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	try {
		const event = findEvent(context.getNodeParameter('event', ''));
		const records =
			context.getMode() === 'manual'
				? (await snapshotOf(context, event)).sample().map(asTestEvent)
				: await newRecords(context, event);
		const items = records.map((record) => ({ json: { event: event.option.value, ...record } }));
		return items.length === 0 ? null : [items];
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}
