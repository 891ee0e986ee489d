import { decodeBytes, percentEncodeIn } from '../../../shared/bundled/encodings';
import { markupParser, type MarkupEvents } from '../../../shared/bundled/xmlTree';

/** The text of a page, and the encoding it came in. */
export interface DecodedText {
	readonly text: string;
	/** The standard's name of the encoding, such as "utf-8". */
	readonly encoding: string;
}

const OF_HEADER = /(?:^|[;,\s])charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w:.-]{1,40})/i;
const OF_XML = /^\s{0,99}<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w:.-]{1,40})/i;
const OF_CONTENT = /charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w:.-]{1,40})/i;

const LONGEST_HEADER = 1000;

const BYTE_ORDER_MARKS: ReadonlyArray<readonly [string, readonly number[]]> = [
	['utf-8', [0xef, 0xbb, 0xbf]],
	['utf-16le', [0xff, 0xfe]],
	['utf-16be', [0xfe, 0xff]],
	// XML without a mark: its first two characters
	['utf-16le', [0x3c, 0, 0x3f, 0]],
	['utf-16be', [0, 0x3c, 0, 0x3f]],
];

/** Names of encodings by the number of their code page, which browsers don't know. */
const CODE_PAGES: Readonly<Record<string, string>> = {
	...{ 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5' },
};

/** The standard name of an encoding; undefined for an unknown one. */
function encodingOf(label: string | undefined): string | undefined {
	if (label === undefined) return undefined;
	const [, page = ''] = /^(?:cp|ms|windows)-?(9\d\d)$/i.exec(label.trim()) ?? [];
	try {
		const { encoding } = new TextDecoder(CODE_PAGES[page] ?? label);
		// It holds all of GBK and GB 2312, which are named where more is used
		return encoding === 'gbk' ? 'gb18030' : encoding;
	} catch {
		return undefined;
	}
}

/** Bytes in which a document names its encoding, however far down, and those that are parsed in one piece. */
const MOST_SCANNED = 250_000;
const SCANNED_PART = 2048;

/** The parser's time grows with how deeply elements are nested. */
const MOST_CHARSET_LEVELS = 500;

/** A page that says more encodings which nobody knows says none. */
const MOST_UNKNOWN = 20;

/** The encoding of a document that names one: in UTF-16, it could not have been read so far. */
function readSoFar(encoding: string): string {
	return encoding.startsWith('utf-16') ? 'utf-8' : encoding;
}

/** Finder of the first encoding that a `meta` tag names, not in comments, scripts, and other attributes. */
class CharsetFinder implements MarkupEvents {
	encoding?: string;

	levels = 0;

	unknown = 0;

	onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
		this.levels += 1;
		if (name !== 'meta' || this.encoding !== undefined) return;
		const { charset, content = '', 'http-equiv': kind = '' } = attributes;
		const isOfType = kind.trim().toLowerCase() === 'content-type';
		const ofType = isOfType ? OF_CONTENT.exec(content.slice(0, LONGEST_HEADER))?.[1] : undefined;
		const label = charset?.slice(0, LONGEST_HEADER) ?? ofType;
		this.encoding = encodingOf(label);
		if (label !== undefined && this.encoding === undefined) this.unknown += 1;
	}

	onclosetag(): void {
		this.levels -= 1;
	}
}

/** The encoding that a document names. */
function ofDocument(bytes: Uint8Array): string | undefined {
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const html = buffer.toString('latin1', 0, MOST_SCANNED);
	const ofXml = encodingOf(OF_XML.exec(html.slice(0, 500))?.[1]);
	if (ofXml !== undefined) return readSoFar(ofXml);
	if (!/charset/i.test(html)) return undefined;
	const finder = new CharsetFinder();
	let parser = markupParser(finder, false);
	for (let at = 0; at < html.length; at += SCANNED_PART) {
		parser.write(html.slice(at, at + SCANNED_PART));
		if (finder.unknown > MOST_UNKNOWN) return undefined;
		if (finder.encoding !== undefined) return readSoFar(finder.encoding);
		if (finder.levels < MOST_CHARSET_LEVELS) continue;
		finder.levels = 0;
		parser = markupParser(finder, false);
	}
	return undefined;
}

/** Text in GBK that is read as UTF-8 has about four broken characters for each that is not. */
const FEWEST_SOUND_PER_BROKEN = 4;

/** So many characters of two bytes in a row are no chance. */
const FEWEST_CERTAIN = 10;

const BROKEN = 0xfffd;

/** Characters beyond ASCII of a text that was read as UTF-8, from one of its characters on. */
function countCharacters(text: string, start: number) {
	let broken = 0;
	let brokenAlone = 0;
	let ofTwoBytes = 0;
	let ofMoreBytes = 0;
	for (let at = start; at < text.length; at += 1) {
		const unit = text.charCodeAt(at);
		if (unit === BROKEN) {
			broken += 1;
			if (text.charCodeAt(at - 1) < 0x80 && text.charCodeAt(at + 1) < 0x80) brokenAlone += 1;
		} else if (unit > 0x7ff) ofMoreBytes += 1;
		else if (unit > 0x7f) ofTwoBytes += 1;
	}
	return { broken, brokenAlone, ofTwoBytes, ofMoreBytes };
}

/** Encodings in which a character of two bytes can be one of UTF-8, too. */
const OF_TWO_BYTES = new Set(['gb18030', 'big5', 'euc-jp', 'euc-kr', 'shift_jis']);

const ESCAPE = 0x1b;

/** The bytes before the first one beyond ASCII. */
function lengthOfAscii(bytes: Uint8Array): number {
	let length = 0;
	while (length < bytes.length && bytes[length] < 0x80) length += 1;
	return length;
}

