import { cities, provinces } from './regionNames.json';

/*
 * Names of China's regions by their administrative codes (GB/T 2260 without trailing zeros), which the
 * service uses as well. The service itself gives Chinese names only, and none for a province.
 */

export interface RegionName {
	readonly english: string;
	/** Without 省 and 市. */
	readonly chinese: string;
}

/** By 2-digit code. */
export const PROVINCES: Readonly<Record<string, RegionName>> = provinces;

/** Prefecture-level cities, by 4-digit code. */
export const CITIES: Readonly<Record<string, RegionName>> = cities;

/** Cities with the status of a province, which the table of cities does not have. */
export const MUNICIPALITIES: ReadonlySet<string> = new Set(['11', '12', '31', '50']);

/**
 * @param code of 2 digits for a province, 4 for a city; Tunnel Pro has 6 digits for a city
 * @returns undefined for an unknown code
 */
export function englishRegionName(code: string): string | undefined {
	const [province, city] = [code.slice(0, 2), code.slice(0, 4)];
	if (Object.hasOwn(CITIES, city)) return CITIES[city].english;
	const isProvince = code === province || MUNICIPALITIES.has(province);
	return isProvince && Object.hasOwn(PROVINCES, province) ? PROVINCES[province].english : undefined;
}

/** Created on first use: its tables take longer to load than this package. */
let countryNames: Intl.DisplayNames | undefined;

/**
 * The English name of a country by its code of two letters.
 *
 * @returns undefined for an unknown code
 */
export function countryName(code: string): string | undefined {
	if (!/^[A-Za-z]{2}$/.test(code)) return undefined;
	countryNames ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
	return countryNames.of(code.toUpperCase());
}
