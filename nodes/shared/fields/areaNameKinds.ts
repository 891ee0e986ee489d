import {
	chineseAreaNames,
	CITIES,
	PROVINCES,
	regionCodesOf,
	regionNameLike,
} from '../service/regionNames';
import { enumerated, sentences } from '../wording';
import { shortLine } from './invalidFieldError';
import { isRegionCode, list, simpleText, text, type ValueKind } from './valueKinds';

const LATIN = /\p{Script=Latin}/u;

function isChineseName(entry: string): boolean {
	return /^[\p{Script=Han}·]{2,50}$/u.test(entry);
}

/** Whether a text is the code of a province, a city, or a county: 2, 4, or 6 digits. */
function isAreaCode(entry: string): boolean {
	return /^(?:\d\d){1,3}$/.test(entry) && Object.hasOwn(PROVINCES, entry.slice(0, 2));
}

/** The name as the service knows it, where the English one belongs to only one area. */
function inChinese(name: string): string {
	const [only, ...others] = LATIN.test(name) ? chineseAreaNames(name) : [name];
	return only === undefined || others.length > 0 ? name : only;
}

/** Says that a typed name isn't known, and which one may have been meant. */
function unknownName(name: string, kind: string, advice: string): string {
	const similar = regionNameLike(name);
	return sentences(
		`'${shortLine(name)}' isn't ${kind} this node knows.`,
		similar === undefined ? '' : `Did you mean ${similar}?`,
		advice,
	);
}

/** Sentences about the first name that isn't known, or is that of several areas. */
function whatIsWrong(names: readonly string[]): string | undefined {
	const wrong = names.find((name) => LATIN.test(name));
	if (wrong === undefined) return undefined;
	const several = chineseAreaNames(wrong);
	return several.length === 0
		? unknownName(wrong, 'an English name', 'Enter the name in Chinese.')
		: `'${shortLine(wrong)}' may be ${enumerated(several)}. Enter one of these.`;
}

/** English names may consist of several words; everything else ends at a space. */
function namesIn(value: string): string[] {
	return value.split(/[,，、;；\n]+/u).flatMap((part) => {
		const whole = inChinese(part.trim());
		if (!LATIN.test(whole)) return whole.split(/\s+/u);
		const words = part.trim().split(/\s+/u).map(inChinese);
		return words.every((word) => !LATIN.test(word)) ? words : [whole];
	});
}

/**
 * Names of areas. English ones in China are sent in Chinese, because the service knows no others.
 *
 * @param of such as "provinces or cities in China"
 */
export function areaNames(of: string, { withCodes = false } = {}): ValueKind {
	const codes = withCodes ? ', or codes,' : ',';
	return {
		...list(
			`names of ${of} in Chinese or English${codes} separated by commas, such as Beijing,Shanghai`,
			(entry) => isChineseName(entry) || (withCodes && isAreaCode(entry)),
			namesIn,
		),
		advice: (names) => whatIsWrong(names.split(',')),
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
		return name === undefined ? undefined : inChinese(name);
	},
	advice: (name) => whatIsWrong([name]),
};

/** Such as "3205 (Suzhou, 苏州)". */
function regionInWords(code: string): string {
	const { english, chinese } = code.length === 2 ? PROVINCES[code] : CITIES[code];
	return `${code} (${english}, ${chinese})`;
}

/** A province or city by its code of 2 to 4 digits, or by its name. The code is sent. */
export const region: ValueKind = {
	...text(
		'the name of a city or province in China in English or Chinese, or its code of 2 to 4 digits, such as Hangzhou or 3301',
		isRegionCode,
	),
	toText(value) {
		const entered = simpleText(value);
		if (entered === undefined || isRegionCode(entered)) return entered;
		const [only, ...others] = regionCodesOf(entered);
		return only === undefined || others.length > 0 ? entered : only;
	},
	advice(name) {
		if (/^\d+$/.test(name)) return undefined;
		const codes = regionCodesOf(name);
		return codes.length > 1
			? `'${shortLine(name)}' may be ${enumerated(codes.map(regionInWords))}. Enter one of these codes.`
			: unknownName(name, 'a name', "'City: Get Many' lists the cities with their codes.");
	},
};
