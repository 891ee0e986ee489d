import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isRecord, ownValue } from '../shared/guards';
import { HOUR_MS, MINUTE_MS } from '../shared/service/chinaTime';
import { CancelledError, failureOf, NetworkError, toNodeError } from '../shared/api/errors';
import { nodeApiClient } from '../shared/api/client';
import { passesByItself } from '../shared/api/call';
import { findEvent } from './events';
import type { EventSnapshot, PollMemory, TriggerEvent } from './events/event';

const CALL_TIMEOUT_MS = 30_000;

/** The time that a poll has by default in n8n's scheduler, which abandons it after 45 s; n8n tells it from 2.38 on. */
const SHORT_POLL_MS = 36_000;

/** The state that each trigger's last poll in this process left. */
const ownStates = new Map<string, IDataObject>();

/** The poll of each trigger that began last, while it is under way, by the context that n8n made for it. */
const underWay = new Map<string, { readonly context: IPollFunctions }>();

function memoryOf(context: IPollFunctions, event: TriggerEvent): PollMemory {
	const saved = ownValue(context.getWorkflowStaticData('node'), event.option.value);
	const own = ownStates.get(triggerKey(context, event));
	return { saved: isRecord(saved) ? saved : undefined, own };
}

/** How long a poll may take, in milliseconds. */
function budgetOf(context: IPollFunctions, { own }: PollMemory): number {
	const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() : SHORT_POLL_MS;
	// Somebody waits for the first one, and for a test
	return own === undefined || context.getMode() === 'manual'
		? Math.min(budget, SHORT_POLL_MS)
		: budget;
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
	const memory = memoryOf(context, event);
	const budgetMs = budgetOf(context, memory);
	const timeIsOver = AbortSignal.timeout(budgetMs);
	const client = await nodeApiClient(context, CALL_TIMEOUT_MS, undefined, timeIsOver);
	const valueOf = (name: string): unknown => context.getNodeParameter(name, '');
	return await event.fetchSnapshot(client, valueOf, memory).catch((error: unknown): never => {
		if (!(error instanceof CancelledError)) throw error;
		const { host } = new URL(client.credential.hosts.baseUrl);
		throw new NetworkError(failureOf('timeout'), host, budgetMs);
	});
}

/**
 * The records that have not been emitted yet. The workflow's static data tell which were.
 *
 * @param isLast whether no later poll has begun meanwhile
 */
async function newRecords(
	context: IPollFunctions,
	event: TriggerEvent,
	isLast: () => boolean,
): Promise<readonly IDataObject[]> {
	const { saved, own } = memoryOf(context, event);
	const hasWorked = saved !== undefined || own !== undefined;
	const key = triggerKey(context, event);
	const snapshot = await snapshotOf(context, event).catch((error: unknown): undefined => {
		// Permanent failures have to be visible. Outages must not fill the list of executions: the next poll
		// catches up
		if (!hasWorked || !passesByItself(error)) throw error;
		if (!shownAt.has(key)) shownAt.set(key, performance.now());
		if (isToShow(key)) throw error.addNote(LONG_SILENCE);
		const { message, description } = error.describe();
		context.logger.warn(`${message}. ${description}`);
	});
	if (snapshot === undefined || !isLast()) return [];
	shownAt.set(key, performance.now());
	// Read again: another poll may have emitted something in the meantime
	const { records, state, warnings = [], failure } = snapshot.poll(memoryOf(context, event));
	for (const text of warnings) {
		if (isToShow(`${key} ${text}`)) context.logger.warn(`Kuaidaili Trigger: ${text}`);
	}
	ownStates.set(key, state);
	context.getWorkflowStaticData('node')[event.option.value] = state;
	// Not at first: the workflow could not be published because of one order
	const isHeard = hasWorked && records.length === 0;
	if (failure !== undefined && isHeard && isToShow(`${key} ${failure.message}`)) throw failure;
	return records;
}

/**
 * Polls unless a poll of the same activation is still under way. Where another one begins meanwhile, because the workflow
 * was published again or n8n's scheduler takes over, that one tells what is new: each event once.
 */
async function pollByItself(
	context: IPollFunctions,
	event: TriggerEvent,
): Promise<readonly IDataObject[]> {
	const key = triggerKey(context, event);
	if (underWay.get(key)?.context === context) return [];
	const poll = { context };
	const isLast = () => underWay.get(key) === poll;
	underWay.set(key, poll);
	try {
		return await newRecords(context, event, isLast);
	} finally {
		if (isLast()) underWay.delete(key);
	}
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
				: await pollByItself(context, event);
		const items = records.map((record) => ({ json: { event: event.option.value, ...record } }));
		return items.length === 0 ? null : [items];
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}
