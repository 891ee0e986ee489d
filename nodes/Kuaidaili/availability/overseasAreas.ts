import { ownValue, type UnknownRecord } from '../../shared/guards';
import { QUERY_SFPS_AREA } from '../../shared/service/endpoints/availability';
import type { Query } from '../../shared/service/query';
import { isCode, parseRecords } from '../../shared/response/parseRecords';

/** A country with overseas static residential proxies. */
export type OverseasArea = UnknownRecord & { readonly code: string | number };

function isOverseasArea(record: UnknownRecord): record is OverseasArea {
	return isCode(ownValue(record, 'code'));
}

/** Created on first use: its tables take longer to load than this package. */
let countryNames: Intl.DisplayNames | undefined;

/** @returns the English name; undefined for an unknown code */
export function countryName(code: string): string | undefined {
	if (!/^[A-Za-z]{2}$/.test(code)) return undefined;
	countryNames ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
	return countryNames.of(code.toUpperCase());
}

/** Countries with overseas static residential proxies. Takes `serie`. */
export const overseasAreas: Query<OverseasArea[]> = {
	endpoint: QUERY_SFPS_AREA,
	parse: (answer, secrets) => parseRecords(answer, isOverseasArea, secrets),
};
