import type { IDataObject } from 'n8n-workflow';

import { PRODUCT_LABELS } from '../../../shared/service/products';
import { englishRegionName } from '../../../shared/service/regionNames';
import type { RunQuery } from '../../../shared/service/query';
import { toRecord } from '../../../shared/toRecord';
import { withEnglishName } from '../../availability/withEnglishName';
import {
	overseasDynamicAreas,
	overseasDynamicCountries,
	tunnelProCities,
	tunnelProProvinces,
} from '../../availability/areaTables';
import { countryName, overseasAreas } from '../../availability/overseasAreas';

/** A list of areas that the service has. */
export interface AreaList {
	readonly value: string;
	readonly name: string;
	readonly fetch: (
		run: RunQuery,
		parameters: Readonly<Record<string, string>>,
	) => Promise<IDataObject[]>;
	/** A whole sentence for an empty list. */
	readonly hintForNone: string;
}

export const OVERSEAS_STATIC: AreaList = {
	value: 'overseasStatic',
	name: `${PRODUCT_LABELS.SFPS}: Countries`,
	async fetch(run, parameters) {
		const areas = await run(overseasAreas, parameters);
		return areas.map((area) =>
			withEnglishName(toRecord(area), 'country', countryName(String(area.code))),
		);
	},
	hintForNone: 'No country has these proxies right now. Try the other series.',
};

const OVERSEAS_DYNAMIC_COUNTRIES: AreaList = {
	value: 'overseasDynamicCountries',
	name: `${PRODUCT_LABELS.FPS}: Countries`,
	async fetch(run) {
		const countries = await run(overseasDynamicCountries);
		return countries.map((country) =>
			withEnglishName({ ...country }, 'country', countryName(country.code)),
		);
	},
	hintForNone: 'No country has these proxies right now.',
};

export const OVERSEAS_DYNAMIC_AREAS: AreaList = {
	value: 'overseasDynamicAreas',
	name: `${PRODUCT_LABELS.FPS}: Areas of a Country`,
	async fetch(run, parameters) {
		const names = await run(overseasDynamicAreas, parameters);
		return names.map((name) => ({ name }));
	},
	hintForNone: "Kuaidaili lists no areas for this country. Check the code in 'Country'.",
};

const TUNNEL_PRO_PROVINCES: AreaList = {
	value: 'tunnelProProvinces',
	name: `${PRODUCT_LABELS.TPS_PRO}: Provinces`,
	async fetch(run) {
		const provinces = await run(tunnelProProvinces);
		return provinces.map((province) =>
			withEnglishName({ ...province }, 'province', englishRegionName(province.code)),
		);
	},
	hintForNone: 'No province has these proxies right now.',
};

export const TUNNEL_PRO_CITIES: AreaList = {
	value: 'tunnelProCities',
	name: `${PRODUCT_LABELS.TPS_PRO}: Cities of a Province`,
	async fetch(run, parameters) {
		const cities = await run(tunnelProCities, parameters);
		return cities.map((city) => withEnglishName({ ...city }, 'city', englishRegionName(city.code)));
	},
	hintForNone: "Kuaidaili lists no cities for this province. Check the code in 'Province'.",
};

/** In the order of their names. */
export const AREA_LISTS: readonly AreaList[] = [
	OVERSEAS_DYNAMIC_AREAS,
	OVERSEAS_DYNAMIC_COUNTRIES,
	OVERSEAS_STATIC,
	TUNNEL_PRO_CITIES,
	TUNNEL_PRO_PROVINCES,
];
