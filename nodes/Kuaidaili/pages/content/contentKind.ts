import { decodePage } from './encoding';

/**
 * The kind of content that a body is, as it is read.
 * - `file`: a picture, a PDF, or another file of which there is no text.
 * - `json`: its type says so.
 * - `html`, `xml`: markup that has elements; XHTML is HTML.
 * - `text`: everything else.
 */
export type ContentKind = 'file' | 'json' | 'html' | 'xml' | 'text';

/** The content of a body. */
export interface BodyContent {
	readonly kind: ContentKind;
	/** The media type without parameters, in lower case; empty where there is none. */
	readonly mediaType: string;
	/** Whether its type is one of files, so that it is saved where nobody asked for its text. */
	readonly isDownload: boolean;
}

const JSON_TYPE = /^(?:application|text)\/(?:x-)?(?:[\w.-]{1,99}[+-])?json(?:[+-][\w.]{1,30})?$/;
const TEXT_TYPE =
	/^text\/|\+(?:xml|yaml)$|^application\/(?:x-)?(?:xml|javascript|ecmascript|typescript|ndjson|jsonl|jsonlines|json-lines|json-seq|json5|www-form-urlencoded|yaml|toml|csv|sql|graphql|sh|httpd-php)$/;
const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/;

/** Types that servers give to files of all kinds. */
const ANY_TYPE =
	/^application\/(?:octet-stream|binary|x-download|force-download|download|unknown)$/;

/** Types of what is never text, whatever it begins with. */
const MEDIA_TYPE = /^(?:image|audio|video|font)\//;

/** Types of documents, which are files although they may begin with text. */
const DOCUMENT_TYPE =
	/^application\/(?:x-)?(?:rtf|postscript|msword|vnd\.ms-.*|vnd\.open.*|vnd\.oasis.*|pkcs.*|pgp.*|pem.*|x509.*)$/;

/** A media type by the standard (mimesniff.spec.whatwg.org, 4.4): what is none counts as none. */
const ANY_MEDIA_TYPE = /^\s*([\w!#$&^.+-]{1,99}\/[\w!#$&^.+-]{1,99})\s*(?:;|$)/;

/** A byte that binary data hardly does without. Programs also leave it in texts, of which it is no part. */
const NUL = 0;
const SNIFFED_BYTES = 4096;
const SNIFFED_CHARACTERS = 1000;

/** Control characters that text has: tabs, ends of lines and pages, and the escape character. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);

/** Whether it is a byte that no text has (mimesniff.spec.whatwg.org, 7.1). */
function isBinaryByte(byte: number): boolean {
	return byte < 0x20 && !TEXT_CONTROLS.has(byte);
}

/** Beginnings of files that servers also call text, in hexadecimal numbers: PDF, pictures, archives, media, fonts. */
const SIGNATURE =
	/^(?:255044462d|89504e47|ffd8ff|47494638|504b0304|1f8b|52617221|377abcaf|52494646.{8}(?:57454250|57415645|41564920)|.{8}66747970|494433(?:02|03|04)|4f676753|774f46|00010000|d0cf11e0)/;

/** UTF-8, and UTF-16 in both orders, of which XML may have no mark. */
const BYTE_ORDER_MARK = /^(?:efbbbf|fffe|feff|3c003f00|003c003f)/;

const XML_TYPE = /^(?:application|text|image)\/(?:[\w.-]{1,99}\+)?xml$/;
const XML_START = /^\s*<\?xml\s/;
/** The first element, behind comments, instructions, and a document type. */
const ROOT =
	/^\s*(?:(?:<!--(?:(?!-->)[^])*-->|<!DOCTYPE[^[>]*(?:\[(?:(?!\]\s*>)[^])*\]\s*)?>|<\?[^>]*>)\s*)*<([\w:.-]+)/i;
const FEED = /^(?:rss|feed|rdf:RDF)$/;

/** How JSON begins and ends, for what servers call HTML. No page begins or ends so. */
const JSON_START = /^\s*(?:\{\s*["}]|\[\s*[[{"\d\]-])/;
const JSON_END = /[\]}]\s*$/;

