import type { INodePropertyOptions } from 'n8n-workflow';

import { isEmpty, isList, isWellFormed } from '../guards';
import type { AmountRange } from '../service/products';
import {
	chineseAreaNames,
	CITIES,
	PROVINCES,
	regionCodesOf,
	regionNameLike,
} from '../service/regionNames';
import { alphabetically, enumerated, formatNumber, sentences } from '../wording';
import { type Conditions, displayOptionsOf, NoTextError, shortLine, type ValueKind } from './field';

/** Numbers and strings; expressions and AI tools may provide either. Throws NoTextError. */
export function simpleText(value: unknown): string | undefined {
	if (isEmpty(value)) return undefined;
	// Half a character cannot be sent the way it is signed
	if (typeof value === 'string' && isWellFormed(value)) return value.trim();
	if (typeof value === 'number' && Number.isFinite(value)) return String(value);
	throw new NoTextError();
}

/** Such as "1,000 to 17,000 in steps of 1,000". */
export function rangeInWords({ min, max, step }: AmountRange, unit?: string): string {
	const inUnits = (value: number) => [formatNumber(value), unit].filter(Boolean).join(' ');
	if (max === undefined) return `${inUnits(min)} or more`;
	if (min === max) return `${inUnits(min)} only`;
	const steps = step === undefined ? '' : ` in steps of ${formatNumber(step)}`;
	return `${formatNumber(min)} to ${inUnits(max)}${steps}`;
}

/** A number. The editor gets the limits too, but expressions and AI tools bypass those. */
export function number(
	settings: AmountRange & {
		/** How many decimals it may have; none by default. */
		readonly decimals?: number;
		/** The least that is allowed by default. */
		readonly preset?: number;
		/**
		 * Set for fields that decide what is paid. The editor then has no limits: it replaces a number beyond them without a
		 * word, and what was not typed would be bought.
		 */
		readonly costsMoney?: true;
	},
): ValueKind {
	const { min, max, step = 1, decimals = 0, preset = min, costsMoney } = settings;
	// Without leading zeros: what is sent must be the number that was checked
	const pattern = new RegExp(
		String.raw`^(?:0|[1-9]\d{0,14})${decimals === 0 ? '' : String.raw`(?:\.\d{1,${decimals}})?`}$`,
	);
	const limits = { minValue: min, ...(max === undefined ? {} : { maxValue: max }) };
	const what = decimals === 0 ? 'a whole number' : `a number with ${decimals} decimals at most`;
	return {
		property: {
			type: 'number',
			default: preset,
			...(costsMoney === true ? {} : { typeOptions: limits }),
		},
		...(costsMoney === true ? { hint: rangeInWords(settings) } : {}),
		allowed: `${what}, ${rangeInWords(settings)}`,
		toText: simpleText,
		accepts(text) {
			const value = pattern.test(text) ? Number(text) : NaN;
			const isInRange = value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER);
			return isInRange && (decimals > 0 || value % step === 0);
		},
	};
}

/** Options for codes of a table, in their order; for the whole table in the order of the names. */
export function namedOptions(
	names: Readonly<Record<string, string>>,
	descriptions: Readonly<Record<string, string>> = {},
	codes: readonly string[] = Object.keys(names).sort((a, b) => alphabetically(names[a], names[b])),
) {
	return codes.map((value) => ({ name: names[value], value, description: descriptions[value] }));
}

export interface ChoiceSettings {
	/** The value that says "nothing in particular"; the same as leaving the field out. */
	readonly neutral?: string;
	/** The value for which nothing is sent: the service has none that means the same. */
	readonly unsent?: string;
	readonly preset?: INodePropertyOptions['value'];
}

export interface ChoiceOption extends INodePropertyOptions {
	readonly when?: Conditions;
}

/** Such as "KPS (Dedicated Proxy)", also for an option whose name has the value at its end. */
function optionInWords({ name, value }: INodePropertyOptions): string {
	return `${String(value)} (${name.replace(` (${String(value)})`, '')})`;
}

/** A choice from the service's own values; numeric codes stay numbers in the editor. */
export function choice(
	options: readonly ChoiceOption[],
	{ neutral, unsent, preset = options[0].value }: ChoiceSettings = {},
): ValueKind {
	const names = options.map(optionInWords);
	const conditionsOfValue = new Map(options.map(({ value, when }) => [String(value), when]));
	return {
		property: {
			type: 'options',
			// Only what n8n knows: rows of a table may have more columns
			options: options.map(({ name, value, description, when }) => ({
				name,
				value,
				description,
				// The editor looks for the values of an option at the top of the node, also within a collection
				displayOptions: displayOptionsOf(when, new Set()),
			})),
			default: preset,
		},
		allowed: names.join(', '),
		neutral,
		conditionsOfValue,
		toText(value) {
			const text = simpleText(value);
			return text === unsent ? undefined : text;
		},
		accepts: (text) => conditionsOfValue.has(text),
	};
}

