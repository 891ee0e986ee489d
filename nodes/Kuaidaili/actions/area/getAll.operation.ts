import type { IDataObject } from 'n8n-workflow';

import { serviceField, type Field, type ServiceField } from '../../../shared/fields/field';
import { resourceLocator, choice, list } from '../../../shared/fields/kinds';
import {
	overseasDynamicAreas,
	overseasDynamicCountries,
	tunnelProCities,
	tunnelProProvinces,
} from '../../../shared/orders/places';
import { QUERY_SFPS_AREA } from '../../../shared/service/endpoints/lookup';
import { PRODUCT_LABELS } from '../../../shared/service/products';
import { parseRecords, type Query, type RunQuery } from '../../../shared/api/call';
import type { FlatParameters } from '../../../shared/service/wireTypes';
import { countryName, englishRegionName } from '../../../shared/service/regionNames';
import { isCode, ownValue, withEnglishName, type UnknownRecord } from '../../../shared/guards';
import { oneCountry } from '../../parameters/overseasFields';
import { callOperation, fetching } from '../../run/operation';

type Area = UnknownRecord & { readonly code: string | number };

function isArea(record: UnknownRecord): record is Area {
	return isCode(ownValue(record, 'code'));
}

/** Countries with overseas static residential proxies. Takes `serie`. */
const overseasAreas: Query<Area[]> = {
	endpoint: QUERY_SFPS_AREA,
	parse: (answer, secrets) => parseRecords(answer, isArea, secrets),
};

/**
 * Makes a function that fetches areas, as they are put out. They come with a code and a Chinese name; the English one goes
 * into the field.
 */
function namedAreas(
	query: Query<Area[]>,
	field: 'country' | 'province' | 'city',
	englishName: (code: string) => string | undefined,
) {
	return async (ask: RunQuery, parameters: FlatParameters): Promise<IDataObject[]> =>
		(await ask(query, parameters)).map((area) =>
			withEnglishName(area, field, englishName(String(area.code))),
		);
}

/** The lists of areas, in the order of their names. */
const AREA_LISTS: Readonly<
	Record<string, { name: string; fetch: ReturnType<typeof namedAreas>; hintForNone: string }>
> = {
	overseasDynamicAreas: {
		name: `${PRODUCT_LABELS.FPS}: Areas of a Country`,
		async fetch(ask, parameters) {
			const names = await ask(overseasDynamicAreas, parameters);
			return names.map((name) => ({ name }));
		},
		hintForNone: "Kuaidaili lists no areas for this country. Check the code in 'Country'.",
	},
	overseasDynamicCountries: {
		name: `${PRODUCT_LABELS.FPS}: Countries`,
		fetch: namedAreas(overseasDynamicCountries, 'country', countryName),
		hintForNone: 'No country has these proxies right now.',
	},
	overseasStatic: {
		name: `${PRODUCT_LABELS.SFPS}: Countries`,
		fetch: namedAreas(overseasAreas, 'country', countryName),
		hintForNone: 'No country has these proxies right now. Try the other series.',
	},
	tunnelProCities: {
		name: `${PRODUCT_LABELS.TPS_PRO}: Cities of a Province`,
		fetch: namedAreas(tunnelProCities, 'city', englishRegionName),
		hintForNone: "Kuaidaili lists no cities for this province. Check the code in 'Province'.",
	},
	tunnelProProvinces: {
		name: `${PRODUCT_LABELS.TPS_PRO}: Provinces`,
		fetch: namedAreas(tunnelProProvinces, 'province', englishRegionName),
		hintForNone: 'No province has these proxies right now.',
	},
};

/** Shows a field for one of the lists only. */
function forList(value: string) {
	return { when: { areasOf: [value] }, required: true };
}

const areasOfField: Field = {
	name: 'areasOf',
	displayName: 'Areas Of',
	description: 'The product, and which of its areas to list',
	required: true,
	kind: choice(
		Object.entries(AREA_LISTS).map(([value, { name }]) => ({ value, name })),
		{ preset: 'overseasStatic' },
	),
};

const serieField: ServiceField = serviceField({
	serviceName: 'serie',
	displayName: 'Series',
	description: 'Whether to list the countries for single IPs (Retail) or for packages of IPs',
	kind: choice(
		[
			{ name: 'Package', value: 2, description: 'A fixed number of IPs' },
			{ name: 'Retail', value: 1, description: 'Single IPs' },
		],
		{ preset: 1 },
	),
	...forList('overseasStatic'),
});

const listedCountryField: ServiceField = serviceField({
	serviceName: 'region',
	displayName: 'Country',
	description: 'The country whose areas to list',
	kind: oneCountry('Choose a country'),
	...forList('overseasDynamicAreas'),
});

const provField: ServiceField = serviceField({
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
	...forList('tunnelProCities'),
});

export const areaGetAll = callOperation({
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many areas',
		description:
			'List the countries and areas of overseas proxies, or the provinces and cities of Tunnel Pro',
	},
	fields: [areasOfField, serieField, listedCountryField, provField],
	listOf: 'areas',
	work: fetching(QUERY_SFPS_AREA, async (ask, parameters, { textOf }) => {
		const list = AREA_LISTS[textOf(areasOfField.name) ?? ''];
		return { list, records: await list.fetch(ask, parameters) };
	}),
	toResult: ({ list, records }) => ({
		records,
		hint: records.length === 0 ? list.hintForNone : undefined,
	}),
});