const HTML_START = /^\s*<(?:!doctype|html|head|body|\?xml|!--|[a-z][a-z0-9]*[\s>])/i;

/** The media type that a header names: the last one of several, as the Fetch standard has it; empty for none. */
function mediaTypeOf(contentType: string): string {
	const types = contentType
		.slice(0, 1000)
		.split(',')
		.map((part) => ANY_MEDIA_TYPE.exec(part)?.[1])
		.filter((type) => type !== undefined);
	return types.at(-1)?.toLowerCase() ?? '';
}

/** Whether bytes begin as files do that are no text. */
function isBinary(bytes: Uint8Array, contentType: string, mediaType: string): boolean {
	const beginning = Buffer.from(bytes.subarray(0, 16)).toString('hex');
	if (SIGNATURE.test(beginning)) return true;
	const isOfTwoBytes = BYTE_ORDER_MARK.test(beginning) || /utf-?(?:16|32)/i.test(contentType);
	const saysPage = [HTML_TYPE, XML_TYPE, JSON_TYPE].some((type) => type.test(mediaType));
	if (isOfTwoBytes || saysPage || !bytes.includes(NUL)) return false;
	return ANY_TYPE.test(mediaType) || bytes.some((byte) => byte !== NUL && isBinaryByte(byte));
}

/** Whether bytes begin with UTF-8 and nothing else. */
function isPlainText(bytes: Uint8Array): boolean {
	if (bytes.some(isBinaryByte)) return false;
	try {
		new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
		return true;
	} catch {
		return false;
	}
}

/** The kind of a text by its type and its first characters. */
function kindOfText(mediaType: string, beginning: string, body: Uint8Array): ContentKind {
	if (JSON_TYPE.test(mediaType)) return 'json';
	const [, root = ''] = ROOT.exec(beginning) ?? [];
	const isXmlRoot = root !== '' && !/^(?:\w+:)?html$/i.test(root);
	const saysXml = XML_TYPE.test(mediaType) || XML_START.test(beginning);
	if (isXmlRoot && (saysXml || FEED.test(root))) return 'xml';
	if (!HTML_TYPE.test(mediaType)) return HTML_START.test(beginning) ? 'html' : 'text';
	// As PHP sends JSON if nobody says otherwise
	const end = Buffer.from(body.subarray(-SNIFFED_CHARACTERS)).toString('latin1');
	return JSON_START.test(beginning) && JSON_END.test(end) ? 'text' : 'html';
}

/**
 * Tells what a body is, by its type and how it begins. One that is empty is a text, or what its type says.
 *
 * @param contentType the header; empty where there is none
 */
export function bodyContentOf(body: Uint8Array, contentType: string): BodyContent {
	const mediaType = mediaTypeOf(contentType);
	const bytes = body.subarray(0, SNIFFED_BYTES);
	const saysText = mediaType === '' || TEXT_TYPE.test(mediaType) || JSON_TYPE.test(mediaType);
	const isDocument = DOCUMENT_TYPE.test(mediaType);
	const isBinaryFile = isBinary(bytes, contentType, mediaType);
	const isAny = ANY_TYPE.test(mediaType);
	const isTextByOtherName =
		!saysText && !isAny && !isBinaryFile && !MEDIA_TYPE.test(mediaType) && isPlainText(bytes);
	const isReadable = saysText || isAny || isTextByOtherName;
	const isDownload = isBinaryFile || (!saysText && (isDocument || !isTextByOtherName));
	if (body.length > 0 && (isBinaryFile || !isReadable))
		return { kind: 'file', mediaType, isDownload };
	// What comes as a download is no page, whatever it begins with
	const beginning = isDownload
		? ''
		: decodePage(bytes, contentType).text.slice(0, SNIFFED_CHARACTERS);
	return { kind: kindOfText(mediaType, beginning, body), mediaType, isDownload };
}
