import { cities, provinces } from './regionNames.json';

/*
 * Names of China's regions by their administrative codes (GB/T 2260 without trailing zeros), which the
 * service uses as well. The service itself gives Chinese names only, and none for a province.
 */

export interface Province {
	readonly english: string;
	readonly chinese: string;
}

/** By 2-digit code. */
export const PROVINCES: Readonly<Record<string, Province>> = provinces;

/** English names of prefecture-level cities, by 4-digit code. */
export const CITIES: Readonly<Record<string, string>> = cities;
