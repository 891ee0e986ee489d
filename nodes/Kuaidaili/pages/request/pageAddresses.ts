import { eventLoopYielder } from '../../../shared/api/wait';
import { asError } from '../../../shared/api/errors';
import { readRequiredField } from '../../../shared/fields/reader';
import {
	type Field,
	InvalidFieldError,
	shortLine,
	type ValueKind,
} from '../../../shared/fields/field';
import { textKind } from '../../../shared/fields/kinds';
import { isList } from '../../../shared/guards';
import { formatNumber } from '../../../shared/wording';

/** Addresses that follow each other by a number until there are no more. */
export interface OpenRange {
	/** The address around the number. */
	readonly around: readonly [before: string, after: string];
	readonly number: number;
	readonly step: number;
	/** Digits of the number at least, by leading zeros; 0 for none. */
	readonly width: number;
	/** Whether it is another address than the first one; false by default. */
	readonly isFollowing?: true;
}

/** The address that a range without an end stands for at the moment. */
function addressInRange({ around: [before, after], number, width }: OpenRange): string {
	return `${before}${String(number).padStart(width, '0')}${after}`;
}

/** An address of a page, as it was read from 'URL'. */
export interface PageAddress {
	/** The address as it was typed, and `url` in the output; empty where it is no text. */
	readonly address: string;
	/** The address to request, as URLs are written; empty where `urlError` says why there is none. */
	readonly url: string;
	readonly urlError?: Error;
	/** Whether `http://` was put in front of the address; false by default. */
	readonly isSchemeAdded?: true;
	/** Set for the address of a range without an end, such as [1-]. */
	readonly openRange?: OpenRange;
}

/**
 * Values that are often entered in place of an address. `what` continues "'URL' is "; without it, the value is refused
 * as it is. A value that may hold a login is secret: no error repeats it.
 */