/** Bytes from the first one beyond ASCII on that tell whether a page is in UTF-8. */
const MOST_TELLING = 1_000_000;

/**
 * The text of bytes that are in UTF-8, but for a few broken characters, whatever is said of them; undefined for others.
 *
 * @param start the first byte beyond ASCII, or behind all of them
 * @param said another encoding that is said
 * @param saysUtf8 whether UTF-8 is said: single bytes of Windows among letters don't make another encoding of it then
 */
function utf8Text(
	bytes: Uint8Array,
	start: number,
	said: string | undefined,
	saysUtf8: boolean,
): string | undefined {
	const whole = () => new TextDecoder().decode(bytes);
	if (said === 'iso-2022-jp') return bytes.includes(ESCAPE) ? undefined : whole();
	const isPart = start + MOST_TELLING < bytes.length;
	// With the sign before it, if there is one; the last character may be cut
	const part = bytes.subarray(Math.max(0, start - 1), start + MOST_TELLING);
	const text = isPart ? new TextDecoder().decode(part, { stream: true }) : whole();
	const { broken, brokenAlone, ofTwoBytes, ofMoreBytes } = countCharacters(
		text,
		isPart ? 0 : start,
	);
	const isSound = ofTwoBytes + ofMoreBytes >= FEWEST_SOUND_PER_BROKEN * broken;
	const isCertain = ofMoreBytes > 0 || ofTwoBytes === 0 || ofTwoBytes >= FEWEST_CERTAIN;
	const isSaidAndBarelyBroken = saysUtf8 && said === undefined && brokenAlone > 0.5 * broken;
	const mayBeOfTwoBytes = said !== undefined && OF_TWO_BYTES.has(said);
	const isUtf8 = isSaidAndBarelyBroken || (isSound && (isCertain || !mayBeOfTwoBytes));
	if (!isUtf8) return undefined;
	return isPart ? whole() : text;
}

/** The encoding that servers name for pages of which they know none. */
const SAYS_NOTHING = 'windows-1252';

/** A text without the NULs that programs leave in it, which are no part of it. */
function withoutNul(text: string): string {
	if (!text.includes('\0')) return text;
	// Replacing millions of them takes a second
	const units = new Uint16Array(text.length);
	let length = 0;
	for (let at = 0; at < text.length; at += 1) {
		const unit = text.charCodeAt(at);
		if (unit === 0) continue;
		units[length] = unit;
		length += 1;
	}
	return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
}

function decoded(bytes: Uint8Array, encoding: string): DecodedText {
	const isUnicode = encoding.startsWith('utf-');
	const text = isUnicode ? new TextDecoder(encoding).decode(bytes) : decodeBytes(bytes, encoding);
	return { text: withoutNul(text), encoding };
}

/**
 * The text of a page: by its byte order mark; else as UTF-8 where it is, unless so few characters tell that they may be
 * of the encoding that is named; else as its header or its `meta` tag say; else as GB18030. A broken character is
 * replaced.
 *
 * @param contentType the header; empty where there is none
 */
export function decodePage(bytes: Uint8Array, contentType: string): DecodedText {
	const mark = BYTE_ORDER_MARKS.find(([, start]) => start.every((byte, at) => bytes[at] === byte));
	if (mark !== undefined) return decoded(bytes, mark[0]);
	const ofHeader = encodingOf(OF_HEADER.exec(contentType.slice(0, LONGEST_HEADER))?.[1]);
	const start = lengthOfAscii(bytes);
	const isAscii = start === bytes.length;
	const isOfTwoBytes = ofHeader?.startsWith('utf-16') === true;
	const isTwoBytes = () =>
		bytes.includes(0) || utf8Text(bytes, start, undefined, false) === undefined;
	if (isOfTwoBytes && isTwoBytes()) return decoded(bytes, ofHeader);
	const inUtf8 = (text: string, encoding = 'utf-8') => ({ text: withoutNul(text), encoding });
	if (ofHeader === 'utf-8') {
		// Nothing else that is said counts then
		const text = utf8Text(bytes, start, undefined, true);
		if (text !== undefined) return inUtf8(text);
	}
	const isOfMarkup = !/json/i.test(contentType);
	const named = [isOfTwoBytes ? undefined : ofHeader, isOfMarkup ? ofDocument(bytes) : undefined];
	const declared = named.filter((one) => one !== undefined && one !== 'utf-8');
	const said = declared.find((one) => one !== SAYS_NOTHING);
	if (ofHeader !== 'utf-8') {
		const text = utf8Text(bytes, start, said, named.includes('utf-8'));
		if (text !== undefined) return inUtf8(text, isAscii ? said : undefined);
	}
	return decoded(bytes, said ?? (declared.includes(SAYS_NOTHING) ? SAYS_NOTHING : 'gb18030'));
}

/** The text of bytes in whatever encoding they are. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
	return decodePage(bytes, contentType).text;
}

/** No server takes a longer address. */
const LONGEST_ENCODED = 100_000;

/**
 * An address with its query encoded as the page is on which it stands, as browsers send it (url.spec.whatwg.org).
 * Everything else of it is always in UTF-8.
 *
 * @param encoding of the page; undefined for UTF-8
 */
export function withEncodedQuery(address: string, encoding: string | undefined): string {
	const isUnicode = encoding === undefined || encoding.startsWith('utf-');
	if (isUnicode || address.length > LONGEST_ENCODED || /^[\0-\x7f]*$/.test(address)) return address;
	const [, before, query, after] = /^([^?#]*\?)([^#]*)(.*)$/s.exec(address) ?? [];
	if (query === undefined) return address;
	const encoded = query.replace(/[^\0-\x7f]+/g, (text) => percentEncodeIn(encoding, text));
	return before + encoded + after;
}
