import type { FlatParameters } from '../../shared/credential/signature';
import { ownValue, type UnknownRecord } from '../../shared/guards';
import { KPS_DYNAMIC, KPS_SHARED, KPS_STATIC } from '../../shared/service/orderTerms';
import { QUERY_KPS_CITY } from '../../shared/service/endpoints/availability';
import type { Query } from '../../shared/service/query';
import { isCode, parseRecords } from '../../shared/response/parseRecords';

/** A city with dedicated proxies; everything else in it is as the service sends it. */
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

/**
 * The parameters for looking up the cities for an order. The service uses different names for the same
 * things there.
 *
 * @returns undefined where the service has no list: for shared dynamic IPs
 */
export function questionFor(order: FlatParameters): FlatParameters | undefined {
	if (order['kps.model'] === KPS_DYNAMIC) return undefined;
	const serie = order['kps.serie'];
	const isShared = serie === String(KPS_SHARED);
	return isShared ? { serie, 'kps.max_bandwidth': order['kps.max_bandwidth'] } : { serie };
}

/** Cities with dedicated proxies. Takes `serie`, and where wanted `kps.max_bandwidth` and `city`. */
export const dedicatedCities: Query<DedicatedCity[]> = {
	endpoint: QUERY_KPS_CITY,
	// Needed for shared IPs, and no other value exists there
	complete: (parameters) =>
		parameters.serie === String(KPS_SHARED) ? { ...parameters, model: KPS_STATIC } : parameters,
	parse: (answer, secrets) => parseRecords(answer, isDedicatedCity, secrets),
};
