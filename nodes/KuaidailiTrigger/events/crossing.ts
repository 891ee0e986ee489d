import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';

import { ownValue, type UnknownRecord } from '../../shared/guards';
import type { News } from './event';

/** A value that is watched, and the line below which it is told. */
export interface Watched {
	/** What is watched: another one has a memory of its own. */
	readonly subject: readonly string[];
	readonly value: number;
	readonly line: number;
}

/** Told when the value falls below the line, and again after it was above. */
export function tellCrossing(
	{ subject, value, line }: Watched,
	stored: UnknownRecord | undefined,
	record: IDataObject,
): News {
	const fingerprint = createHash('sha256')
		.update(JSON.stringify(subject))
		.digest('hex')
		.slice(0, 16);
	const isBelow = value < line;
	const isSame =
		stored !== undefined &&
		ownValue(stored, 'subject') === fingerprint &&
		ownValue(stored, 'line') === line;
	const wasBelow = isSame && ownValue(stored, 'isBelow') === true;
	return {
		records: isBelow && !wasBelow ? [record] : [],
		memory: { subject: fingerprint, line, isBelow },
	};
}
