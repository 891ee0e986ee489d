import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isRecord, ownValue, type UnknownRecord } from '../shared/guards';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/service/chinaTime';
import { asTestEvent } from '../shared/testEvent';
import { describeFailure, toNodeError } from '../shared/transport/describeFailure';
import { durationInWords, sentences } from '../shared/wording';
import { nodeCaller } from '../shared/transport/caller';
import { passesByItself } from '../shared/transport/retryPolicy';
import { findEvent } from './events';
import type { Snapshot, TriggerEvent } from './events/event';

const TIMEOUT_MS = 30_000;

function stateOf(context: IPollFunctions, { option }: TriggerEvent): UnknownRecord | undefined {
	const state = ownValue(context.getWorkflowStaticData('node'), option.value);
	return isRecord(state) ? state : undefined;
}

/** How long polls without an answer go unseen, and how often they show from then on; polls may come a bit early. */
const QUIET_MS = 3 * HOUR_MS - MINUTE_MS;
const SHOWN_EVERY_MS = DAY_MS - MINUTE_MS;

/** In milliseconds of the process. */
interface Silence {
	/** The last answer, or the first failure of the process. */
	readonly since: number;
	/** When a poll failed because of it. */
	readonly shownAt?: number;
}

/** Of each trigger. Not in its state, which n8n saves neither when a poll fails nor when it finds nothing. */
const silences = new Map<string, Silence>();

function triggerKey(context: IPollFunctions, { option }: TriggerEvent): string {
	return JSON.stringify([context.getWorkflow().id, context.getNode().id, option.value]);
}

/** @returns how long there has been no answer, where it is time to show it */
function silenceToShow(key: string): number | undefined {
	const now = performance.now();
	const { since, shownAt } = silences.get(key) ?? { since: now };
	const isDue = shownAt === undefined ? now - since >= QUIET_MS : now - shownAt >= SHOWN_EVERY_MS;
	silences.set(key, { since, shownAt: isDue ? now : shownAt });
	return isDue ? now - since : undefined;
}

function silenceInWords(ms: number): string {
	return `This trigger has had no answer for ${durationInWords(ms)}. What happens meanwhile is reported when Kuaidaili answers again; until then, one poll a day fails.`;
}

/** By trigger and text, when it was logged. In milliseconds of the process. */
const warnedAt = new Map<string, number>();

function warn({ logger }: IPollFunctions, key: string, text: string): void {
	const now = performance.now();
	const warning = `${key} ${text}`;
	if (now - (warnedAt.get(warning) ?? -Infinity) < SHOWN_EVERY_MS) return;
	warnedAt.set(warning, now);
	logger.warn(`Kuaidaili Trigger: ${text}`);
}

function toItems({ option }: TriggerEvent, records: readonly IDataObject[]) {
	return [
		records.map((record): INodeExecutionData => ({ json: { event: option.value, ...record } })),
	];
}

async function snapshotOf(context: IPollFunctions, event: TriggerEvent): Promise<Snapshot> {
	const caller = await nodeCaller(context, TIMEOUT_MS);
	const valueOf = (name: string): unknown => context.getNodeParameter(name, '');
	return await event.fetchSnapshot(caller, valueOf, stateOf(context, event));
}

async function emitNew(context: IPollFunctions, event: TriggerEvent) {
	const hasWorked = stateOf(context, event) !== undefined;
	const key = triggerKey(context, event);
	const snapshot = await snapshotOf(context, event).catch((error: unknown) => {
		// Permanent failures have to be visible. Outages must not fill the list of executions: the next poll
		// catches up
		if (!hasWorked || !passesByItself(error)) throw error;
		const silenceMs = silenceToShow(key);
		if (silenceMs !== undefined) {
			error.note = sentences(error.note, silenceInWords(silenceMs));
			throw error;
		}
		const { message, description } = describeFailure(error, { hasTimeoutField: false });
		context.logger.warn(`${message}. ${description}`);
		return undefined;
	});
	if (snapshot === undefined) return null;
	silences.set(key, { since: performance.now() });
	// Read again: another poll may have emitted something in the meantime
	const { records, state, warnings = [] } = snapshot.poll(stateOf(context, event));
	for (const text of warnings) warn(context, key, text);
	context.getWorkflowStaticData('node')[event.option.value] = state;
	return records.length === 0 ? null : toItems(event, records);
}

/** Null when there is nothing new. What was emitted before lies in the workflow's static data. */
export async function pollEvent(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	try {
		const event = findEvent(context.getNodeParameter('event', ''));
		if (context.getMode() !== 'manual') return await emitNew(context, event);
		const sample = (await snapshotOf(context, event)).sample();
		return toItems(event, sample.map(asTestEvent));
	} catch (error) {
		throw toNodeError(context.getNode(), error);
	}
}
