import { nearestName } from '../bundled/nearestName';
import { cities, provinces } from './regionNames.json';

/*
 * Names of China's regions by their administrative codes (GB/T 2260 without trailing zeros), which the
 * service uses as well. The service itself gives Chinese names only, and none for a province.
 */

/** Provinces by their 2-digit codes; the Chinese names come without 省 and 市. */
export const PROVINCES: Readonly<
	Record<string, { readonly english: string; readonly chinese: string }>
> = provinces;

/** Prefecture-level cities, by 4-digit code. */
export const CITIES: typeof PROVINCES = cities;

/** Cities with the status of a province, which the table of cities does not have. */
const MUNICIPALITIES: ReadonlySet<string> = new Set(['11', '12', '31', '50']);

/** @param code of 2 digits for a province, 4 for a city; Tunnel Pro has 6 digits for a city */
export function englishRegionName(code: string): string | undefined {
	const [province, city] = [code.slice(0, 2), code.slice(0, 4)];
	if (Object.hasOwn(CITIES, city)) return CITIES[city].english;
	const isProvince = code === province || MUNICIPALITIES.has(province);
	return isProvince && Object.hasOwn(PROVINCES, province) ? PROVINCES[province].english : undefined;
}

/** Created on first use: its tables take longer to load than this package. */
let countryNames: Intl.DisplayNames | undefined;

export function countryName(code: string): string | undefined {
	if (!/^[A-Za-z]{2}$/.test(code)) return undefined;
	countryNames ??= new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
	return countryNames.of(code.toUpperCase());
}

/**
 * A name without accents, apostrophes, hyphens, brackets, and capitals, which people leave out or spell differently.
 */
function simplifiedName(text: string): string {
	return text
		.normalize('NFD')
		.replace(/[\p{M}'’`()（）-]/gu, '')
		.toLowerCase()
		.trim();
}

function nameKeyOf(english: string): string {
	return simplifiedName(english).replace(/\s/gu, '');
}

function byEnglishName(names: Iterable<readonly [english: string, chinese: string]>) {
	const table = new Map<string, string[]>();
	for (const [english, chinese] of names) {
		const known = table.get(nameKeyOf(english)) ?? [];
		if (!known.includes(chinese)) table.set(nameKeyOf(english), [...known, chinese]);
	}
	return table;
}

let chineseRegions: ReturnType<typeof byEnglishName> | undefined;

/**
 * The Chinese names of an area by its English one, as the service takes them: without 省 and 市. Several
 * cities share a name in English.
 */
export function chineseAreaNames(english: string): readonly string[] {
	chineseRegions ??= byEnglishName(
		[...Object.values(PROVINCES), ...Object.values(CITIES)].map(
			(region) => [region.english, region.chinese] as const,
		),
	);
	return chineseRegions.get(nameKeyOf(english)) ?? [];
}

/** Codes of China's provinces and cities by a name, in English or Chinese, with or without 省 and 市. */
export function regionCodesOf(name: string): readonly string[] {
	const regions = [...Object.entries(PROVINCES), ...Object.entries(CITIES)];
	const [chinese, suffix] = [name.replace(/[省市]$/u, ''), name.at(-1)];
	const found = regions.filter(
		([, region]) => region.chinese === chinese || nameKeyOf(region.english) === nameKeyOf(name),
	);
	// 吉林 is a city of the province of that name
	const isMeant = ([code]: (typeof found)[number]): boolean =>
		(suffix !== '省' || code.length === 2) &&
		(suffix !== '市' || code.length === 4 || MUNICIPALITIES.has(code));
	return found.filter(isMeant).map(([code]) => code);
}

/** Longer texts are no names, and shorter ones are like too many. */
const COMPARED_NAME = /^[a-z]{4,40}$/;

/** The English name of a province or city that is most like a typed one, if it is the same but for two letters. */
export function regionNameLike(typed: string): string | undefined {
	if (!COMPARED_NAME.test(nameKeyOf(typed))) return undefined;
	const names = [...Object.values(PROVINCES), ...Object.values(CITIES)].map(
		({ english }) => english,
	);
	return nearestName(typed, names, 2);
}
