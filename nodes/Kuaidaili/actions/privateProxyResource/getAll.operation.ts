import type { IDataObject } from 'n8n-workflow';

import { readField, serviceField, toProperty, type Field } from '../../../shared/fields/field';
import { resourceLocator } from '../../../shared/fields/resourceLocator';
import { choice, flag, regionCodes } from '../../../shared/fields/valueKinds';
import { ownValue } from '../../../shared/guards';
import { carrierName, CARRIERS } from '../../../shared/service/carriers';
import {
	fetchPrivateProxyResources,
	type PrivateProxyResource,
} from '../../availability/privateProxyResources';
import { optionsCollection, readCallOptions } from '../../parameters/callOptions';
import { listLengthProperties, readListLength } from '../../parameters/listLength';
import { accessOrderOfItem, orderProperty } from '../../parameters/orderAccess';
import { toRecord } from '../../../shared/toRecord';
import type { Operation } from '../operation';

const SERVICE_FIELDS = [
	serviceField({
		serviceName: 'area',
		displayName: 'Area',
		description:
			'Only these provinces and cities; empty for all. Several codes are separated by commas.',
		kind: resourceLocator(regionCodes, {
			method: 'searchPrivateProxyAreas',
			listPlaceholder: 'All areas',
			typedLabel: 'By Code',
			typedPlaceholder: 'e.g. 11,31,4403',
		}),
	}),
	serviceField({
		serviceName: 'carrier',
		displayName: 'Carrier',
		description: 'Only resources in the network of this carrier',
		kind: choice([{ name: 'Any', value: 0 }, ...CARRIERS], { neutral: '0' }),
	}),
];

const onlyAvailableField: Field = {
	name: 'onlyAvailable',
	displayName: 'Only Available',
	description: 'Whether to leave out what the order cannot use at the moment',
	kind: { ...flag, property: { type: 'boolean', default: false } },
};

const NONE =
	"The order has no such resource. Try another area or carrier, or turn off 'Only Available'.";

/** The service names carriers in Chinese only. */
function withEnglishName(resource: PrivateProxyResource): IDataObject {
	const carrier = carrierName(ownValue(resource, 'carrier_code'));
	const record = toRecord(resource);
	return carrier === undefined ? record : { ...record, carrier };
}

export const getAllOperation: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many resources of a private proxy order',
		description: 'List the areas and carriers that a private-proxy order can use',
	},
	properties: [
		orderProperty,
		...SERVICE_FIELDS.map(toProperty),
		toProperty(onlyAvailableField),
		...listLengthProperties,
		optionsCollection([]),
	],
	async execute(context, itemIndex) {
		const valueOf = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
		const options = readCallOptions(valueOf('options'));
		const parameters: Record<string, string> = {};
		for (const field of SERVICE_FIELDS) {
			const text = readField(field, valueOf(field.name), { check: options.check });
			if (text !== undefined && text !== field.kind.neutral) parameters[field.serviceName] = text;
		}
		const onlyAvailable =
			readField(onlyAvailableField, valueOf(onlyAvailableField.name)) !== undefined;
		const length = readListLength(context, itemIndex);
		const { caller } = await accessOrderOfItem(context, itemIndex, options);
		const all = await fetchPrivateProxyResources(caller, parameters);
		const wanted = onlyAvailable ? all.filter(({ available }) => available) : all;
		return {
			records: wanted.slice(0, length).map(withEnglishName),
			hint: wanted.length === 0 ? NONE : undefined,
		};
	},
};
