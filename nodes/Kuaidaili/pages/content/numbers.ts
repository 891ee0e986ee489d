import { isList } from '../../../shared/guards';
import type { Pause } from './tree';

/** A number as it stands in a text, in ASCII, before it is known which of its signs is the decimal one. */
interface WrittenNumber {
	readonly isNegative: boolean;
	/** Digits with their signs, such as `1.299,00`; blanks and apostrophes between thousands are gone. */
	readonly digits: string;
	/** 10,000 for 万; 1 by default. */
	readonly factor: number;
	/** A number right behind its unit that is added, such as 2000万 in 1億2000万. */
	readonly more?: WrittenNumber;
}

/** Characters of a text in which a number is looked for. */
const LONGEST_NUMBER_TEXT = 1000;

/** Characters of a number, and those before it that may tell its sign. */
const LONGEST_NUMBER = 60;
const BEFORE_NUMBER = 12;

/** Digits with signs of thousands and decimals, or with blanks before groups of three. */
const NUMBER =
	/\d{1,3}(?:[ ']\d{3})+(?!\d)(?:[.,٫]\d{1,20})?|\d{1,30}(?:[.,٫٬]\d{1,20}){0,10}|(?<![\p{L}\d])[.,]\d{1,20}/u;

const MINUS_BEFORE =
	/(?:^|[^\p{L}\p{N}])-\s?[\p{Sc}\p{L}.]{0,4}\s?$|(?:^|[^\p{L}\p{N}])\p{Sc}\s?-$/u;

/** Units and words that are written for zeros, right behind a number. Kilograms (千克) and kilometers are none. */
const FACTORS: ReadonlyArray<readonly [sign: RegExp, factor: number]> = [
	[/^ ?(?:千(?![克米瓦卡焦帕赫兆伏])|천)/, 1e3],
	[/^ ?百万/, 1e6],
	[/^ ?[万萬][亿億]/, 1e12],
	[/^ ?[万萬만]/, 1e4],
	[/^ ?[亿億억]/, 1e8],
	[/^(?:k| ?(?:thousand|tsd\.?|tys\.?|тыс\.?))(?![\p{L}\p{N}])/iu, 1e3],
	[/^(?:M| ?(?:[Mm]illion(?:s|en|er)?|[Mm]io\.?|[Mm]ln\.?|млн\.?))(?![\p{L}\p{N}])/u, 1e6],
	[/^ ?(?:billions?|bn|milliarden?|mrd\.?|mld\.?|млрд\.?)(?![\p{L}\p{N}])/iu, 1e9],
];

/** The value of a character such as ½. */
function fractionOf(sign: string): number {
	const [above, below] = sign.normalize('NFKC').split('⁄').map(Number);
	return above / below;
}

/** Digits of all scripts as those of ASCII. */
function inAscii(text: string): string {
	return text
		.replace(/[⁰¹²³⁴-⁹₀-₉]+/g, ' ')
		.replace(/(\d{0,9})\s?([¼-¾⅐-⅞])/g, (_all, whole: string, sign: string) =>
			String(Number(whole) + fractionOf(sign)),
		)
		.replace(/[´`’ʼ′]/g, "'")
		.normalize('NFKC')
		.replace(/[−–‐‑﹣]/g, '-')
		.replace(/[\s\u200e\u200f\u202f\u2009]/g, ' ')
		.replace(/[^\P{Nd}0-9]/gu, (digit) => {
			const code = digit.codePointAt(0) ?? 0;
			// Each script has its ten digits in a row, behind something that is none
			let zero = code;
			while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero -= 1;
			return String(code - zero);
		});
}

/** The first number of a text; undefined for none. */
function writtenIn(text: string): WrittenNumber | undefined {
	const at = text.slice(0, LONGEST_NUMBER_TEXT).search(/[\p{Nd}¼-¾⅐-⅞]/u);
	if (at < 0) return undefined;
	const ascii = inAscii(text.slice(Math.max(0, at - BEFORE_NUMBER), at + LONGEST_NUMBER));
	const found = NUMBER.exec(ascii);
	if (found === null) return undefined;
	const [number] = found;
	const behind = ascii.slice(found.index + number.length);
	const [sign, factor] = FACTORS.find(([each]) => each.test(behind)) ?? [/^/, 1];
	const rest = behind.replace(sign, '');
	const more = factor > 1 && /^ ?\d/.test(rest) ? writtenIn(rest) : undefined;
	const isOneNumber =
		more !== undefined && more.factor < factor && (more.factor > 1 || rest[0] !== ' ');
	return {
		isNegative: MINUS_BEFORE.test(ascii.slice(Math.max(0, found.index - 10), found.index)),
		digits: number.replace(/[ '٬]/g, ''),
		factor,
		more: isOneNumber ? more : undefined,
	};
}

type DecimalSign = '.' | ',' | '٫';

function signOf(text: string | undefined): DecimalSign | undefined {
	return text === '.' || text === ',' || text === '٫' ? text : undefined;
}

/** How the signs of a number are to be read, as far as it says so itself. */
function readSigns(digits: string): {
	/** The sign that is certainly the decimal one; undefined where there is none, or it is open. */
	readonly decimal?: DecimalSign;
	/** The sign that is certainly one of thousands. */
	readonly thousands?: DecimalSign;
	/** The one sign before three digits, which may be either. */
	readonly open?: DecimalSign;
	/** Whether it is no number, such as a date. */
	readonly isNone?: true;
} {
	const signs = digits.match(/[.,٫]/g) ?? [];
	const last = signOf(signs.at(-1));
	if (last === undefined) return {};
	const [, ...groups] = digits.split(/[.,٫]/);
	const before = new Set(signs.slice(0, -1));
	if (before.size === 0) {
		const isWhole = groups[0].length === 3 && /^[1-9]\d{0,2}[.,]/.test(digits);
		return isWhole ? { open: last } : { decimal: last };
	}
	const areGroups = (inner: readonly string[]) =>
		inner.every((group, index) => group.length === (index < inner.length - 1 ? 2 : 3)) ||
		inner.every((group) => group.length === 3);
	const isRepeated = before.has(last);
	const thousands = signOf(signs[0]);
	if (before.size > 1 || !areGroups(isRepeated ? groups : groups.slice(0, -1)))
		return { isNone: true };
	return isRepeated ? { thousands } : { decimal: last, thousands };
}

/** The decimal sign of a language; undefined for an unknown one. */
function decimalSignOf(language: string): DecimalSign | undefined {
	if (!/^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,5}$/i.test(language)) return undefined;
	const parts = new Intl.NumberFormat(language).formatToParts(1.5);
	return signOf(parts.find(({ type }) => type === 'decimal')?.value);
}

/** The numbers of a column. */
export interface NumberColumn {
	/** A list where the column has one; null where there is no number. */
	readonly values: ReadonlyArray<number | null | ReadonlyArray<number | null>>;
	/** Whether a sign before three digits was taken for one of thousands although nothing says so. */
	readonly isAmbiguous: boolean;
}

/**
 * Reads the numbers of a column as the people of the page write them: by one rule, which follows from the numbers that
 * can be read in one way only, else from the language.
 *
 * @param language such as `de-AT`; empty where the page names none
 */
export async function numbersOfColumn(
	column: readonly unknown[],
	language: string,
	pause: Pause,
): Promise<NumberColumn> {
	const written = new Map<string, WrittenNumber | undefined>();
	const decimals = new Set<DecimalSign>();
	const openSigns = new Set<DecimalSign>();
	for (const value of column.flatMap((each) => (isList(each) ? each : [each]))) {
		await pause();
		if (typeof value !== 'string' || written.has(value)) continue;
		const number = writtenIn(value);
		written.set(value, number);
		const { decimal, thousands, open } = readSigns(number?.digits ?? '');
		if (decimal !== undefined) decimals.add(decimal);
		else if (thousands !== undefined) decimals.add(thousands === '.' ? ',' : '.');
		if (open !== undefined) openSigns.add(open);
	}
	const [known] = decimals;
	const isKnown = decimals.size === 1;
	const decimal = isKnown ? known : decimalSignOf(language);
	const read = ({ isNegative, digits, factor, more }: WrittenNumber): number => {
		const signs = readSigns(digits);
		if (signs.isNone) return NaN;
		const point = signs.decimal ?? (signs.open === decimal ? signs.open : undefined);
		const plain = digits.replace(/[.,٫]/g, (sign) => (sign === point ? '.' : ''));
		// 1.005 × 10,000 is no whole number in binary
		const parsed = Number((Number(plain) * factor + (more ? read(more) : 0)).toPrecision(15));
		return isNegative ? -parsed : parsed;
	};
	const numberOf = (value: unknown): number | null => {
		if (typeof value === 'number') return value;
		const number = typeof value === 'string' ? written.get(value) : undefined;
		const parsed = number === undefined ? NaN : read(number);
		return Number.isFinite(parsed) ? parsed : null;
	};
	const values: Array<number | null | Array<number | null>> = [];
	for (const each of column) {
		values.push(isList(each) ? each.map(numberOf) : numberOf(each));
		await pause();
	}
	return { values, isAmbiguous: openSigns.size > 0 && decimal === undefined };
}