const SWITCHED = new Map<unknown, string>([
	...[true, 'true', 1, '1'].map((yes): [unknown, string] => [yes, '1']),
	...[false, 'false', 0, '0'].map((no): [unknown, string] => [no, '0']),
]);

/**
 * A switch, which the service takes as 1 or 0.
 *
 * @param sendsOff false where the service knows only 1, or no parameter at all
 */
export function toggle({ preset = false, sendsOff = true } = {}): ValueKind {
	return {
		property: { type: 'boolean', default: preset },
		allowed: 'true or false',
		toText(value) {
			const plain = typeof value === 'string' ? value.trim().toLowerCase() : value;
			if (isEmpty(plain)) return undefined;
			const text = SWITCHED.get(plain);
			if (text === undefined) throw new NoTextError();
			return text === '0' && !sendsOff ? undefined : text;
		},
		accepts: (text) => text === '1' || (sendsOff && text === '0'),
	};
}

/** A code of the service's region table: 2 digits for a province, 4 for a city. */
export function isRegionCode(text: string): boolean {
	return /^\d{2,4}$/.test(text);
}

/** Commas as typed on English and Chinese keyboards, the Chinese list mark, and any white space. */
const LIST_SEPARATOR = /[,，、;；\s]+/u;

/** A list: text with separators, or an array from an expression. It is sent as text with commas. */
export function list(
	allowed: string,
	acceptsEntry: (entry: string) => boolean,
	split = (text: string): string[] => text.split(LIST_SEPARATOR),
): ValueKind {
	return {
		property: { type: 'string', default: '' },
		allowed,
		toText(value) {
			if (isEmpty(value)) return undefined;
			const entries = isList(value) ? value.map(simpleText) : [simpleText(value)];
			const parts = entries.flatMap((entry) => (entry === undefined ? [] : split(entry)));
			const filled = parts.filter((part) => part !== '');
			return filled.length === 0 ? undefined : [...new Set(filled)].join(',');
		},
		accepts: (text) => text.split(',').every(acceptsEntry),
	};
}

export function textKind(allowed: string, accepts: (text: string) => boolean): ValueKind {
	return { property: { type: 'string', default: '' }, allowed, toText: simpleText, accepts };
}

/** The service's word for all values at once; the same as leaving the field out. */
const ALL_VALUES = 'all';

/** Any number of the service's own values, sent as text with commas; none means all. */
export function severalOf(
	options: ReadonlyArray<INodePropertyOptions & { readonly value: string }>,
): ValueKind {
	const names = options.map(optionInWords);
	const isKnown = (entry: string) =>
		entry === ALL_VALUES || options.some(({ value }) => value === entry);
	return {
		...list(`${ALL_VALUES}, or one or several of ${names.join(', ')}`, isKnown),
		property: { type: 'multiOptions', options: [...options], default: [] },
	};
}

const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;

const IPV4 = new RegExp(String.raw`^(?:${OCTET}\.){3}${OCTET}$`);

/** Such as 123.35.67.46; without leading zeros, which mean something else to some programs. */
export function isIpv4(text: string): boolean {
	return IPV4.test(text);
}

export const TYPED_MODE = 'code';

/** A value that is picked from a list of the service or typed. */
export function resourceLocator(
	kind: ValueKind,
	settings: {
		/** Searches the list. */
		readonly method: string;
		readonly listPlaceholder: string;
		/** The label of the other mode, such as "By Code". */
		readonly typedLabel: string;
		readonly typedPlaceholder: string;
	},
	firstMode: 'list' | typeof TYPED_MODE = 'list',
): ValueKind {
	return {
		...kind,
		ifMissing: 'Choose one from the list.',
		property: {
			type: 'resourceLocator',
			// Marked as the editor marks it: it then knows the untouched value again, and takes the one of
			// another form of the field when that comes in its place
			default: { __rl: true, mode: firstMode, value: '' },
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: settings.listPlaceholder,
					typeOptions: { searchListMethod: settings.method, searchable: true },
				},
				{
					displayName: settings.typedLabel,
					name: TYPED_MODE,
					type: 'string',
					placeholder: settings.typedPlaceholder,
				},
			],
		},
	};
}

/**
 * The location of IPs, in a field that may be left empty for anywhere. That is an empty text: an expression without a value
 * would pay for IPs of the wrong place. Not in a collection, where a field that was not added has no value: `required`
 * says the same there.
 */
export function placeOf(kind: ValueKind): ValueKind {
	return {
		...kind,
		toText(value) {
			if (value === undefined || value === null) throw new NoTextError();
			return kind.toText(value);
		},
	};
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
	...areaNames(''),
	allowed: 'the name of a province or city in China, in Chinese or English, such as Guangzhou',
	accepts: isChineseName,
};

/** Such as "3205 (Suzhou, 苏州)". */
function regionInWords(code: string): string {
	const { english, chinese } = code.length === 2 ? PROVINCES[code] : CITIES[code];
	return `${code} (${english}, ${chinese})`;
}

/** A province or city by its code of 2 to 4 digits, or by its name. The code is sent. */
export const region: ValueKind = {
	...textKind(
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
