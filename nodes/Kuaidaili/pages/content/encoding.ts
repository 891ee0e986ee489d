import { decodePairs, isReadByPairs } from './doubleByte';

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

/** Elements whose text is no markup. */
const RAW = /^(?:script|style|title|textarea|xmp|iframe|noembed|noframes)(?=[\s/>])/i;

/** A page that says more encodings which nobody knows says none. */
const MOST_UNKNOWN = 20;

/** Tags of a page that are looked at; most pages have some thousand. */
const MOST_TAGS_SCANNED = 250_000;

/** Tags that are read; a page has a few dozen. */
const MOST_METAS = 1000;

/** A tag with more is none that says an encoding. */
const LONGEST_META = 2000;

/** The end of a tag that begins at `start`: behind its `>`, which does not count in quotes. */
function endOfTag(html: string, start: number): number {
	const first = html.indexOf('>', start);
	if (first === -1) return html.length;
	if (!/["']/.test(html.slice(start, first))) return first + 1;
	const part = /=(?:"[^"]*"|'[^']*')|=["']|>/g;
	part.lastIndex = start;
	for (let found = part.exec(html); found !== null; found = part.exec(html)) {
		if (found[0] === '>') return part.lastIndex;
		// A quote that is never closed
		if (found[0].length === 2) return html.length;
	}
	return html.length;
}

const ATTRIBUTE = /([^\s"'=<>/]{1,40})\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g;

/** The encoding that a `meta` tag names; undefined for none. */
function charsetOf(tag: string): string | undefined {
	const attributes = new Map<string, string>();
	for (const [, name, double, single, bare] of tag.matchAll(ATTRIBUTE)) {
		const key = name.toLowerCase();
		if (!attributes.has(key)) attributes.set(key, double ?? single ?? bare);
	}
	const charset = attributes.get('charset')?.trim();
	if (charset !== undefined) return charset;
	const isOfType = attributes.get('http-equiv')?.trim().toLowerCase() === 'content-type';
	return isOfType ? OF_CONTENT.exec(attributes.get('content') ?? '')?.[1] : undefined;
}

/** The encoding of a document that names one: in UTF-16, it could not have been read so far. */
function readSoFar(encoding: string): string {
	return encoding.startsWith('utf-16') ? 'utf-8' : encoding;
}

/** The encoding that a document names, however far down; comments, scripts, and other attributes name none. */
function ofDocument(bytes: Uint8Array): string | undefined {
	const html = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
	const ofXml = encodingOf(OF_XML.exec(html.slice(0, 500))?.[1]);
	if (ofXml !== undefined) return readSoFar(ofXml);
	let end = 0;
	let unknown = 0;
	let metas = 0;
	let tags = 0;
	for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', end)) {
		tags += 1;
		if (tags > MOST_TAGS_SCANNED) return undefined;
		if (html.startsWith('<!--', at)) {
			const closed = html.indexOf('-->', at + 4);
			if (closed === -1) return undefined;
			end = closed + 3;
			continue;
		}
		end = at + 1;
		if (!/[a-z/]/i.test(html[end] ?? '')) continue;
		const name = html.slice(end, end + 20);
		end = endOfTag(html, end);
		const [raw] = RAW.exec(name) ?? [];
		if (raw !== undefined) {
			const closed = indexOfEndTag(html, raw, end);
			if (closed === -1) return undefined;
			end = closed;
		} else if (/^meta[\s/]/i.test(name) && end - at < LONGEST_META) {
			metas += 1;
			if (metas > MOST_METAS) return undefined;
			const label = charsetOf(html.slice(at + 5, end));
			const encoding = encodingOf(label);
			if (label !== undefined && encoding === undefined) unknown += 1;
			if (unknown > MOST_UNKNOWN) return undefined;
			if (encoding !== undefined) return readSoFar(encoding);
		}
	}
	return undefined;
}

function indexOfEndTag(html: string, name: string, start: number): number {
	const tag = new RegExp(`</${name}`, 'gi');
	tag.lastIndex = start;
	return tag.exec(html)?.index ?? -1;
}

/** Text in GBK that is read as UTF-8 has about four broken characters for each that is not. */
const FEWEST_SOUND_PER_BROKEN = 4;

/** So many characters of two bytes in a row are no chance. */
const FEWEST_CERTAIN = 10;

const BROKEN = 0xfffd;

/** Characters beyond ASCII of a text that was read as UTF-8. */
function countCharacters(text: string) {
	let broken = 0;
	let brokenAlone = 0;
	let ofTwoBytes = 0;
	let ofMoreBytes = 0;
	for (let at = 0; at < text.length; at += 1) {
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

/**
 * Whether bytes are in UTF-8, but for a few broken characters, whatever is said of them.
 *
 * @param said another encoding that is said
 * @param saysUtf8 whether UTF-8 is said: single bytes of Windows among letters don't make another encoding of it then
 */
function isUtf8(
	bytes: Uint8Array,
	text: string,
	said: string | undefined,
	saysUtf8: boolean,
): boolean {
	if (said === 'iso-2022-jp') return !bytes.includes(ESCAPE);
	const { broken, brokenAlone, ofTwoBytes, ofMoreBytes } = countCharacters(text);
	if (saysUtf8 && said === undefined && brokenAlone > 0.5 * broken) return true;
	const isSound = ofTwoBytes + ofMoreBytes >= FEWEST_SOUND_PER_BROKEN * broken;
	if (said === undefined || !OF_TWO_BYTES.has(said)) return isSound;
	const isCertain = ofMoreBytes > 0 || ofTwoBytes === 0 || ofTwoBytes >= FEWEST_CERTAIN;
	return isSound && isCertain;
}

/** The encoding that servers name for pages of which they know none. */
const SAYS_NOTHING = 'windows-1252';

/** Characters of the bytes 0x80 to 0x9F in windows-1252, which Node reads as ISO-8859-1. */
const OF_WINDOWS =
	'\u20AC\x81\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\x8D\u017D\x8F\x90\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\x9D\u017E\u0178';

/** The text of bytes in an encoding, as the Encoding standard maps it. */
function textIn(bytes: Uint8Array, encoding: string): string {
	if (isReadByPairs(encoding)) return decodePairs(bytes, encoding);
	const text = new TextDecoder(encoding).decode(bytes);
	if (encoding !== 'windows-1252') return text;
	return text.replace(/[\x80-\x9f]/g, (sign) => OF_WINDOWS[sign.charCodeAt(0) - 0x80]);
}

/** NULs that programs leave in a text are no part of it. */
function decoded(bytes: Uint8Array, encoding: string): DecodedText {
	return { text: textIn(bytes, encoding).replaceAll('\0', ''), encoding };
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
	const utf8 = decoded(bytes, 'utf-8');
	const isOfTwoBytes = ofHeader?.startsWith('utf-16') === true;
	if (isOfTwoBytes && (bytes.includes(0) || utf8.text.includes('\uFFFD')))
		return decoded(bytes, ofHeader);
	const isOfMarkup = !/json/i.test(contentType);
	const named = [isOfTwoBytes ? undefined : ofHeader, isOfMarkup ? ofDocument(bytes) : undefined];
	const declared = named.filter((one) => one !== undefined && one !== 'utf-8');
	const said = declared.find((one) => one !== SAYS_NOTHING);
	const otherSaid = ofHeader === 'utf-8' ? undefined : said;
	if (isUtf8(bytes, utf8.text, otherSaid, named.includes('utf-8'))) {
		const isAscii = /^[\0-\x7f]*$/.test(utf8.text);
		return isAscii && ofHeader !== 'utf-8' && said !== undefined
			? { ...utf8, encoding: said }
			: utf8;
	}
	return decoded(bytes, said ?? (declared.includes(SAYS_NOTHING) ? SAYS_NOTHING : 'gb18030'));
}

/** The text of bytes in whatever encoding they are. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
	return decodePage(bytes, contentType).text;
}

/** Characters that Big5 has twice, and that are written as the later one (Encoding standard, 5). */
const LAST_IN_BIG5 = new Set('\u2550\u255E\u2561\u256A\u5341\u5345');

/** The bytes of the characters that have more than one, or one beyond ASCII, by encoding. */
const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** Reads the table of an encoding by decoding all that one and two bytes can be. */
function bytesOf(encoding: string): ReadonlyMap<string, readonly number[]> {
	const known = tables.get(encoding);
	if (known !== undefined) return known;
	const table = new Map<string, readonly number[]>();
	const add = (...bytes: number[]) => {
		const character = textIn(Uint8Array.from(bytes), encoding);
		const isNew = !table.has(character) || LAST_IN_BIG5.has(character);
		// What Hong Kong added before Big5 is only read (Encoding standard, 5)
		const isOnlyRead = encoding === 'big5' && bytes.length === 2 && bytes[0] < 0xa1;
		if ([...character].length === 1 && character !== '\uFFFD' && isNew && !isOnlyRead) {
			table.set(character, bytes);
		}
	};
	for (let first = 0x80; first <= 0xff; first += 1) add(first);
	if (OF_TWO_BYTES.has(encoding)) {
		for (let first = 0x81; first <= 0xfe; first += 1) {
			for (let second = 0x40; second <= 0xfe; second += 1) add(first, second);
		}
	}
	tables.set(encoding, table);
	return table;
}

function percentEncoded(byte: number): string {
	// As the URL standard says of queries
	const isPlain = byte > 0x20 && byte < 0x7f && !'"#<>\''.includes(String.fromCharCode(byte));
	const hex = byte.toString(16).toUpperCase().padStart(2, '0');
	return isPlain ? String.fromCharCode(byte) : `%${hex}`;
}

/**
 * An address with its query encoded as the page is on which it stands, as browsers send it (url.spec.whatwg.org).
 * Everything else of it is always in UTF-8.
 *
 * @param encoding of the page; undefined for UTF-8
 */
export function withEncodedQuery(address: string, encoding: string | undefined): string {
	if (encoding === undefined || encoding.startsWith('utf-') || /^[\0-\x7f]*$/.test(address)) {
		return address;
	}
	const [, before, query, after] = /^([^?#]*\?)([^#]*)(.*)$/s.exec(address) ?? [];
	if (query === undefined) return address;
	const table = bytesOf(encoding);
	const encoded = query.replace(/[^\0-\x7f]/gu, (character) => {
		const bytes = table.get(character);
		const reference = `%26%23${character.codePointAt(0)}%3B`;
		return bytes === undefined ? reference : bytes.map(percentEncoded).join('');
	});
	return before + encoded + after;
}
