import { isList, isRecord, type UnknownRecord } from '../guards';
import type { ServiceAnswer } from '../service/query';
import { InvalidResponseError } from '../errors/callErrors';
import { excerptOfData, type Secrets } from '../errors/cleanText';

/**
 * The records in an answer whose `data` is a list of them.
 *
 * @param isWanted whether a record has the fields that it must have
 * @throws InvalidResponseError when `data` is anything else; an empty list is fine
 */
export function parseRecords<T extends UnknownRecord>(
	{ data }: Pick<ServiceAnswer, 'data'>,
	isWanted: (record: UnknownRecord) => record is T,
	secrets: Secrets,
): T[] {
	if (!isList(data))
		throw new InvalidResponseError('contains no list', excerptOfData(data, secrets));
	return data.map((entry) => {
		if (isRecord(entry) && isWanted(entry)) return entry;
		throw new InvalidResponseError(
			'contains an entry with missing fields',
			excerptOfData(entry, secrets),
		);
	});
}

/** Codes are texts on one endpoint and numbers on another. */
export function isCode(value: unknown): value is string | number {
	return (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);
}
