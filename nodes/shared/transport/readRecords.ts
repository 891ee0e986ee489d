import { isList, isRecord, type UnknownRecord } from '../guards';
import { UnusableAnswerError } from './callErrors';
import { excerpt, type Secrets } from './cleanText';
import type { SuccessfulEnvelope } from './httpReply';

/**
 * The records in an answer whose `data` is a list of them.
 *
 * @param isWanted whether a record has the fields that it must have
 * @throws UnusableAnswerError when `data` is anything else; an empty list is fine
 */
export function readRecords<T extends UnknownRecord>(
	{ data }: Pick<SuccessfulEnvelope, 'data'>,
	isWanted: (record: UnknownRecord) => record is T,
	secrets: Secrets,
): T[] {
	const shown = (value: unknown) => excerpt(JSON.stringify(value) ?? '', secrets);
	if (!isList(data)) throw new UnusableAnswerError('holds no list', shown(data));
	return data.map((entry) => {
		if (isRecord(entry) && isWanted(entry)) return entry;
		throw new UnusableAnswerError('holds an entry that lacks what it must have', shown(entry));
	});
}

/** Codes are texts on one endpoint and numbers on another. */
export function isCode(value: unknown): value is string | number {
	return (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);
}
