import { CITIES, MUNICIPALITIES, PROVINCES } from './regionNames';

/** Without accents, apostrophes, hyphens, brackets, and capitals, which people leave out or spell differently. */
export function simplifiedName(text: string): string {
	return text
		.normalize('NFD')
		.replace(/[\p{M}'’`()（）-]/gu, '')
		.toLowerCase()
		.trim();
}

function keyOf(english: string): string {
	return simplifiedName(english).replace(/\s/gu, '');
}

function byEnglishName(names: Iterable<readonly [english: string, chinese: string]>) {
	const table = new Map<string, string[]>();
	for (const [english, chinese] of names) {
		const known = table.get(keyOf(english)) ?? [];
		if (!known.includes(chinese)) table.set(keyOf(english), [...known, chinese]);
	}
	return table;
}

let chineseRegions: ReturnType<typeof byEnglishName> | undefined;

let foreignCountries: typeof chineseRegions;

const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');

function* countryNames(): Generator<[english: string, chinese: string]> {
	const settings = { type: 'region', fallback: 'none' } as const;
	const [english, chinese] = ['en', 'zh-Hans'].map(
		(locale) => new Intl.DisplayNames(locale, settings),
	);
	for (const code of LETTERS.flatMap((first) => LETTERS.map((second) => first + second))) {
		const [names, inChinese = ''] = [english.of(code), chinese.of(code)];
		// Without its tables the runtime answers in another language
		if (names === undefined || !/^\p{Script=Han}+$/u.test(inChinese)) continue;
		yield [code, inChinese];
		yield [names, inChinese];
		// Such as "Myanmar (Burma)"
		if (names.includes(' (')) yield [names.replace(/ \(.*/u, ''), inChinese];
	}
}

/**
 * The Chinese names of an area by its English one, as the service takes them: without 省 and 市. Several
 * cities share a name in English.
 *
 * @param withCountries whether it may be a country, too
 */
export function chineseAreaNames(english: string, withCountries: boolean): readonly string[] {
	chineseRegions ??= byEnglishName(
		[...Object.values(PROVINCES), ...Object.values(CITIES)].map(
			(region) => [region.english, region.chinese] as const,
		),
	);
	const regions = chineseRegions.get(keyOf(english));
	if (regions !== undefined || !withCountries) return regions ?? [];
	foreignCountries ??= byEnglishName(countryNames());
	return foreignCountries.get(keyOf(english)) ?? [];
}

/**
 * The codes of the provinces and cities of China with a name; several share one.
 *
 * @param name in English or Chinese, with or without 省 and 市
 */
export function regionCodesOf(name: string): readonly string[] {
	const regions = [...Object.entries(PROVINCES), ...Object.entries(CITIES)];
	const [chinese, suffix] = [name.replace(/[省市]$/u, ''), name.at(-1)];
	const found = regions.filter(
		([, region]) => region.chinese === chinese || keyOf(region.english) === keyOf(name),
	);
	// 吉林 is a city of the province of that name
	const isMeant = ([code]: (typeof found)[number]): boolean =>
		(suffix !== '省' || code.length === 2) &&
		(suffix !== '市' || code.length === 4 || MUNICIPALITIES.has(code));
	return found.filter(isMeant).map(([code]) => code);
}
