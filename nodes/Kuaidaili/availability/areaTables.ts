import { isList, isRecord, ownValue } from '../../shared/guards';
import type { Endpoint } from '../../shared/service/endpoint';
import {
	GET_AREA_CODE,
	GET_FPS_AREA_CODE,
	GET_FPS_COUNTRY_CODE,
	GET_TPS_CITY_CODE,
	GET_TPS_PROV_CODE,
} from '../../shared/service/endpoints/area';
import type { Query } from '../../shared/service/query';
import { InvalidResponseError } from '../../shared/errors/callErrors';
import { excerptOfData } from '../../shared/errors/cleanText';
import { isCode } from '../../shared/response/parseRecords';

/** A place, and the code by which it is asked for. */
export interface NamedArea {
	readonly code: string;
	/** Chinese, as the service sends it. */
	readonly name: string;
}

type Entry = readonly [key: string, value: unknown];

function byCode([code, name]: Entry): NamedArea | undefined {
	return typeof name === 'string' && name !== '' && code !== '' ? { code, name } : undefined;
}

function byName([name, code]: Entry): NamedArea | undefined {
	return isCode(code) && name !== '' ? { code: String(code), name } : undefined;
}

/** An answer whose `data` is a map between codes and names. */
function areaMap(
	endpoint: Endpoint,
	toArea: (entry: Entry) => NamedArea | undefined,
): Query<NamedArea[]> {
	return {
		endpoint,
		parse({ data }, secrets) {
			// An empty map is written as an empty list
			if (isList(data) && data.length === 0) return [];
			const entries = isRecord(data) ? Object.entries(data) : [];
			const areas = entries.map(toArea).filter((area) => area !== undefined);
			if (isRecord(data) && areas.length === entries.length) return areas;
			throw new InvalidResponseError('contains no map of areas', excerptOfData(data, secrets));
		},
	};
}

/** Countries of overseas dynamic proxies. */
export const overseasDynamicCountries = areaMap(GET_FPS_COUNTRY_CODE, byCode);

/** Provinces of Tunnel Pro. */
export const tunnelProProvinces = areaMap(GET_TPS_PROV_CODE, byName);

/** Cities of Tunnel Pro. Takes `prov`. */
export const tunnelProCities = areaMap(GET_TPS_CITY_CODE, byName);

/** English names of the areas of a country with overseas dynamic proxies. Takes `region`. */
export const overseasDynamicAreas: Query<string[]> = {
	endpoint: GET_FPS_AREA_CODE,
	parse({ data }, secrets) {
		const isName = (name: unknown): name is string => typeof name === 'string' && name !== '';
		if (isList(data) && data.every(isName)) return data;
		throw new InvalidResponseError('contains no list of areas', excerptOfData(data, secrets));
	},
};

/** A province or city of China. */
export interface AreaCode {
	readonly area_name: string;
	readonly area_code: string;
}

/** The documentation and the service's own client disagree on the names of the fields. */
const SPELLINGS = ['area', 'are'] as const;

/** The code of a province or city. Takes `area`: a Chinese name. Undefined for an unknown one. */
export const areaCode: Query<AreaCode | undefined> = {
	endpoint: GET_AREA_CODE,
	parse({ data }, secrets) {
		for (const spelling of SPELLINGS) {
			const name = ownValue(data, `${spelling}_name`);
			const code = ownValue(data, `${spelling}_code`);
			if (name === '' && code === '') return undefined;
			if (typeof name === 'string' && name !== '' && isCode(code)) {
				return { area_name: name, area_code: String(code) };
			}
		}
		throw new InvalidResponseError('contains no area code', excerptOfData(data, secrets));
	},
};
