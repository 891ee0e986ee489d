import { isRecord, type UnknownRecord } from '../guards';
import { InvalidFieldError } from './invalidFieldError';

/**
 * A collection of fields as n8n passes it; an expression may have replaced it with anything.
 *
 * @throws InvalidFieldError
 */
export function readCollection(value: unknown, label: string): UnknownRecord {
	if (value === undefined || value === null || value === '') return {};
	if (isRecord(value)) return value;
	throw new InvalidFieldError(label, value, 'Allowed: an object with the fields of this section.');
}
