import { VALUE_MISSING } from '../codes';
import { read, type CodeTable } from '../endpoint';

const CODES: CodeTable = { [-1]: VALUE_MISSING };

/** Countries of overseas dynamic proxies. */
export const GET_FPS_COUNTRY_CODE = read('/api/getfpscountrycode', {
	key: 'either',
	holdsNames: true,
	codes: CODES,
});

/** Areas of such a country. */
export const GET_FPS_AREA_CODE = read('/api/getfpsareacode', {
	key: 'either',
	holdsNames: true,
	codes: CODES,
});

/** Provinces of Tunnel Pro. */
export const GET_TPS_PROV_CODE = read('/api/gettpsprovcode', {
	host: 'tpsUrl',
	key: 'either',
	holdsNames: true,
	codes: CODES,
});

/** Cities of such a province. */
export const GET_TPS_CITY_CODE = read('/api/gettpscitycode', {
	host: 'tpsUrl',
	key: 'either',
	holdsNames: true,
	codes: CODES,
});

/** The code of a province or city in China, by its Chinese name. */
export const GET_AREA_CODE = read('/api/getareacode', {
	key: 'either',
	intervalMs: 100,
	holdsNames: true,
	codes: CODES,
});
