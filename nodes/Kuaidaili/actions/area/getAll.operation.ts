import type { IDataObject } from 'n8n-workflow';

import { readRequiredField, serviceField, toProperty } from '../../../shared/fields/field';
import { choice } from '../../../shared/fields/valueKinds';
import { executionCaller } from '../../../shared/transport/nodeCaller';
import {
	fetchOverseasAreas,
	countryName,
	type OverseasArea,
} from '../../availability/overseasAreas';
import { optionsCollection, readCallOptions } from '../../parameters/callOptions';
import { listLengthProperties, readListLength } from '../../parameters/listLength';
import { toRecord } from '../../../shared/toRecord';
import type { Operation } from '../operation';

const serieField = serviceField({
	serviceName: 'serie',
	displayName: 'Series',
	description: 'How the overseas static residential proxies are sold',
	kind: choice(
		[
			{ name: 'Package', value: 2, description: 'A fixed number of IPs together' },
			{ name: 'Retail', value: 1, description: 'Single IPs' },
		],
		{ preset: 1 },
	),
});

const NONE = 'No country has such proxies at the moment. Try the other series.';

/** The service names countries in Chinese only. */
function withEnglishName(area: OverseasArea): IDataObject {
	const country = countryName(String(area.code));
	const record = toRecord(area);
	return country === undefined ? record : { ...record, country };
}

export const getAllOperation: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many areas that have overseas static proxies',
		description: 'List the countries in which overseas static residential proxies can be had',
	},
	properties: [toProperty(serieField), ...listLengthProperties, optionsCollection([])],
	async execute(context, itemIndex) {
		const valueOf = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
		const { timeoutMs, check } = readCallOptions(valueOf('options'));
		const serie = readRequiredField(serieField, valueOf(serieField.name), { check });
		const length = readListLength(context, itemIndex);
		const caller = await executionCaller(context, itemIndex, timeoutMs);
		const areas = await fetchOverseasAreas(caller, { [serieField.serviceName]: serie });
		return {
			records: areas.slice(0, length).map(withEnglishName),
			hint: areas.length === 0 ? NONE : undefined,
		};
	},
};
