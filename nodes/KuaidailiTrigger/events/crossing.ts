import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import { ownValue, type UnknownRecord } from '../../shared/guards';
import type { PollResult } from './event';

/**
 * n8n saves the state only when something is emitted. After a restart, it is unknown whether the value
 * has been back above the line, so the state of an earlier process proves nothing.
 */
const PROCESS_ID = randomUUID();

/** A value that is watched, and the line below which it is emitted. */
export interface Watched {
	/** Identifies what is watched; each subject has its own state. */
	readonly subject: readonly string[];
	readonly value: number;
	readonly line: number;
}

/** The stored state before and after the call to the service. */
export interface States {
	/** From before the call to the service. */
	readonly before: UnknownRecord | undefined;
	/** Current; another poll may have finished meanwhile. */
	readonly stored: UnknownRecord | undefined;
}

/** Emits when the value falls below the line, again after it was above, and again after a restart of n8n. */
export function emitCrossing(
	{ subject, value, line }: Watched,
	{ before, stored }: States,
	record: IDataObject,
): PollResult {
	const fingerprint = fingerprintOf(...subject);
	const saysBelow = (state: UnknownRecord | undefined): boolean =>
		state !== undefined &&
		ownValue(state, 'process') === PROCESS_ID &&
		ownValue(state, 'subject') === fingerprint &&
		ownValue(state, 'line') === line &&
		ownValue(state, 'isBelow') === true;
	const wasBelow = saysBelow(stored);
	// Another poll has emitted it meanwhile, and the value of this one may be older
	const isEmittedMeanwhile = wasBelow && !saysBelow(before);
	const isBelow = value < line;
	return {
		records: isBelow && !wasBelow ? [record] : [],
		state: {
			process: PROCESS_ID,
			subject: fingerprint,
			line,
			isBelow: isBelow || isEmittedMeanwhile,
		},
	};
}
