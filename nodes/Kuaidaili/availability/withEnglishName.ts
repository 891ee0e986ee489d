import type { IDataObject } from 'n8n-workflow';

/** The service names areas in Chinese only; the English name stands in a field of its own. */
export function withEnglishName(
	record: IDataObject,
	field: 'country' | 'province' | 'city',
	english: string | undefined,
): IDataObject {
	return english === undefined ? record : { ...record, [field]: english };
}
