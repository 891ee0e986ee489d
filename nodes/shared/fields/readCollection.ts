import { isRecord, type UnknownRecord } from '../guards';
import { FieldRefusedError } from './fieldRefusedError';

/**
 * A collection of fields as n8n hands it over; an expression may have put anything in its place.
 *
 * @throws FieldRefusedError
 */
export function readCollection(value: unknown, label: string): UnknownRecord {
	if (value === undefined || value === null || value === '') return {};
	if (isRecord(value)) return value;
	throw new FieldRefusedError(label, value, 'Allowed: an object with the fields of this section.');
}
