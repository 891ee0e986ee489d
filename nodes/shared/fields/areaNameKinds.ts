import {
	chineseAreaNames,
	CITIES,
	PROVINCES,
	regionCodesOf,
	regionNamesLike,
} from '../service/regionNames';
import { enumerated, sentences } from '../wording';
import { shortLine } from './invalidFieldError';
import { isRegionCode, list, simpleText, text, type ValueKind } from './valueKinds';

interface AreaSettings {
	/** Such as "provinces or cities in China". */
	readonly of: string;
	readonly withCountries?: boolean;
	readonly withCodes?: boolean;
}

const LATIN = /\p{Script=Latin}/u;

function isChineseName(entry: string): boolean {
	return /^[\p{Script=Han}·]{2,50}$/u.test(entry);
}

/** Whether a text is the code of a province, a city, or a county: 2, 4, or 6 digits. */
function isAreaCode(entry: string): boolean {
	return /^(?:\d\d){1,3}$/.test(entry) && Object.hasOwn(PROVINCES, entry.slice(0, 2));
}

/** The name as the service knows it, where the English one belongs to only one area. */
function inChinese(name: string, withCountries: boolean): string {
	const [only, ...others] = LATIN.test(name) ? chineseAreaNames(name, withCountries) : [name];
	return only === undefined || others.length > 0 ? name : only;
}

/** Advice about an English name that isn't known, as a sentence. */
function likeWhat(name: string): string {
	const similar = regionNamesLike(name);
	if (similar.length === 0) return 'Enter the name in Chinese.';
	return `Did you mean ${enumerated(similar)}? Otherwise, enter the name in Chinese.`;
}

/** A sentence about the first name that isn't known, or is that of several areas. */
function whatIsWrong(names: readonly string[], withCountries: boolean): string | undefined {
	const wrong = names.find((name) => LATIN.test(name));
	if (wrong === undefined) return undefined;
	const several = chineseAreaNames(wrong, withCountries);
	return several.length === 0
		? sentences(`'${shortLine(wrong)}' isn't an English name this node knows.`, likeWhat(wrong))
		: `'${shortLine(wrong)}' may be ${enumerated(several)}. Enter one of these.`;
}

/** English names may consist of several words; everything else ends at a space. */
function split(part: string, withCountries: boolean): string[] {
	const whole = inChinese(part.trim(), withCountries);
	if (!LATIN.test(whole)) return whole.split(/\s+/u);
	const words = part.trim().split(/\s+/u);
	const translated = words.map((word) => inChinese(word, withCountries));
	return translated.every((word) => !LATIN.test(word)) ? translated : [whole];
}

function namesIn(value: string, withCountries: boolean): string[] {
	return value.split(/[,，、;；\n]+/u).flatMap((part) => split(part, withCountries));
}

/** Names of areas. English ones are sent in Chinese, because the service knows no others. */
export function areaNames({
	of,
	withCountries = false,
	withCodes = false,
}: AreaSettings): ValueKind {
	const codes = withCodes ? ', or codes,' : ',';
	return {
		...list(
			`names of ${of} in Chinese or English${codes} separated by commas, such as Beijing,Shanghai`,
			(entry) => isChineseName(entry) || (withCodes && isAreaCode(entry)),
			(value) => namesIn(value, withCountries),
		),
		advice: (names) => whatIsWrong(names.split(','), withCountries),
	};
}

/** The name of a province or city. An English one is sent in Chinese. */
export const areaName: ValueKind = {
	...text(
		'the name of a province or city in China, in Chinese or English, such as Guangzhou',
		(name) => /^\p{Script=Han}{2,30}$/u.test(name),
	),
	toText(value) {
		const name = simpleText(value);
		return typeof name === 'string' ? inChinese(name, false) : name;
	},
	advice: (name) => whatIsWrong([name], false),
};

/** Such as "Suzhou, 苏州". */
function bilingualRegionName(code: string): string {
	const { english, chinese } = code.length === 2 ? PROVINCES[code] : CITIES[code];
	return `${english}, ${chinese}`;
}

function whichRegion(name: string): string {
	const codes = regionCodesOf(name);
	const similar = regionNamesLike(name);
	return codes.length > 1
		? `'${shortLine(name)}' may be ${enumerated(codes.map((code) => `${code} (${bilingualRegionName(code)})`))}. Enter one of these codes.`
		: sentences(
				`'${shortLine(name)}' isn't a name this node knows.`,
				similar.length === 0 ? '' : `Did you mean ${enumerated(similar)}?`,
				"'City: Get Many' lists the cities with their codes.",
			);
}

/** A province or city by its code of 2 to 4 digits, or by its name. The code is sent. */
export const region: ValueKind = {
	...text(
		'the name of a city or province in China in English or Chinese, or its code of 2 to 4 digits, such as Hangzhou or 3301',
		isRegionCode,
	),
	toText(value) {
		const entered = simpleText(value);
		if (typeof entered !== 'string' || isRegionCode(entered)) return entered;
		const [only, ...others] = regionCodesOf(entered);
		return only === undefined || others.length > 0 ? entered : only;
	},
	advice: (name) => (/^\d+$/.test(name) ? undefined : whichRegion(name)),
};
