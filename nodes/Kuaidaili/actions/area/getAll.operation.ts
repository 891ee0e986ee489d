import type { IDataObject } from 'n8n-workflow';

import { serviceField } from '../../../shared/fields/field';
import { choice } from '../../../shared/fields/valueKinds';
import { toRecord } from '../../../shared/toRecord';
import { countryName, overseasAreas, type OverseasArea } from '../../availability/overseasAreas';
import { callOperation } from '../callOperation';

const serieField = serviceField({
	serviceName: 'serie',
	displayName: 'Series',
	description: 'How the overseas static residential proxies are sold',
	required: true,
	kind: choice(
		[
			{ name: 'Package', value: 2, description: 'A fixed number of IPs' },
			{ name: 'Retail', value: 1, description: 'Single IPs' },
		],
		{ preset: 1 },
	),
});

/** The service names countries in Chinese only. */
function withEnglishName(area: OverseasArea): IDataObject {
	const country = countryName(String(area.code));
	const record = toRecord(area);
	return country === undefined ? record : { ...record, country };
}

export const getAllOperation = callOperation({
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many areas',
		description: 'List the countries where overseas static residential proxies are available',
	},
	query: overseasAreas,
	fields: [serieField],
	isList: true,
	toResult: (areas) => ({ records: areas.map(withEnglishName) }),
	hintForNone: 'No country has these proxies right now. Try the other series.',
});
