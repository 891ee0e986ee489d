import type { INodeProperties } from 'n8n-workflow';

import { toMembers, toProperty, type Field } from '../../../../shared/fields/field';
import { toCollection, type FieldCollection } from '../../../../shared/fields/fieldCollection';
import { FieldReader } from '../../../../shared/fields/readFields';
import { flag } from '../../../../shared/fields/valueKinds';
import { orderProperty } from '../../../../shared/orders/orderField';
import {
	optionsCollection,
	OPTIONS_LABEL,
	type CallOptions,
} from '../../../parameters/callOptions';
import type { ExtractionSettings } from './extractProxies';
import { outputField } from './output';
import type { Extraction } from './product';
import { openProxy } from './products/openProxy';

const waitForCallersField: Field = {
	name: 'waitForCallers',
	displayName: 'Wait When Too Many Addresses Call',
	description:
		'Whether to wait, up to 65 seconds, when Kuaidaili refuses because calls for this order came from too many different IP addresses within a minute. Otherwise the node stops with an error.',
	kind: flag,
};

const FILTERS: FieldCollection = {
	name: 'filters',
	displayName: 'Filters',
	placeholder: 'Add filter',
	fields: openProxy.filters,
};

const EXTRA_FIELDS: FieldCollection = {
	name: 'extraFields',
	displayName: 'Extra Fields',
	placeholder: 'Add field',
	fields: openProxy.extras,
	when: openProxy.extrasWhen,
};

const OPTIONS = {
	displayName: OPTIONS_LABEL,
	fields: [...openProxy.options, waitForCallersField],
};

/** The fields in the editor. */
export const extractProperties: INodeProperties[] = [
	orderProperty,
	...openProxy.fields.map(toProperty),
	toProperty(outputField),
	toCollection(FILTERS),
	toCollection(EXTRA_FIELDS),
	optionsCollection(toMembers(OPTIONS.fields)),
];

/** What was entered for an item. */
export interface ExtractRequest {
	readonly extraction: Extraction;
	readonly settings: ExtractionSettings;
	readonly output: string | undefined;
}

/**
 * @param valueOf the value of a field for this item
 * @throws InvalidFieldError
 */
export function readExtractRequest(
	valueOf: (name: string) => unknown,
	{ options, check }: Pick<CallOptions, 'options' | 'check'>,
): ExtractRequest {
	const reader = new FieldReader({ check })
		.read([...openProxy.fields, outputField], valueOf)
		.readCollection(FILTERS, valueOf(FILTERS.name))
		.readCollection(EXTRA_FIELDS, valueOf(EXTRA_FIELDS.name))
		.readCollection(OPTIONS, options);
	const extras = openProxy.extras.filter(({ name }) => reader.text(name) !== undefined);
	return {
		extraction: openProxy.toExtraction(reader),
		settings: {
			extras: extras.map(({ output }) => output),
			waitForCallers: reader.text(waitForCallersField.name) !== undefined,
		},
		output: reader.text(outputField.name),
	};
}
