import type { IDataObject } from 'n8n-workflow';

import { isDataObject, type UnknownRecord } from './guards';

/**
 * A record of the service as output. Its fields keep the service's names, except for `error`: n8n treats
 * an item with that field as failed and would run the node again.
 */
export function toRecord(data: UnknownRecord): IDataObject {
	const entries = Object.entries(data).map(([name, value]) => [
		name === 'error' ? 'service_error' : name,
		value,
	]);
	const record: unknown = Object.fromEntries(entries);
	return isDataObject(record) ? record : {};
}

/** The service names places and carriers in Chinese only; the English name gets a field of its own. */
export function withEnglishName(
	record: IDataObject,
	field: 'carrier' | 'country' | 'province' | 'city',
	english: string | undefined,
): IDataObject {
	return english === undefined ? record : { ...record, [field]: english };
}
