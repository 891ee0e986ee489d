import type { INodeProperties } from 'n8n-workflow';

import { readField, readRequiredField, toProperty, type Field } from '../../shared/fields/field';
import { flag, wholeNumber } from '../../shared/fields/valueKinds';

const returnAllField: Field = {
	name: 'returnAll',
	displayName: 'Return All',
	description: 'Whether to return all results or only up to a given limit',
	kind: { ...flag, property: { type: 'boolean', default: false } },
};

const limitField: Field = {
	name: 'limit',
	displayName: 'Limit',
	description: 'Max number of results to return',
	kind: wholeNumber(1, 100_000, 50),
};

/** The two fields of every operation that returns a list. */
export const listLengthProperties: INodeProperties[] = [
	toProperty(returnAllField),
	{ ...toProperty(limitField), displayOptions: { show: { returnAll: [false] } } },
];

/**
 * How many records are wanted; Infinity for all.
 *
 * @throws InvalidFieldError
 */
export function readListLength(valueOf: (name: string) => unknown): number {
	// The node's own fields, so they are always checked
	if (readField(returnAllField, valueOf(returnAllField.name)) !== undefined) return Infinity;
	return Number(readRequiredField(limitField, valueOf(limitField.name)));
}
