import type { INodeProperties } from 'n8n-workflow';
import { at, isRecord, readString } from '../../../harness/outsideData.mts';
import {
	choicesOf,
	shownFields,
	type ShownField,
	type Values,
} from '../../operations/described.mts';
import type { SeenField } from '../editor/nodePanel.mts';

type Properties = readonly INodeProperties[];

/** The fields that the editor has to show for these values, as it has to show them. */
export function expectedFields(properties: Properties, given: Values): SeenField[] {
	return shownFields(properties, given).map(asSeen);
}

function asSeen({ property, value }: ShownField): SeenField {
	const { displayName: label, type, typeOptions = {}, hint } = property;
	switch (type) {
		case 'notice':
		case 'collection':
		case 'fixedCollection':
			return { label };
		case 'options':
			// What has to be chosen first is empty, and no choice
			return {
				label,
				value: choicesOf(property).includes(value) ? nameOf(property, value) : String(value),
			};
		case 'boolean':
			return { label, value: value === true ? 'on' : 'off' };
		case 'number':
			return {
				label,
				value: String(value),
				min: typeOptions.minValue,
				max: typeOptions.maxValue,
				hint,
			};
		default:
			// Its value is in no input
			if (typeOptions.rows !== undefined) return { label };
			// An empty list shows nothing but its placeholder
			return { label, value: isRecord(value) ? '' : String(value) };
	}
}

/** What the editor calls a choice. */
export function nameOf({ options = [] }: INodeProperties, value: unknown): string {
	return readString(
		options.find((option) => at(option, 'value') === value),
		'name',
	);
}

/** What can be added to a collection. */
export function expectedOffers({ options = [] }: INodeProperties, given: Values): string[] {
	const isThere = (option: unknown) =>
		Object.entries(Object(at(option, 'displayOptions', 'show') ?? {})).every(
			([path, allowed]) => Array.isArray(allowed) && allowed.includes(given[path.replace('/', '')]),
		);
	return options.filter(isThere).map((option) => readString(option, 'displayName'));
}

/** The values in words, for messages. */
export function inWords(given: Values): string {
	return Object.entries(given)
		.map(([name, value]) => `${name} ${String(value)}`)
		.join(', ');
}
