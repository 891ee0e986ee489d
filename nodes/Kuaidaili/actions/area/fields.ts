import { serviceField, type Field, type ServiceField } from '../../../shared/fields/field';
import { resourceLocator } from '../../../shared/fields/resourceLocator';
import { choice, list } from '../../../shared/fields/valueKinds';
import { oneCountry } from '../../parameters/overseasFields';
import {
	AREA_LISTS,
	OVERSEAS_DYNAMIC_AREAS,
	OVERSEAS_STATIC,
	TUNNEL_PRO_CITIES,
} from './areaLists';

export const areasOfField: Field = {
	name: 'areasOf',
	displayName: 'Areas Of',
	description: 'The product, and which of its areas to list',
	required: true,
	decides: true,
	kind: choice(
		AREA_LISTS.map(({ value, name }) => ({ value, name })),
		{ preset: OVERSEAS_STATIC.value },
	),
};

const serieField: ServiceField = {
	...serviceField({
		serviceName: 'serie',
		displayName: 'Series',
		description: 'How the overseas static residential proxies are sold',
		kind: choice(
			[
				{ name: 'Package', value: 2, description: 'A fixed number of IPs' },
				{ name: 'Retail', value: 1, description: 'Single IPs' },
			],
			{ preset: 1 },
		),
	}),
	when: { [areasOfField.name]: [OVERSEAS_STATIC.value] },
	required: true,
};

const regionField: ServiceField = {
	...serviceField({
		serviceName: 'region',
		displayName: 'Country',
		description: 'The country whose areas to list',
		kind: oneCountry('Choose a country'),
	}),
	when: { [areasOfField.name]: [OVERSEAS_DYNAMIC_AREAS.value] },
	required: true,
};

const provField: ServiceField = {
	...serviceField({
		serviceName: 'prov',
		displayName: 'Province',
		description: 'The province whose cities to list, or several codes separated by commas',
		kind: resourceLocator(
			list('province codes of 2 digits, separated by commas, such as 33,44', (code) =>
				/^\d{2}$/.test(code),
			),
			{
				method: 'searchTunnelProvinces',
				listPlaceholder: 'Choose a province',
				typedLabel: 'By Code',
				typedPlaceholder: 'e.g. 33',
			},
		),
	}),
	when: { [areasOfField.name]: [TUNNEL_PRO_CITIES.value] },
	required: true,
};

export const AREA_FIELDS: readonly Field[] = [areasOfField, serieField, regionField, provField];
