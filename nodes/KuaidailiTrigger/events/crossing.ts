import type { IDataObject } from 'n8n-workflow';

import { ownValue, type UnknownRecord } from '../../shared/guards';
import { fingerprintOf } from '../fingerprint';
import type { News } from './event';

/** A value that is watched, and the line below which it is told. */
export interface Watched {
	/** What is watched: another one has a memory of its own. */
	readonly subject: readonly string[];
	readonly value: number;
	readonly line: number;
}

/** What is remembered, before a look and after it. */
export interface Memories {
	/** When the service was about to be asked. */
	readonly before: UnknownRecord | undefined;
	/** Now; another look may have ended meanwhile. */
	readonly stored: UnknownRecord | undefined;
}

/** Told when the value falls below the line, and again after it was above. */
export function tellCrossing(
	{ subject, value, line }: Watched,
	{ before, stored }: Memories,
	record: IDataObject,
): News {
	const fingerprint = fingerprintOf(subject);
	const saysBelow = (memory: UnknownRecord | undefined): boolean =>
		memory !== undefined &&
		ownValue(memory, 'subject') === fingerprint &&
		ownValue(memory, 'line') === line &&
		ownValue(memory, 'isBelow') === true;
	const wasBelow = saysBelow(stored);
	// Another look has told it meanwhile, and the value of this one may be older
	const isToldMeanwhile = wasBelow && !saysBelow(before);
	const isBelow = value < line;
	return {
		records: isBelow && !wasBelow ? [record] : [],
		memory: { subject: fingerprint, line, isBelow: isBelow || isToldMeanwhile },
	};
}