const MISTAKES = [
	{
		pattern:
			/^(?!https?:\/\/[^/])(?:h{1,2}t{0,3}p{0,2}s{0,2}|t{1,2}ps?) ?[:;]? ?[/\\]{1,2}[^\s/\\]/i,
		what: 'an address with a mistyped scheme',
		advice: 'It begins with http:// or https://.',
	},
	{
		pattern: /^(?:(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?[/?#]|localhost(?::\d{1,5})?(?:[/?#]|$))/i,
		what: 'an address without http:// or https://',
		advice: 'Put the one that the site has in front of it.',
	},
	{
		pattern:
			/^(?:socks\w{0,5}:\/\/|https?:\/\/[^\s/]{0,500}@[^\s/:]{1,500}:\d{1,5}\/?$|(?:[^\s/@]{0,500}@)?(?:\d{1,3}\.){3}\d{1,3}:\d{1,5}(?::\S*)?$)/i,
		what: 'the address of a proxy',
		isSecret: true,
		advice: 'Enter the address of the page. The node takes proxies for it by itself.',
	},
	{
		pattern: /^(?:\.{0,2}\/(?!\/)|[?#]|[\w%-]+(?:\/|\.(?:html?|php|aspx?|jsp)(?:[?#]|$)))/i,
		what: 'an address without a site',
		advice: "Put the site in front of it, as in {{ 'https://example.com' + $json.url }}.",
	},
	{
		pattern: /^(?:[^:/{\s]*\s[^:/{]*|[^.:/{\s]+)$/,
		what: 'text, not an address',
		advice:
			"To search a site, enter the address of the site's results, such as https://example.com/search?q=red+shoes.",
	},
	{
		pattern: /^https?:\/\/[^/?#@]{0,500}@/i,
		advice: "A login doesn't belong in the address. Put it into 'Headers'.",
	},
];

function mistakeIn(entered: string) {
	return MISTAKES.find(({ pattern }) => pattern.test(entered));
}

/** The longest address that a browser takes. */
const LONGEST_PAGE_ADDRESS = 2_000_000;

/** Whether a text is an address of http or https, without a login. */
function isPageUrl(entered: string): boolean {
	const isShort = entered.length <= LONGEST_PAGE_ADDRESS;
	if (!isShort || !/^https?:\/\/[^/?#]/i.test(entered) || !URL.canParse(entered)) return false;
	const { hostname, username, password } = new URL(entered);
	return hostname !== '' && username === '' && password === '';
}

const pageUrl: ValueKind = {
	...textKind('the full address of a page, such as https://example.com/list?page=2', isPageUrl),
	property: { type: 'string', typeOptions: { rows: 2 }, default: '={{ $json.url }}' },
	ifMissing:
		"Enter one, or several with one per line; or drag the column of the input that has them into 'URL'.",
	advice: (entered) => mistakeIn(entered)?.advice,
};

export const urlField: Field = {
	name: 'url',
	displayName: 'URL',
	description:
		'The address of the page to open, or several: a list, or one per line. Each becomes an item. [1-20] in an address stands for 20 of them, [01-20] with leading zeros, [0-100:10] in steps of 10, and [1-] for as many as there are rows on.',
	placeholder: 'e.g. https://example.com/list?page=2',
	kind: pageUrl,
	required: true,
};

/** A host without a scheme, with a dot. */
const BARE_HOST =
	/^(?:[\p{L}\p{N}_-]{1,63}\.){1,10}\p{L}[\p{L}\p{N}-]{1,62}(?::\d{1,5})?(?=[/?#]|$)/u;

/** Characters that nobody sees, and that come along when a text is copied. */
const INVISIBLE = /[\u200b\u2060\ufeff\u00ad\u200e\u200f\u202a-\u202e]/g;

/** Signs that end a sentence or a bracket of Chinese writing, at the end of an address. */
const CHINESE_END = /[，、；：！？）】」』》”’]+$/u;

/** A host whose dots were typed in Chinese writing: what stands before the first one is none yet. */
const HOST_WITH_STOPS = /^https?:\/\/[\w-]{1,63}。\w[^/?#]*/i;

/** An address of ASCII without a query, and what is said about it behind it. */
const WITH_WORDS = /^(https?:\/\/[!-<>-~]+)\s+[^\x20-\x7e]/i;

/** An address without what stands around it in a text. */
function addressAlone(text: string): string {
	let address = text
		.slice(0, LONGEST_PAGE_ADDRESS + 1)
		.replace(INVISIBLE, '')
		.trim();
	if (!/^https?:\/\//i.test(address) || address.length > LONGEST_WITH_RANGES) return address;
	address = WITH_WORDS.exec(address)?.[1] ?? address;
	address = address.replace(HOST_WITH_STOPS, (host) => host.replace(/。(?=\w)/g, '.'));
	const [sentence] = address.split('。');
	// A title of an encyclopedia has both brackets
	const closing = sentence.indexOf('）');
	const isOpen = sentence.slice(0, Math.max(closing, 0)).includes('（');
	const alone = closing < 0 || isOpen ? sentence : sentence.slice(0, closing);
	return isOpen ? alone.replace(/[，、；：！？]+$/u, '') : alone.replace(CHINESE_END, '');
}

/** Reads and checks one address. An error is in the result. */
export function readPageAddress(value: unknown): PageAddress {
	const address = typeof value === 'string' ? addressAlone(value) : '';
	const mistake = mistakeIn(address);
	const isBare = mistake === undefined && BARE_HOST.test(address);
	// As the links of shops are written: the scheme is that of the page they stand on
	const isOfAnyScheme = /^\/\/[^/?#]/.test(address);
	const entered = isOfAnyScheme
		? `https:${address}`
		: isBare
			? `http://${address}`
			: typeof value === 'string'
				? address
				: value;
	try {
		const url = new URL(readRequiredField(urlField, entered)).href;
		return { address, url, ...(isBare && { isSchemeAdded: true }) };
	} catch (error) {
		const refusal = asError(error);
		const { what, isSecret } = mistake ?? {};
		if (what === undefined || !(refusal instanceof InvalidFieldError)) {
			return { address, url: '', urlError: refusal };
		}
		const { displayName } = urlField;
		const shown = isSecret === true ? '' : `: ${shortLine(address)}`;
		const message = `'${displayName}' is ${what}${shown}`;
		const urlError = new InvalidFieldError(displayName, '', refusal.description, message);
		return { address, url: '', urlError };
	}
}

/** The most addresses of a text. A list from an expression may have more. */
const MOST_ADDRESSES = 1000;

/** The longest address in which ranges are looked for: one may have thousands, each of one number. */
const LONGEST_WITH_RANGES = 10_000;

/** A range behind the host, such as [1-20], [01-20], or [0-100:10]. */
const RANGE = /\[(\d{1,15})-(\d{1,15})(?::(\d{1,15}))?\]/;

/** A range without an end, such as [1-], [01-], or [0-:10]. */
const OPEN_RANGE = /\[(\d{1,15})-(?::(\d{1,15}))?\]/;

/** The range without an end that an address has behind its host; undefined for none. Throws InvalidFieldError. */
function openRangeIn(address: string): OpenRange | undefined {
	if (address.length > LONGEST_WITH_RANGES) return undefined;
	const host = /^(?:https?:\/\/)?[^/?#]*/i.exec(address)?.[0].length ?? 0;
	const found = OPEN_RANGE.exec(address.slice(host));
	if (found === null) return undefined;
	const [range, from, step = '1'] = found;
	const after = address.slice(host + found.index + range.length);
	if (OPEN_RANGE.test(after)) {
		throw refusedRange(shortLine(address), 'Allowed: one range without an end in an address.');
	}
	if (Number(step) === 0) throw refusedRange(range, 'Allowed: steps of 1 or more, as in [0-:10].');
	const width = from.startsWith('0') ? from.length : 0;
	const before = address.slice(0, host + found.index);
	return { around: [before, after], number: Number(from), step: Number(step), width };
}

/** The address that follows in a range without an end. */
export function nextInRange(range: OpenRange): PageAddress {
	const openRange: OpenRange = {
		...range,
		number: range.number + range.step,
		isFollowing: true,
	};
	return { ...readPageAddress(addressInRange(openRange)), openRange };
}

/** A mistyped range, such as [1..20], [1 - 20], {1-20}, or one with the dash of a text. */
const MISTYPED_RANGE =
	/(?!\[\d{1,15}-\d{1,15}\])[[{] {0,9}(\d{1,15}) {0,9}(?:\.{2,3}|[-–—…]) {0,9}(\d{1,15}) {0,9}[\]}]/;

function refusedRange(range: string, allowed: string): InvalidFieldError {
	return new InvalidFieldError(urlField.displayName, range, allowed);
}

/** The numbers of a range as texts, with the leading zeros of the first. Throws InvalidFieldError. */
function numbersOf([range, from, to, step = '1']: RegExpExecArray): string[] {
	const [first, last, by] = [from, to, step].map(Number);
	if (first > last) {
		throw refusedRange(range, `Allowed: the smaller number first, as in [${to}-${from}].`);
	}
	if (by === 0) throw refusedRange(range, 'Allowed: steps of 1 or more, as in [0-100:10].');
	const count = Math.floor((last - first) / by) + 1;
	if (count > MOST_ADDRESSES) {
		const most = formatNumber(MOST_ADDRESSES);
		throw refusedRange(range, `Allowed: ${most} addresses; these are ${formatNumber(count)}.`);
	}
	const width = from.startsWith('0') ? from.length : 0;
	return Array.from({ length: count }, (_, index) =>
		String(first + index * by).padStart(width, '0'),
	);
}

/** The addresses that an address with ranges stands for; itself without one. Throws InvalidFieldError. */
function withoutRanges(address: string): string[] {
	if (address.length > LONGEST_WITH_RANGES) return [address];
	let begun = [/^(?:https?:\/\/)?[^/?#]*/i.exec(address)?.[0] ?? ''];
	let rest = address.slice(begun[0].length);
	const [mistyped, first, last] = MISTYPED_RANGE.exec(rest) ?? [];
	if (mistyped !== undefined) throw refusedRange(mistyped, `Allowed: [${first}-${last}].`);
	for (let found = RANGE.exec(rest); found !== null; found = RANGE.exec(rest)) {
		const numbers = numbersOf(found);
		const count = begun.length * numbers.length;
		if (count > MOST_ADDRESSES) {
			const allowed = `Allowed: ${formatNumber(MOST_ADDRESSES)} addresses; these are ${formatNumber(count)}.`;
			throw refusedRange(shortLine(address), allowed);
		}
		const before = rest.slice(0, found.index);
		begun = begun.flatMap((start) => numbers.map((number) => start + before + number));
		rest = rest.slice(found.index + found[0].length);
	}
	return begun.map((start) => start + rest);
}

/**
 * The addresses of a text: one per line, or one behind the other, where white space or a comma stands before `http`, also
 * one of Chinese writing.
 */
function addressesIn(typed: string): string[] {
	const several = typed
		.split(/[\r\n]+/)
		.flatMap((line) => line.split(/(?<![\s,，、；])[\s,，、；]+(?=https?:\/\/)/i))
		.map((address) => address.trim())
		.filter((address) => !/^[\s,，、；]*$/.test(address));
	// A list that ends each line with a comma
	const isEnded = several.length > 1;
	const addresses = several
		.map((address) => (isEnded ? address.replace(/(?<![\s,，、；])[\s,，、；]+$/, '') : address))
		.flatMap((address) => withoutRanges(address));
	if (addresses.length <= MOST_ADDRESSES) return addresses;
	const count = formatNumber(addresses.length);
	throw new InvalidFieldError(
		urlField.displayName,
		`${count} addresses`,
		`Allowed: ${formatNumber(MOST_ADDRESSES)} addresses in a text. Make them input items, or a list by an expression.`,
	);
}

/**
 * The addresses in 'URL', at least one: of a list, or of a text.
 *
 * @throws InvalidFieldError for a range that cannot be used, or too many addresses in a text
 */
export async function readAddresses(value: unknown): Promise<PageAddress[]> {
	const pause = eventLoopYielder();
	const several: unknown[] = typeof value === 'string' ? addressesIn(value) : [];
	for (const address of isList(value) ? value : []) {
		several.push(...(typeof address === 'string' ? withoutRanges(address) : [address]));
		await pause();
	}
	const addresses: PageAddress[] = [];
	for (const address of several.length === 0 ? [value] : several) {
		const openRange = typeof address === 'string' ? openRangeIn(address.trim()) : undefined;
		const first = openRange === undefined ? address : addressInRange(openRange);
		addresses.push({ ...readPageAddress(first), ...(openRange && { openRange }) });
		await pause();
	}
	return addresses;
}
