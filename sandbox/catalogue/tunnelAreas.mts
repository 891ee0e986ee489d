import { CHINESE_AREAS, CHINESE_CITIES, plainName, provinceCode } from './chineseAreas.mts';
import type { NamedCode } from './namedCodes.mts';

const OUTSIDE_OF_THE_MAINLAND = ['71', '81', '82'];

/** Where a Tunnel Pro order can come out. Their names have no last word: 北京, not 北京市. */
export const TUNNEL_PROVINCES: readonly NamedCode[] = CHINESE_AREAS.filter(
	({ code }) => code.length === 2 && !OUTSIDE_OF_THE_MAINLAND.includes(code),
).map(({ code, name }) => ({ code, name: plainName(name) }));

/** With the six digits that the other endpoints do not have. */
export function tunnelCities(province: string): NamedCode[] {
	if (!TUNNEL_PROVINCES.some(({ code }) => code === province)) return [];
	return CHINESE_CITIES.filter(({ code }) => provinceCode(code) === province).map(
		({ code, name }) => ({ code: sixDigits(code), name }),
	);
}

// The national standard has 01 for the districts of a municipality, which is what comes closest to a city.
function sixDigits(code: string): string {
	return (code.length === 2 ? `${code}01` : code).padEnd(6, '0');
}
