import type { INodeProperties } from 'n8n-workflow';

import { FieldReader, toMembers, type Field } from '../../../../shared/fields/field';
import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import { choice, flag, text } from '../../../../shared/fields/valueKinds';
import { isList, isOneOf, isRecord, ownValue } from '../../../../shared/guards';
import type { PageField } from '../../../pages/content/fields';
import { compileSelector } from '../../../pages/content/selectors';

/** n8n takes an item with the first for a failure of the node. */
const RESERVED = ['error', 'pageDetails', '__proto__'];

/** The name of a field of the output. */
export const outputName = text(
	"the name of a field without periods, but not 'error' or 'pageDetails'",
	(name) => !RESERVED.includes(name) && !name.includes('.'),
);

/** What is wrong with a selector; undefined for one that can be used. */
function flawOf(selector: string): string | undefined {
	if (selector.startsWith('/')) return 'This looks like XPath';
	try {
		compileSelector(selector);
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

const TAKES = ['text', 'attribute', 'html'] as const;

/** Of one picked column, with what they have in the editor at first. */
const COLUMN_FIELDS: readonly Field[] = [
	{
		name: 'name',
		displayName: 'Name',
		description: 'The field of the output',
		placeholder: 'e.g. price',
		kind: outputName,
		required: true,
	},
	{
		name: 'selector',
		displayName: 'Selector',
		description: 'What to pick, as a CSS selector',
		placeholder: 'e.g. .product > .price',
		kind: {
			...text('a CSS selector, such as h1 or .product > .price', (selector) => !flawOf(selector)),
			advice: (selector) => `What is wrong: ${flawOf(selector) ?? ''}.`,
		},
		required: true,
	},
	{
		name: 'take',
		displayName: 'Take',
		description: 'What to take of it',
		kind: choice([
			{ name: 'Text', value: 'text' },
			{ name: 'Attribute', value: 'attribute' },
			{ name: 'HTML', value: 'html' },
		]),
		required: true,
		decides: true,
	},
	{
		name: 'attribute',
		displayName: 'Attribute',
		description: 'The name of the attribute. Addresses in href and src come out in full.',
		placeholder: 'e.g. href',
		kind: text(
			'the name of an attribute, such as href or data-id',
			(name) => !/[\s="'<>]/.test(name),
		),
		when: { take: ['attribute'] },
		required: true,
	},
	{
		name: 'all',
		displayName: 'All Matches',
		description: 'Whether to take a list of all matches, rather than the first one',
		kind: { ...flag, property: { type: 'boolean', default: false } },
	},
];

const LABEL = 'Fields';

/** Read by itself: what it has in it is a list. */
export const pickedFieldsProperty: INodeProperties = {
	displayName: LABEL,
	name: 'fields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add field',
	default: {},
	description: 'What to pick from each page. What a page lacks is empty.',
	options: [{ displayName: 'Field', name: 'values', values: toMembers(COLUMN_FIELDS) }],
	displayOptions: { show: { responseFormat: ['fields'] } },
};

/** What a column has that was added to the list, and not filled in. */
const UNTOUCHED = Object.fromEntries(
	COLUMN_FIELDS.map(({ name, kind }) => [name, kind.property.default]),
);

function readColumn(entry: unknown): PageField {
	const column = isRecord(entry) ? { ...UNTOUCHED, ...entry } : entry;
	const reader = new FieldReader().readCollection(
		{ displayName: LABEL, fields: COLUMN_FIELDS },
		column,
	);
	const take = reader.text('take');
	return {
		name: reader.text('name') ?? '',
		selector: reader.text('selector') ?? '',
		take: isOneOf(take, TAKES) ? take : 'text',
		attribute: reader.text('attribute') ?? '',
		all: reader.text('all') !== undefined,
	};
}

/** At least one, each name once. Throws InvalidFieldError. */
export function readPickedFields(entered: unknown): readonly PageField[] {
	const entries = ownValue(entered, 'values') ?? [];
	if (!isList(entries) || (entered !== '' && !isRecord(entered))) {
		throw new InvalidFieldError(LABEL, entered, 'Allowed: a list of names and selectors.');
	}
	if (entries.length === 0) {
		throw new InvalidFieldError(
			LABEL,
			'',
			'Add what to pick from each page: a name, and a CSS selector.',
		);
	}
	const fields = entries.map(readColumn);
	const names = fields.map(({ name }) => name);
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice === undefined) return fields;
	throw new InvalidFieldError(
		'Name',
		twice,
		`Two of the 'Fields' have this name. Change one of them.`,
	);
}
