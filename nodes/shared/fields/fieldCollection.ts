import type { INodeProperties } from 'n8n-workflow';

import { isRecord, type UnknownRecord } from '../guards';
import { alphabetically } from '../wording';
import { displayOptionsOf, type Conditions } from './conditions';
import { toMembers, type Field } from './field';
import { InvalidFieldError } from './invalidFieldError';

/** Optional fields under one heading in the editor, which the user adds one by one. */
export interface FieldCollection {
	/** The name in n8n, for expressions. */
	readonly name: string;
	readonly displayName: string;
	/** On the button that adds one. */
	readonly placeholder: string;
	readonly fields: readonly Field[];
	/** The values of other fields that make it visible. */
	readonly when?: Conditions;
}

/** The collection in the editor, its fields in the order of their labels. */
export function toCollection(collection: FieldCollection): INodeProperties {
	const { name, displayName, placeholder, fields, when } = collection;
	const displayOptions = displayOptionsOf(when);
	return {
		displayName,
		name,
		type: 'collection',
		placeholder,
		default: {},
		...(displayOptions === undefined ? {} : { displayOptions }),
		options: toMembers(fields).sort((a, b) => alphabetically(a.displayName, b.displayName)),
	};
}

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
