import { dataQuery, type Query, parseRecords } from '../api/call';
import type { FlatParameters } from '../service/wireTypes';
import { isCode, isList, isRecord, ownValue, type UnknownRecord } from '../guards';
import type { Endpoint } from '../service/endpoint';
import {
	DPS_RESOURCES,
	GET_FPS_AREA_CODE,
	GET_FPS_COUNTRY_CODE,
	GET_TPS_CITY_CODE,
	GET_TPS_PROV_CODE,
	QUERY_KPS_CITY,
} from '../service/endpoints/lookup';
import { KPS_DYNAMIC, KPS_SHARED, KPS_STATIC } from '../service/orderTerms';

export type NamedArea = UnknownRecord & {
	readonly code: string;
	/** Chinese, as the service sends it. */
	readonly name: string;
};

function isNamedArea(area: { readonly code: unknown; readonly name: unknown }) {
	return isCode(area.code) && typeof area.name === 'string' && area.name !== '';
}

/**
 * An answer whose `data` is a map of areas.
 *
 * @param isByName whether a name leads to its code, and not a code to its name
 */
function areaMap(endpoint: Endpoint, isByName = false): Query<NamedArea[]> {
	return dataQuery(endpoint, 'map of areas', (data) => {
		// An empty map is written as an empty list
		if (isList(data) && data.length === 0) return [];
		if (!isRecord(data)) return undefined;
		const areas = Object.entries(data).map(([key, value]) =>
			isByName ? { code: value, name: key } : { code: key, name: value },
		);
		if (!areas.every(isNamedArea)) return undefined;
		return areas.map(({ code, name }) => ({ code: String(code), name: String(name) }));
	});
}

export const overseasDynamicCountries = areaMap(GET_FPS_COUNTRY_CODE);

export const tunnelProProvinces = areaMap(GET_TPS_PROV_CODE, true);

/** Cities of Tunnel Pro. Takes `prov`. */
export const tunnelProCities = areaMap(GET_TPS_CITY_CODE, true);

/** English names of the areas of a country with overseas dynamic proxies. Takes `region`. */
export const overseasDynamicAreas = dataQuery(GET_FPS_AREA_CODE, 'list of areas', (data) => {
	const isName = (name: unknown): name is string => typeof name === 'string' && name !== '';
	return isList(data) && data.every(isName) ? data : undefined;
});

export type DedicatedCity = UnknownRecord & {
	readonly code: string | number;
	readonly name: string;
};

function isDedicatedCity(record: UnknownRecord): record is DedicatedCity {
	return isCode(ownValue(record, 'code')) && typeof ownValue(record, 'name') === 'string';
}

/** How many IPs a city has left; undefined if the service doesn't say. */
export function ipsLeftIn(city: DedicatedCity): number | undefined {
	const count = ownValue(city, 'count');
	return typeof count === 'number' ? count : undefined;
}

/** The parameters for looking up the cities of an order; undefined where the service has no list: for shared dynamic IPs. */
export function questionFor(order: FlatParameters): FlatParameters | undefined {
	if (order['kps.model'] === KPS_DYNAMIC) return undefined;
	const serie = order['kps.serie'];
	const isShared = serie === String(KPS_SHARED);
	return isShared ? { serie, 'kps.max_bandwidth': order['kps.max_bandwidth'] } : { serie };
}

/** Cities with dedicated proxies. Takes `serie`, and where wanted `kps.max_bandwidth` and `city`. */
export const dedicatedCities: Query<DedicatedCity[]> = {
	endpoint: QUERY_KPS_CITY,
	// Required for shared IPs, with this as the only value
	complete: (parameters) =>
		parameters.serie === String(KPS_SHARED) ? { ...parameters, model: KPS_STATIC } : parameters,
	parse: (answer, secrets) => parseRecords(answer, isDedicatedCity, secrets),
};

/** A region and a carrier for the private proxies of an order. */
export type PrivateProxyResource = UnknownRecord & {
	readonly area_code: string | number;
	readonly area_name: string;
	readonly available: boolean;
};

function isPrivateProxyResource(record: UnknownRecord): record is PrivateProxyResource {
	return (
		isCode(ownValue(record, 'area_code')) &&
		typeof ownValue(record, 'area_name') === 'string' &&
		typeof ownValue(record, 'available') === 'boolean'
	);
}

/** Regions and carriers that the order of the key pair can use. Takes `area` and `carrier`, where wanted. */
export const privateProxyResources: Query<PrivateProxyResource[]> = {
	endpoint: DPS_RESOURCES,
	parse: (answer, secrets) => parseRecords(answer, isPrivateProxyResource, secrets),
};
