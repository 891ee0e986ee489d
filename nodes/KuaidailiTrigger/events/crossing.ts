import type { IDataObject } from 'n8n-workflow';

import { ownValue, type UnknownRecord } from '../../shared/guards';
import { fingerprintOf } from '../fingerprint';
import type { PollResult } from './event';

/** A value that is watched, and the line below which it is emitted. */
export interface Watched {
	/** What is watched: another one has a state of its own. */
	readonly subject: readonly string[];
	readonly value: number;
	readonly line: number;
}

/** What is remembered, before a look and after it. */
export interface States {
	/** When the service was about to be asked. */
	readonly before: UnknownRecord | undefined;
	/** Now; another look may have ended meanwhile. */
	readonly stored: UnknownRecord | undefined;
}

/** Told when the value falls below the line, and again after it was above. */
export function emitCrossing(
	{ subject, value, line }: Watched,
	{ before, stored }: States,
	record: IDataObject,
): PollResult {
	const fingerprint = fingerprintOf(subject);
	const saysBelow = (state: UnknownRecord | undefined): boolean =>
		state !== undefined &&
		ownValue(state, 'subject') === fingerprint &&
		ownValue(state, 'line') === line &&
		ownValue(state, 'isBelow') === true;
	const wasBelow = saysBelow(stored);
	// Another look has emitted it meanwhile, and the value of this one may be older
	const isEmittedMeanwhile = wasBelow && !saysBelow(before);
	const isBelow = value < line;
	return {
		records: isBelow && !wasBelow ? [record] : [],
		state: { subject: fingerprint, line, isBelow: isBelow || isEmittedMeanwhile },
	};
}
